import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const largestCoreBytes = 195_000
const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = JSON.parse(text('package.json')) as {
  readonly exports: Readonly<Record<string, string>>
  readonly files: readonly string[]
  readonly type: string
  readonly engines: Readonly<Record<string, string>>
}

describe('the package', () => {
  it('exports files that the build emits, each with its declarations', () => {
    const emitted = filesOfTheBuild()
    const entries = Object.values(manifest.exports).filter((path) => path !== './package.json')
    expect(entries).not.toEqual([])
    for (const entry of entries) {
      expect(emitted).toContain(entry)
      expect(emitted).toContain(entry.replace(/\.js$/, '.d.ts'))
    }
  })

  it('is an ESM package for Node 20.19 and later that carries its build, and the source that its maps point to', () => {
    expect(manifest).toMatchObject({
      type: 'module',
      engines: { node: '>=20.19' },
      files: ['dist', 'docs', 'src'],
    })
  })

  it('asks for nothing that Node 20.19 cannot run', () => {
    const needs = Object.entries(lockedPackages()).filter(([path, { dev }]) => path && !dev)
    expect(needs.length).toBeGreaterThan(10)
    const tooNew = needs.filter(([, { engines }]) => lowestNode(engines?.node) > 20_019)
    expect(tooNew.map(([path]) => path)).toEqual([])
  })

  it('keeps download addresses out of the lock file', () => {
    const addressed = Object.entries(lockedPackages()).filter(([, entry]) => 'resolved' in entry)
    expect(addressed.map(([path]) => path)).toEqual([])
  })

  it('bundles its core entry into less than 195 kB, minified, packages apart', async () => {
    const { outputFiles } = await build({
      entryPoints: [`${root}src/index.ts`],
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      minify: true,
      write: false,
      logLevel: 'silent',
    })
    expect(outputFiles).toHaveLength(1)
    expect(outputFiles[0]?.contents.byteLength).toBeLessThan(largestCoreBytes)
  })
})

describe('the files of the repository', () => {
  it('name no place on a machine and no package registry', () => {
    const files = repositoryFiles()
    expect(files).toContain('package.json')
    expect(files.flatMap((path) => placesIn(text(path)).map((place) => `${path}: ${place}`))).toEqual([])
  })

  it.each([
    ['a home folder', ['', 'home', 'ann', 'toolwire'].join('/')],
    ['a home folder in an address', `file://${['', 'Users', 'ann'].join('/')}/x.ts`],
    ['a temporary folder', `"${['', 'tmp', 'out'].join('/')}"`],
    ['this checkout', `cd ${root}src`],
    ['a registry', `https://${['registry', 'npmjs', 'org'].join('.')}/ajv`],
    ['a mirror of a registry', `http://${['npm', 'artifactory', 'example', 'test'].join('.')}/ajv`],
  ])('would be seen to name %s', (_, planted) => {
    expect(placesIn(`before ${planted} after`)).not.toEqual([])
  })

  it('may name paths of addresses, and the registry of tools', () => {
    expect(placesIn(`https://example.test/home/page registry.register(tool) a/tmp/b ./work/x`)).toEqual([])
  })
})

function text(path: string): string {
  return readFileSync(`${root}${path}`, 'utf8')
}

/** Every file that `tsconfig.build.json` emits, written as `exports` writes it. */
function filesOfTheBuild(): readonly string[] {
  const host = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }: ts.Diagnostic) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'))
    },
  }
  const build = ts.getParsedCommandLineOfConfigFile(`${root}tsconfig.build.json`, {}, host)
  if (!build) throw new Error('tsconfig.build.json cannot be read')
  return build.fileNames
    .flatMap((file) => ts.getOutputFileNames(build, file, false))
    .map((file) => file.replace(root, './'))
}

interface LockedPackage {
  readonly dev?: boolean
  readonly engines?: { readonly node?: string }
}

function lockedPackages(): Readonly<Record<string, LockedPackage>> {
  return (JSON.parse(text('package-lock.json')) as { packages: Record<string, LockedPackage> }).packages
}

/** The lowest version that a range such as `^18.18 || >=20` names, 20.19 as 20019. */
function lowestNode(range = '0'): number {
  const versions = range.split('||').map((part) => /(\d+)(?:\.(\d+))?/.exec(part) ?? [])
  return Math.min(...versions.map(([, major = 0, minor = 0]) => Number(major) * 1000 + Number(minor)))
}

/** What git tracks, or would with the next commit. */
function repositoryFiles(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  })
  return [...new Set(listed.split('\0').filter(Boolean))].filter((path) =>
    ts.sys.fileExists(`${root}${path}`),
  )
}

function placesIn(content: string): readonly string[] {
  const folder = /(?<![\w.~-])\/(?:home|Users|root|tmp|work|workspace)\/[\w.-]+/g
  const registry = /https?:\/\/[^/\s'"`]*\b(?:registry|artifactory|verdaccio|nexus)\b[^\s'"`]*/g
  // A place directly under the root, such as a checkout in `/src`, is no name that only a machine would have.
  const own = [root, homedir()].filter((path) => /^.+[/\\].*[^/\\]/.test(path) && content.includes(path))
  return [...own, ...(content.match(folder) ?? []), ...(content.match(registry) ?? [])]
}
