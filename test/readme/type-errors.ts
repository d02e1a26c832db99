import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = `${root}readme-code.ts`

/** What the README's code is compiled with: the project's own options, each group a module. */
export const compilerOptions: ts.CompilerOptions = {
  ...ts.getParsedCommandLineOfConfigFile(
    `${root}tsconfig.json`,
    { moduleDetection: ts.ModuleDetectionKind.Force },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
        throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'))
      },
    },
  )?.options,
}

const parsed = new Map<string, ts.SourceFile | undefined>()
let previous: ts.Program | undefined

/** Checks one module as if it stood in the root of the project; gives `line: message` for each error. */
export function typeErrors(code: string): readonly string[] {
  const host = ts.createCompilerHost(compilerOptions)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (path) => path === file || fileExists(path)
  host.readFile = (path) => (path === file ? code : readFile(path))
  host.getSourceFile = (path, version) => {
    if (path === file) return ts.createSourceFile(path, code, version)
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, version))
    return parsed.get(path)
  }
  previous = ts.createProgram([file], compilerOptions, host, previous)
  return [...new Set(ts.getPreEmitDiagnostics(previous, previous.getSourceFile(file)).map(told))]
}

function told({ file, start, messageText }: ts.Diagnostic): string {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n')
  return file && start !== undefined
    ? `${file.getLineAndCharacterOfPosition(start).line + 1}: ${message}`
    : message
}
