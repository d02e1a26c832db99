import { describe, expect, it } from 'vitest'
import { ValidationBudget, ValidationTooLargeError } from '../../../src/runtime/schema/schema-budget.js'
import { budgetedFormats } from '../../../src/runtime/schema/schema-formats.js'
import { compile, isValid, type Loose, messages } from './schema-fixture.js'

const TOO_LARGE = ['the value is too large or too deeply nested to be checked against the schema']
const LONG = 'y'.repeat(2_000_000)

/** A value inside so many lists. */
function listed(levels: number, value: unknown): unknown {
  return levels === 0 ? value : [listed(levels - 1, value)]
}

/** A recursive union that tries its lists twice on every level, beside `forms`. */
function doubling(...forms: Loose[]): Loose {
  const list = { type: 'array', items: { $ref: '#/$defs/n' } }
  return { $defs: { n: { anyOf: [...forms, list, list] } }, $ref: '#/$defs/n' }
}

/** Answers of a value that would take minutes, or more memory than there is, without a bound. */
function boundedMessages(schema: Loose, value: unknown): readonly string[] {
  const validate = compile(schema)
  const start = performance.now()
  const found = validate(value)
  expect(performance.now() - start).toBeLessThan(2_000)
  return found.map(({ message }) => message)
}

describe('ValidationBudget', () => {
  it('ends the validation that spends more, and serves the next one in full', () => {
    const budget = new ValidationBudget(10)
    budget.spend(6)
    expect(() => budget.spend(6)).toThrow(ValidationTooLargeError)
    budget.refill()
    budget.spend(10)
    expect(() => budget.spendOn('')).toThrow(ValidationTooLargeError)
  })

  it('is taken from by every format of texts', () => {
    const budget = new ValidationBudget(100)
    const free = Object.entries(budgetedFormats(budget)).filter(([, format]) => {
      budget.refill()
      try {
        if (typeof format === 'function') format(LONG)
        return true
      } catch {
        return false
      }
    })
    expect(free.map(([name]) => name)).toEqual(['int32', 'int64', 'float', 'double', 'password', 'binary'])
  })
})

describe('a pattern on a text that is too long for it', () => {
  const pattern = '(a|a)*b'
  const text = `${'a'.repeat(3_000_000)}b`

  it.each<[string, Loose]>([
    ['pattern', { pattern }],
    ['not', { not: { pattern } }],
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ['if', { if: { pattern }, then: false }],
    ['anyOf', { anyOf: [{ pattern }, { minLength: 1 }] }],
    ['contains', { contains: { pattern }, maxContains: 1 }],
  ])('is neither a match nor none under %s', (keyword, schema) => {
    expect(messages(schema, keyword === 'contains' ? [text] : text)).toEqual(TOO_LARGE)
  })

  it('is neither a match nor none as a name of patternProperties', () => {
    expect(messages({ patternProperties: { [pattern]: false } }, { [text]: 1 })).toEqual(TOO_LARGE)
    expect(
      messages({ patternProperties: { [pattern]: {} }, additionalProperties: false }, { [text]: 1 }),
    ).toEqual(TOO_LARGE)
  })

  it('does not disturb the next value', () => {
    const validate = compile({ not: { pattern } })
    expect([text, 'a', 'ab'].map((value) => validate(value).map(({ keyword }) => keyword))).toEqual([
      ['size'],
      [],
      ['not'],
    ])
  })
})

