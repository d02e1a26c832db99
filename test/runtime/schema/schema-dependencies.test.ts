import { describe, expect, it } from 'vitest'
import { compile, DRAFT_07, issues, messages } from './schema-fixture.js'

describe('dependent properties', () => {
  it.each([
    ['dependentRequired', {}],
    ['dependencies', {}],
    ['dependencies', { $schema: DRAFT_07 }],
  ])('names each property that %s asks for', (keyword, dialect) => {
    const schema = { ...dialect, [keyword]: { card: ['name', 'cvc'], gift: ['note'] } }
    expect(issues(schema, { card: 1, name: 'x', gift: true })).toEqual([
      {
        path: '/cvc',
        keyword,
        message: 'missing required argument "cvc" (required when "card" is given)',
        params: { property: 'card', missingProperty: 'cvc' },
      },
      {
        path: '/note',
        keyword,
        message: 'missing required argument "note" (required when "gift" is given)',
        params: { property: 'gift', missingProperty: 'note' },
      },
    ])
    expect(issues(schema, { name: 'x' })).toEqual([])
  })

  it('checks lists of names and schemas side by side', () => {
    const schema = {
      $schema: DRAFT_07,
      dependencies: { a: ['b'], c: { required: ['d'] }, e: false, f: true },
    }
    expect(messages(schema, { a: 1, c: 1, e: 1, f: 1 })).toEqual([
      'missing required argument "b" (required when "a" is given)',
      'missing required argument "d"',
      'the value is not allowed (got an object)',
    ])
    expect(messages(schema, { a: 1, b: 1, c: 1, d: 1, f: 1 })).toEqual([])
  })

  it('does not take an inherited property for one that was given', () => {
    expect(issues({ dependentRequired: { toString: ['a'], b: ['valueOf'] } }, {})).toEqual([])
    expect(messages({ dependentRequired: { b: ['valueOf'] } }, { b: 1 })).toEqual([
      'missing required argument "valueOf" (required when "b" is given)',
    ])
  })

  // Ajv's own code for these took the whole stack, after half a minute for the second one.
  it('compiles as many names as are taken', () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `p${i}`)
    const wide = compile({ dependentRequired: Object.fromEntries(names.map((name) => [name, ['a']])) })
    expect([wide({ p7: 1, a: 1 }).length, wide({ p7: 1 }).length]).toEqual([0, 1])
    const deep = compile({ dependentRequired: { a: names } })
    expect([deep({}).length, deep({ a: 1 }).length]).toEqual([0, 1])
  })
})
