import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  coreLoadsLight,
  filesAreShort,
  foldersAreNamed,
  importsPointDown,
  noCircles,
  type Rule,
  sdkStaysInAdapters,
} from './architecture/rules.js'
import { importsOf, readSources } from './architecture/source-imports.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readSources(`${root}src`)

describe('the source keeps the rules of the house', () => {
  it.each<[string, Rule]>([
    ['imports point down', importsPointDown],
    ['no file imports itself by way of others', noCircles],
    ['only the adapters know an MCP SDK', sdkStaysInAdapters],
    ['the core entry imports neither Ajv nor an MCP SDK', coreLoadsLight],
    ['every folder is named after what is in it', foldersAreNamed],
    ['no file is long', filesAreShort],
  ])('%s', (_, rule) => {
    expect(sources.size).toBeGreaterThan(0)
    expect(rule(sources)).toEqual([])
  })
})

describe('the core entry, loaded by node', () => {
  it('loads its container, and neither Ajv nor an MCP SDK', async () => {
    const packages = await packagesLoadedBy('./src/index.ts')
    expect(packages).toContain('inversify')
    expect(packages.filter((name) => /^ajv|^@modelcontextprotocol\//.test(name))).toEqual([])
  })

  it('would be seen to load them', async () => {
    expect(await packagesLoadedBy('ajv/dist/2020.js')).toContain('ajv')
    expect(await packagesLoadedBy('@modelcontextprotocol/server')).toContain('@modelcontextprotocol/server')
  })
})

describe('the rules find what is planted', () => {
  it.each([
    ['a lower layer', { 'registry/a.ts': `import { b } from '../runtime/b.js'` }],
    ['a type', { 'runtime/a.ts': `import type { B } from '../bridge/b.js'` }],
    ['a type named in place', { 'runtime/a.ts': `let x: import('../bridge/b.js').B` }],
    ['a later import', { 'registry/a.ts': `const b = await import('../interceptors/b.js')` }],
    ['a re-export', { 'bridge/a.ts': `export * from '../index.js'` }],
    ['one neighbour', { 'interceptors/a.ts': `import '../providers/b.js'` }],
    ['the other neighbour', { 'providers/a.ts': `import '../interceptors/b.js'` }],
    ['the other era', { 'bridge/sdk-v1/a.ts': `import '../sdk-v2/b.js'` }],
    ['the package by its own name', { 'registry/a.ts': `import { b } from 'toolwire'` }],
    ['a folder outside the house', { 'bridge/a.ts': `import '../extras/b.js'` }],
  ])('an import that points up: %s', (_, planted) => {
    expect(importsPointDown(new Map(Object.entries(planted)))).toHaveLength(1)
  })

  it('lets imports point down, and stay in their own folder', () => {
    const planted = {
      'cli/serve.ts': `import '../index.js'`,
      'index.ts': `export * from './bridge/a.js'`,
      'bridge/a.ts': `import './sdk-v1/b.js'; import './sdk-v2/b.js'; import '../runtime/c.js'`,
      'bridge/sdk-v1/b.ts': `import '../mcp-result.js'; import type { Server } from '@modelcontextprotocol/sdk'`,
      'runtime/c.ts': `import '../interceptors/d.js'; import '../providers/d.js'; import './e.js'`,
      'interceptors/d.ts': `import '../registry/f.js'; import 'lru-cache'`,
    }
    expect(importsPointDown(new Map(Object.entries(planted)))).toEqual([])
    expect(noCircles(new Map(Object.entries(planted)))).toEqual([])
    expect(sdkStaysInAdapters(new Map(Object.entries(planted)))).toEqual([])
  })

  it('a circle, once, also when it is made of types', () => {
    const planted = {
      'registry/a.ts': `import { b } from './b.js'`,
      'registry/b.ts': `import type { C } from './c.js'`,
      'registry/c.ts': `export { a } from './a.js'`,
      'registry/d.ts': `import './a.js'`,
    }
    expect(noCircles(new Map(Object.entries(planted)))).toEqual([
      'registry/a.ts → registry/b.ts → registry/c.ts → registry/a.ts',
    ])
    expect(noCircles(new Map([['registry/a.ts', `import './a.js'`]]))).toEqual([
      'registry/a.ts → registry/a.ts',
    ])
  })

  it('an MCP SDK outside the adapters', () => {
    const planted = new Map([
      ['bridge/http-host.ts', `import type { Server } from '@modelcontextprotocol/sdk/server/index.js'`],
      ['bridge/sdk-v2/adapter.ts', `import { McpServer } from '@modelcontextprotocol/server'`],
    ])
    expect(sdkStaysInAdapters(planted)).toEqual([
      expect.stringContaining(
        'bridge/http-host.ts must not import @modelcontextprotocol/sdk/server/index.js',
      ),
    ])
  })

  it('a heavy package on the way from the core entry, and no core entry at all', () => {
    const core = (line: string) =>
      new Map([
        ['index.ts', `export { a } from './runtime/a.js'`],
        ['runtime/a.ts', line],
      ])
    const told = (name: string) => [`index.ts → runtime/a.ts → ${name}`]
    expect(coreLoadsLight(core(`import { Ajv2020 } from 'ajv/dist/2020.js'`))).toEqual(
      told('ajv/dist/2020.js'),
    )
    expect(coreLoadsLight(core(`import { type Ajv } from 'ajv'`))).toEqual(told('ajv'))
    expect(coreLoadsLight(core(`import '@modelcontextprotocol/server'`))).toEqual(
      told('@modelcontextprotocol/server'),
    )
    expect(coreLoadsLight(core(`import type { Ajv } from 'ajv'; const later = () => import('ajv')`))).toEqual(
      [],
    )
    expect(coreLoadsLight(new Map())).toEqual(['index.ts is missing'])
  })

  it('a drawer, and a folder that is no layer', () => {
    const empty = (path: string) => new Map([[path, '']])
    expect(foldersAreNamed(empty('runtime/helpers/text.ts'))).toHaveLength(1)
    expect(foldersAreNamed(empty('registry/types.ts'))).toHaveLength(1)
    expect(foldersAreNamed(empty('extras/a.ts'))).toEqual(['extras/a.ts stands in no layer'])
    expect(foldersAreNamed(empty('registry/schema-types.ts'))).toEqual([])
  })

  it('a file of more than 250 lines', () => {
    expect(filesAreShort(new Map([['registry/a.ts', '\n'.repeat(250).concat('x\n')]]))).toEqual([
      'registry/a.ts has 251 lines, more than 250',
    ])
    expect(filesAreShort(new Map([['registry/a.ts', '\n'.repeat(249).concat('x\n')]]))).toEqual([])
  })

  it('every way to name a module', () => {
    const text = [
      `import a from './a.js'`,
      `import type { B } from './b.js'`,
      `export * from '../c.js'`,
      `export type { D } from 'd'`,
      `let e: import('e').E = await import(\`f\`)`,
      `// import 'comment'`,
      `const text = "import 'text'"`,
    ].join('\n')
    expect(importsOf(new Map([['registry/x.ts', text]])).map(({ to, kind }) => `${kind} ${to}`)).toEqual([
      'value registry/a.ts',
      'type registry/b.ts',
      'value c.ts',
      'type d',
      'type e',
      'dynamic f',
    ])
  })
})

/** Imports a module in a fresh node, and gives the names of the installed packages that were loaded for it. */
async function packagesLoadedBy(entry: string): Promise<readonly string[]> {
  const hook = `import { writeSync } from 'node:fs'
    export const load = (url, context, next) => (writeSync(1, url + '\\n'), next(url, context))`
  const register = `import { register } from 'node:module'; register(${JSON.stringify(asModule(hook))})`
  const flags = [
    '--import',
    'tsx',
    '--import',
    asModule(register),
    '--input-type=module',
    '--eval',
    `import '${entry}'`,
  ]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: root })
  return [
    ...new Set(
      [...stdout.matchAll(/.*\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/g)].map((match) => match[1] ?? ''),
    ),
  ]
}

function asModule(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`
}
