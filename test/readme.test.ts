import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type CodeGroup, codeGroups } from './readme/code-groups.js'
import { runCode } from './readme/run-code.js'
import { typeErrors } from './readme/type-errors.js'

const root = new URL('../', import.meta.url)
const pages = ['README.md', ...readdirSync(new URL('docs', root)).map((name) => `docs/${name}`)]
const slowMs = 60_000

describe.each(pages)('the code in %s', (page) => {
  const groups = codeGroups(readFileSync(new URL(page, root), 'utf8'))

  it('is there', () => {
    expect(groups).not.toEqual([])
  })

  describe.each(groups)('under "$heading"', ({ code }) => {
    it('has the right types', { timeout: slowMs }, () => {
      expect(typeErrors(code)).toEqual([])
    })

    it('runs to its last line, and ends when asked', { timeout: slowMs }, async () => {
      await expect(runCode(code)).resolves.toBeTypeOf('string')
    })
  })
})

describe('reading code from a page', () => {
  it('takes the blocks under one heading together, on their own lines', () => {
    const page = [
      '# One',
      '```ts',
      'a()',
      '```',
      'and then',
      '```ts',
      'b()',
      '```',
      '## Two',
      '~~~ts',
      'c()',
      '~~~',
    ]
    expect(codeGroups(page.join('\n'))).toEqual<CodeGroup[]>([
      { heading: 'One', code: '\n\na()\n\n\n\nb()' },
      { heading: 'Two', code: '\n\n\n\n\n\n\n\n\n\nc()' },
    ])
  })

  it('joins a block that is marked as continuing, and hidden lines', () => {
    const page = [
      '<!-- ts',
      'a()',
      '-->',
      '```ts',
      'b()',
      '```',
      '# Two',
      '<!-- continues -->',
      '```ts',
      'c()',
      '```',
    ]
    expect(codeGroups(page.join('\n'))).toEqual([{ heading: '', code: '\na()\n\n\nb()\n\n\n\n\nc()' }])
  })

  it('leaves other kinds of block alone, whatever they contain', () => {
    const page = [
      '````md',
      '```ts',
      'a()',
      '```',
      '````',
      '```sh',
      '# not a heading',
      'npm test',
      '```',
      '```',
      'x',
      '```',
    ]
    expect(codeGroups(page.join('\n'))).toEqual([])
  })

  it.each([
    ['a block that is never closed', '# A\n```ts\na()', 'Line 2: this block is never closed'],
    ['code under a name that is not checked', '```js\na()\n```', 'Line 1: fence "js" as "ts"'],
    ['nothing to continue', '<!-- continues -->\n```ts\na()\n```', 'Line 1: there is no code before it'],
  ])('refuses %s', (_, page, message) => {
    expect(() => codeGroups(page)).toThrow(message)
  })
})

describe('checking the types of code', () => {
  it('accepts code that is right, decorators and the package by its own name included', {
    timeout: slowMs,
  }, () => {
    const code = `import { inject, injectable } from 'inversify'
      import { ToolDefinition } from 'toolwire'
      import type {} from 'toolwire/interceptors'
      @injectable() class Weather { constructor(@inject('city') readonly city: string) {} }
      const city: string = await Promise.resolve(new Weather('Oslo').city)
      export const builder = ToolDefinition.builder().name(city)`
    expect(typeErrors(code)).toEqual([])
  })

  it.each([
    [
      'a wrong type',
      '\nconst days: number = "three"',
      [expect.stringMatching(/^2: Type 'string' is not assignable/)],
    ],
    ['a syntax error', 'const = 1', [expect.stringMatching(/^1: /)]],
    [
      'an unknown name of the package',
      `import { Nothing } from 'toolwire'`,
      [expect.stringContaining('Nothing')],
    ],
    ['what strict mode finds', 'const first: string = ["a"][0]', [expect.stringContaining('undefined')]],
  ])('finds %s', { timeout: slowMs }, (_, code, errors) => {
    expect(typeErrors(code)).toEqual(errors)
  })
})

describe('running code', () => {
  it('gives what it printed, types and decorators included', async () => {
    const code = `import 'reflect-metadata'
      import { Container, inject, injectable } from 'inversify'
      @injectable() class Weather { constructor(@inject('city') readonly city: string) {} }
      const container = new Container()
      container.bind<string>('city').toConstantValue('Oslo')
      container.bind(Weather).toSelf()
      console.log(container.get(Weather).city satisfies string)`
    await expect(runCode(code)).resolves.toBe('Oslo\n')
  })

  it('ends a server that was started', async () => {
    const code = `import { createServer } from 'node:http'
      const server = createServer().listen(Number(process.env.PORT))
      process.once('SIGTERM', () => server.close(() => console.log('closed')))`
    await expect(runCode(code)).resolves.toBe('closed\n')
    await expect(runCode('setInterval(() => {}, 1000)')).resolves.toBe('')
  })

  it('gives it an empty stdin', async () => {
    await expect(runCode('for await (const line of process.stdin) console.log(line)')).resolves.toBe('')
  })

  it.each([
    ['throws', `throw new Error('planted')`, {}, 'planted'],
    ['throws after its last line', `setTimeout(() => { throw new Error('planted') }, 1)`, {}, 'planted'],
    ['leaves a rejection unhandled', `void Promise.reject(new Error('planted'))`, {}, 'planted'],
    ['ends before its last line', 'process.exit(0)', {}, 'Ended with 0'],
    ['imports what is not there', `import 'toolwire/nothing'`, {}, "subpath './nothing'"],
    [
      'never comes to its last line',
      'await new Promise(() => setInterval(() => {}, 1000))',
      { untilLastLineMs: 3_000 },
      'last line',
    ],
    [
      'does not end when asked',
      `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`,
      { untilEndMs: 500 },
      'Did not end',
    ],
  ])('fails on code that %s', async (_, code, limits, message) => {
    await expect(runCode(code, limits)).rejects.toThrow(message)
  })
})
