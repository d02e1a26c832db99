import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { SchemaValidator } from '../../src/runtime/schema/schema-validator.js'

// The schema cases that the validation engine alone must settle, asked of it directly. The same area through the runtime, from the
// builder to the call, is in schema.test.ts; SCH-19 (memory) has a part in each.

// biome-ignore lint/suspicious/noExplicitAny: schemas as strangers send them
type Loose = any

const validator = new SchemaValidator()

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

/** The paths at which each value is wrong; none when it is valid. */
function pathsWrong(schema: Loose, ...values: unknown[]): readonly (readonly string[])[] {
  const document = deepFreeze(schema)
  expect(validator.check(document)).toEqual([])
  const validate = validator.compile(document)
  return values.map((value) => validate(value).map(({ path }) => path))
}

describe('schema cases, the engine alone', () => {
  it('SCH-01: a tool that declares 2020-12, or draft-07, is validated by it and can be called', () => {
    for (const $schema of [
      'https://json-schema.org/draft/2020-12/schema',
      'http://json-schema.org/draft-07/schema#',
    ]) {
      const schema = { $schema, type: 'object', properties: { page: { type: 'string' } }, required: ['page'] }
      expect(pathsWrong(schema, { page: 'a' }, {})).toEqual([[], ['/page']])
    }
  })

  it('SCH-04: local $defs references resolve, and the error points at the argument', () => {
    const schema = {
      type: 'object',
      $defs: { addr: { type: 'object', properties: { zip: { type: 'string' } }, required: ['zip'] } },
      properties: { from: { $ref: '#/$defs/addr' }, to: { $ref: '#/$defs/addr' } },
    }
    expect(pathsWrong(schema, { from: { zip: '1' }, to: {} })).toEqual([['/to/zip']])
  })

  it('SCH-05: a recursive schema validates to any depth', () => {
    const schema = {
      type: 'object',
      $defs: {
        node: {
          type: 'object',
          properties: { label: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['label'],
        },
      },
      properties: { tree: { $ref: '#/$defs/node' } },
    }
    let deep: Loose = { label: 'leaf', kids: [{}] }
    for (let level = 0; level < 90; level++) deep = { label: 'n', kids: [deep] }
    expect(
      pathsWrong(schema, { tree: { label: 'a', kids: [{ label: 'b', kids: [{}] }] } }, { tree: deep }),
    ).toEqual([['/tree/kids/0/kids/0/label'], [`/tree${'/kids/0'.repeat(91)}/label`]])
  })

  it('SCH-13: a pattern that is legal only without the u flag works; one broken both ways is a fault that names it', () => {
    const schema = { type: 'object', properties: { u: { type: 'string', pattern: '^https\\:\\/\\/' } } }
    expect(pathsWrong(schema, { u: 'https://example.test' }, { u: 'ftp://x' })).toEqual([[], ['/u']])
    expect(validator.check({ properties: { u: { pattern: '(?i)x' } } })).toEqual([
      {
        path: '/properties/u/pattern',
        message:
          'the pattern "(?i)x" cannot be used: it is not a regular expression of JavaScript (ECMA-262)',
      },
    ])
  })

  it('SCH-14: vendor keywords and unknown formats are annotations', () => {
    const schema = {
      type: 'object',
      'x-origin': 'gen',
      properties: { iban: { type: 'string', format: 'iban', 'x-order': 1 } },
      deprecationMessage: 'soon',
    }
    expect(pathsWrong(schema, { iban: 'anything' }, { iban: 1 })).toEqual([[], ['/iban']])
    expect(schema).toHaveProperty('x-origin', 'gen')
  })

  it('SCH-15: a hostile pattern does not block the event loop', () => {
    const schema = { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } }
    const hostile = `${'a'.repeat(5_000)}!`
    // The same text takes a backtracking engine longer than the universe has: that the test ends is the proof.
    expect(pathsWrong(schema, { s: hostile }, { s: 'aaa' })).toEqual([['/s'], []])
  })

  it('SCH-15: a text that is too long for a pattern is refused, also where a match is what is forbidden', () => {
    const pattern = '(a|a)*b'
    const text = `${'a'.repeat(3_000_000)}b`
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    for (const s of [{ pattern }, { not: { pattern } }, { if: { pattern }, then: false }])
      expect(pathsWrong({ properties: { s } }, { s: text })).toEqual([['']])
    expect(pathsWrong({ patternProperties: { [pattern]: false } }, { [text]: 1 })).toEqual([['']])
  })

  it('SCH-16: a recursive union that doubles on each level of a small value is answered, or refused, at once', () => {
    const list = { type: 'array', items: { $ref: '#/$defs/n' } }
    const schema = {
      $defs: { n: { anyOf: [{ type: 'integer' }, list, list] } },
      properties: { x: { $ref: '#/$defs/n' } },
    }
    const listed = (levels: number): Loose => (levels === 0 ? 'no' : [listed(levels - 1)])
    const start = performance.now()
    // The second would otherwise take minutes.
    expect(pathsWrong(schema, { x: listed(14) }, { x: listed(30) })).toEqual([['/x'], ['']])
    expect(performance.now() - start).toBeLessThan(2_000)
  })

  it('SCH-16: doubling through anyOf and $ref is refused, and so is doubling written out; others stay usable', () => {
    const link = (i: number) => ({ $ref: `#/$defs/d${i}` })
    const $defs = Object.fromEntries(
      Array.from({ length: 22 }, (_, i) => [`d${i}`, { anyOf: [link(i + 1), link(i + 1)] }]),
    )
    const chain = { $defs: { ...$defs, d22: { type: 'integer' } }, properties: { x: link(0) } }
    const nested = (depth: number): Loose =>
      depth === 0 ? {} : { anyOf: [nested(depth - 1), nested(depth - 1)] }
    expect(
      [chain, nested(14)].map((schema) => validator.check(schema as Loose).map(({ message }) => message)),
    ).toEqual([
      ['the schema has more than 20000 subschemas when its references are written out'],
      ['the schema has more than 500 subschemas'],
    ])
    expect(() => validator.compile(deepFreeze(chain) as Loose)).toThrow('written out')
    expect(pathsWrong({ type: 'object' }, {})).toEqual([[]])
  })

  it('SCH-17: tools with the same $id are each validated by their own schema', () => {
    const tool = (type: string) => ({
      $id: 'https://s.example.test/in',
      type: 'object',
      properties: { v: { type } },
    })
    expect(pathsWrong(tool('string'), { v: 'x' }, { v: 1 })).toEqual([[], ['/v']])
    expect(pathsWrong(tool('number'), { v: 'x' }, { v: 1 })).toEqual([['/v'], []])
    expect(pathsWrong(tool('number'), { v: 1 })).toEqual([[]])
  })

  it('SCH-19, engine: a schema is compiled once, and nothing of it stays when it is released or dropped', async () => {
    const schema = deepFreeze({ type: 'object', properties: { v: { type: 'string' } } })
    const validate = validator.compile(schema)
    for (let call = 0; call < 1_000; call++) expect(validator.compile(schema)).toBe(validate)

    const released: object[] = []
    const compiled = Array.from({ length: 20 }, (_, i) => compileAndLetGo(i % 2 === 0 ? released : undefined))
    expect(compiled.filter((validator) => validator.deref() !== undefined)).toHaveLength(20)
    await collectGarbage()
    expect(compiled.filter((validator) => validator.deref() !== undefined)).toHaveLength(0)
    expect(released).toHaveLength(10)
  })
})

/** A validator that was used, and whose schema is released and kept in `released`, or else dropped. */
function compileAndLetGo(released: object[] | undefined): WeakRef<object> {
  const schema = deepFreeze({ $id: 'urn:t', properties: { v: { $ref: '#' }, w: { pattern: '(a|a)*$' } } })
  const validate = validator.compile(schema)
  validate({ w: 'b', v: { v: 5 } })
  if (released !== undefined) {
    validator.release(schema)
    released.push(schema)
  }
  return new WeakRef(validate)
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  // A WeakRef keeps its target until the job that made or read it has ended.
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
}
