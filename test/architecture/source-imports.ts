import { readdirSync, readFileSync } from 'node:fs'
import { posix, sep } from 'node:path'
import ts from 'typescript'

/** The text of source files by their path below `src`, with `/` between folders. */
export type Sources = ReadonlyMap<string, string>

/** One place where a file names another module. */
export interface SourceImport {
  readonly from: string
  /** The path below `src` for a relative import, else the specifier as it is written. */
  readonly to: string
  readonly external: boolean
  /** `type` leaves nothing in the emitted code, `dynamic` loads only when the line runs. */
  readonly kind: 'value' | 'type' | 'dynamic'
}

/** Reads every TypeScript file below a folder. */
export function readSources(folder: string): Sources {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  )
  return new Map(
    paths
      .map((path) => [path.split(sep).join('/'), readFileSync(`${folder}/${path}`, 'utf8')] as const)
      .sort(),
  )
}

// Parsing is most of the work, and every rule asks.
const read = new WeakMap<Sources, readonly SourceImport[]>()

/** Every import of the files, in order: static, type-only, re-exporting, dynamic, `import('…').Type` and `require`. */
export function importsOf(sources: Sources): readonly SourceImport[] {
  const known = read.get(sources) ?? importsIn(sources)
  read.set(sources, known)
  return known
}

function importsIn(sources: Sources): readonly SourceImport[] {
  return [...sources].flatMap(([path, text]) => {
    const found: SourceImport[] = []
    const visit = (node: ts.Node): void => {
      const named = moduleNamedBy(node)
      if (named) found.push({ from: path, ...target(path, named.specifier), kind: named.kind })
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
    return found
  })
}

function moduleNamedBy(node: ts.Node): (Pick<SourceImport, 'kind'> & { specifier: string }) | undefined {
  if (ts.isImportDeclaration(node)) {
    // `import { type A } from 'a'` still loads 'a' under verbatimModuleSyntax: only `import type` loads nothing.
    const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
    return named(node.moduleSpecifier, typeOnly ? 'type' : 'value')
  }
  if (ts.isExportDeclaration(node)) return named(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'value')
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return named(node.argument.literal, 'type')
  if (ts.isExternalModuleReference(node)) return named(node.expression, 'value')
  if (!ts.isCallExpression(node)) return undefined
  const called = node.expression
  if (called.kind === ts.SyntaxKind.ImportKeyword) return named(node.arguments[0], 'dynamic')
  return ts.isIdentifier(called) && called.text === 'require'
    ? named(node.arguments[0], 'dynamic')
    : undefined
}

function named(specifier: ts.Node | undefined, kind: SourceImport['kind']) {
  return specifier && ts.isStringLiteralLike(specifier) ? { specifier: specifier.text, kind } : undefined
}

function target(from: string, specifier: string): Pick<SourceImport, 'to' | 'external'> {
  if (!specifier.startsWith('.')) return { to: specifier, external: true }
  return { to: posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts'), external: false }
}