describe('what adds up in one validation', () => {
  it.each<[string, Loose, unknown]>([
    [
      'many texts on a large pattern',
      { items: { pattern: '(?:a|aa){330}z' } },
      Array(100).fill('a'.repeat(2_500)),
    ],
    [
      'many texts on a small pattern',
      { items: { not: { pattern: '(a|b|ab)+c' } } },
      Array(20_000).fill('ab'.repeat(100)),
    ],
    [
      'many names on many patterns',
      {
        patternProperties: Object.fromEntries(
          Array.from({ length: 100 }, (_, i) => [`(?:a|aa){60}z${i}`, false]),
        ),
      },
      Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${'a'.repeat(1_000)}${i}`, 1])),
    ],
    [
      'unique items in unique items',
      { type: ['array', 'string'], uniqueItems: true, items: { $ref: '#' } },
      listed(190, LONG),
    ],
    [
      'comparisons with objects',
      { items: { enum: Array.from({ length: 10_000 }, (_, i) => ({ i })) } },
      Array(20_000).fill({ i: 9_999 }),
    ],
    ['length in a recursive union', doubling({ type: 'string', minLength: 5_000_000 }), listed(14, LONG)],
    ['a format in a recursive union', doubling({ type: 'string', format: 'uri' }), listed(14, `y:${LONG} `)],
    [
      'members in a recursive union',
      doubling({ minProperties: 1_000_000, type: 'object' }),
      listed(14, Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`q${i}`, 1]))),
    ],
    [
      'errors in a recursive union',
      doubling(...Array.from({ length: 250 }, (_, i) => ({ const: i }))),
      listed(14, 'no'),
    ],
    [
      'items in a recursive union',
      doubling({ type: 'array', items: { anyOf: Array.from({ length: 200 }, (_, i) => ({ const: i })) } }),
      listed(14, Array(1_000).fill('no')),
    ],
    [
      'names in a recursive union',
      doubling({
        type: 'object',
        propertyNames: { anyOf: Array.from({ length: 200 }, (_, i) => ({ const: `k${i}` })) },
      }),
      listed(14, Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`q${i}`, 1]))),
    ],
    [
      'errors of contains',
      { contains: { anyOf: Array.from({ length: 290 }, (_, i) => ({ const: i })) } },
      Array(16_000).fill('no'),
    ],
  ])('refuses %s as too large', (_, schema, value) => {
    expect(boundedMessages(schema, value)).toEqual(TOO_LARGE)
  })

  it.each<[string, Loose, unknown]>([
    ['a text at which no pattern has to look twice', { pattern: '^[a-z]+$', maxLength: 2_000_000 }, LONG],
    ['many short texts', { items: { pattern: '(a|b|ab)+c', minLength: 1 } }, Array(10_000).fill('ababc')],
    [
      'a large tree',
      { properties: { kids: { items: { $ref: '#' } }, label: { type: 'string' } } },
      { kids: Array(20_000).fill({ label: 'x', kids: [] }) },
    ],
    [
      'a list of one of many forms',
      { items: { anyOf: Array.from({ length: 20 }, (_, i) => ({ properties: { k: { const: i } } })) } },
      Array(5_000).fill({ k: 19 }),
    ],
    [
      'a long enum',
      { items: { enum: Array.from({ length: 40_000 }, (_, i) => `k${i}`) } },
      Array(20_000).fill('k39999'),
    ],
  ])('takes %s', (_, schema, value) => {
    expect(isValid(schema, value)).toBe(true)
  })

  it('compares one value with many forms only as far as they differ', () => {
    const anyOf = Array.from({ length: 450 }, (_, i) => ({ const: { a: i } }))
    expect(boundedMessages({ anyOf }, { a: LONG })).toEqual([
      'the value must match one of the allowed forms: {"a":0}; {"a":1}; {"a":2}; {"a":3}; {"a":4}; … (got an object)',
    ])
  })

  it('works out only what it tells of a union: errors without end on every level', () => {
    const list = { type: 'array', items: { $ref: '#/$defs/n' } }
    const schema = {
      $defs: { n: { anyOf: [{ type: 'integer' }, list, list] } },
      properties: { x: { $ref: '#/$defs/n' } },
    }
    expect(boundedMessages(schema, { x: listed(14, 'no') })).toEqual([
      '"x" must match one of the allowed forms: an integer; an array (got a list of 1)',
    ])
  })

  it('compares no more of the paths of errors than it can tell', () => {
    const schema = {
      anyOf: [
        { type: 'integer' },
        { items: { $ref: '#' }, type: 'array' },
        { additionalProperties: { $ref: '#' }, type: 'object' },
      ],
    }
    let value: unknown = Array(3_000).fill('no')
    for (let level = 0; level < 150; level++) value = { ['k'.repeat(10_000)]: value }
    expect(boundedMessages(schema, value)).toEqual([
      'the value must match one of the allowed forms: an integer; an array; an object (got an object)',
    ])
  })
})
