import { describe, expect, it } from 'vitest'
import { compile, issues, isValid, type Loose, messages } from './schema-fixture.js'

// What counts as evaluated is tested by the official suite, whose verdicts are followed here to the last one.

describe('unevaluated properties and items', () => {
  it('names each property that is left, and what is wrong with one that has to match', () => {
    const strict = {
      properties: { a: true },
      anyOf: [{ properties: { b: true } }],
      unevaluatedProperties: false,
    }
    expect(messages(strict, { a: 1, b: 2, c: 3, d: 4 })).toEqual([
      'unknown argument "c"; allowed: "a"',
      'unknown argument "d"; allowed: "a"',
    ])
    const typed = { allOf: [{ properties: { a: true } }], unevaluatedProperties: { type: 'string' } }
    expect(issues(typed, { a: 1, 'b/c': 2 }).map(({ path, message }) => [path, message])).toEqual([
      ['/b~1c', '"[\\"b/c\\"]" must be a string (got 2)'],
    ])
  })

  it('says how long a list may be, or which of its items is not allowed', () => {
    expect(messages({ prefixItems: [true], unevaluatedItems: false }, [1, 2, 3])).toEqual([
      'the value must have at most 1 item (got a list of 3)',
    ])
    expect(messages({ contains: { type: 'string' }, unevaluatedItems: false }, [1, 'a', 2])).toEqual([
      '"[0]" is not allowed (got 1)',
      '"[2]" is not allowed (got 2)',
    ])
  })

  it('follows a recursion', () => {
    const schema = {
      $defs: {
        node: {
          anyOf: [{ properties: { label: true } }, { type: 'null' }],
          properties: { kids: { items: { $ref: '#/$defs/node' } } },
          unevaluatedProperties: false,
        },
      },
      $ref: '#/$defs/node',
    }
    expect(issues(schema, { kids: [{ label: 1, kids: [null, {}] }] })).toEqual([])
    expect(issues(schema, { kids: [{ kids: [{ lable: 1 }] }] }).map(({ path }) => path)).toEqual([
      '/kids/0/kids/0/lable',
    ])
  })

  it('knows a branch that does nothing but refer to the root or to another definition', () => {
    const schema = {
      $defs: { again: { $ref: '#' }, first: { $ref: '#/$defs/leaf' }, leaf: { properties: { v: true } } },
      properties: { next: { anyOf: [{ $ref: '#/$defs/again' }], unevaluatedProperties: false } },
      anyOf: [{ $ref: '#/$defs/first' }],
      unevaluatedProperties: false,
    }
    expect(issues(schema, { v: 1, next: { v: 2, next: {} } })).toEqual([])
    expect(isValid(schema, { v: 1, next: { w: 1 } })).toBe(false)
  })

  it('fills in defaults, and takes them for given', () => {
    const schema = {
      properties: { a: { default: 1 } },
      anyOf: [{ properties: { b: true }, required: ['b'] }, true],
      unevaluatedProperties: false,
    }
    const value = { b: 2 }
    expect([compile(schema, { applyDefaults: true })(value), value]).toEqual([[], { a: 1, b: 2 }])
  })

  it('takes what stood where a schema has to match, and nothing where one must not', () => {
    const branches = {
      patternProperties: { '^a': true },
      if: true,
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: true,
      else: { properties: { a: true } },
    }
    expect(issues({ unevaluatedProperties: false, ...branches }, { a: 1 })).toEqual([])
    expect(messages({ unevaluatedProperties: false, not: { not: branches } }, { a: 1 })).toEqual([
      'unknown argument "a"',
    ])
  })

  it('gives up where each level validates every level below it once more', () => {
    const nested = (levels: number): Loose => {
      const below = levels === 0 ? { type: 'object' } : nested(levels - 1)
      return { anyOf: [below], unevaluatedProperties: { type: 'integer' } }
    }
    expect([issues(nested(8), { a: 1 }), issues(nested(8), { a: 'x' }).length]).toEqual([[], 1])
    // 2 ** 60 validations, were they not counted.
    expect(messages(nested(60), { a: 1 })).toEqual([
      'the value is too large or too deeply nested to be checked against the schema',
    ])
  })
})
