import { describe, expect, it } from 'vitest'
import { DRAFT_07, issues, type Loose, messages } from './schema-fixture.js'

describe('messages', () => {
  it('gives path, keyword, sentence and the rule in machine form', () => {
    expect(issues({ properties: { city: { enum: ['北京', '上海'] } } }, { city: 'Paris' })).toEqual([
      {
        path: '/city',
        keyword: 'enum',
        message: '"city" must be one of "北京", "上海" (got "Paris")',
        params: { allowedValues: ['北京', '上海'] },
      },
    ])
  })

  it.each<[Loose, unknown, string]>([
    [{ type: 'object' }, 5, 'the value must be an object (got 5)'],
    [
      { properties: { a: { type: ['string', 'null'] } } },
      { a: [1, 2] },
      '"a" must be a string or null (got a list of 2)',
    ],
    [{ properties: { days: { maximum: 7 } } }, { days: 9 }, '"days" must be <= 7 (got 9)'],
    [{ properties: { days: { exclusiveMinimum: 0 } } }, { days: 0 }, '"days" must be > 0 (got 0)'],
    [{ properties: { n: { multipleOf: 5 } } }, { n: 7 }, '"n" must be a multiple of 5 (got 7)'],
    [{ properties: { q: { minLength: 3 } } }, { q: 'a' }, '"q" must have at least 3 characters (got "a")'],
    [{ properties: { q: { maxItems: 1 } } }, { q: [1, 2] }, '"q" must have at most 1 item (got a list of 2)'],
    [
      { properties: { q: { minProperties: 2 } } },
      { q: {} },
      '"q" must have at least 2 properties (got an object)',
    ],
    [{ properties: { k: { const: 'add' } } }, { k: 'sub' }, '"k" must be "add" (got "sub")'],
    [
      { properties: { u: { pattern: '^https' } } },
      { u: 'ftp://x' },
      '"u" must match the pattern ^https (got "ftp://x")',
    ],
    [
      { properties: { checkIn: { format: 'date' } } },
      { checkIn: 'tomorrow' },
      '"checkIn" must be a date such as 2026-01-31 (got "tomorrow")',
    ],
    [
      { properties: { p: { format: 'json-pointer' } } },
      { p: 'x' },
      '"p" must be in the format "json-pointer" (got "x")',
    ],
    [{ properties: { a: false } }, { a: 1 }, '"a" is not allowed (got 1)'],
    [{ properties: { a: { not: { const: 1 } } } }, { a: 1 }, '"a" has a form that is not allowed (got 1)'],
    [
      { properties: { a: { contains: { const: 1 } } } },
      { a: [2] },
      '"a" must contain at least 1 item of the required form (got a list of 1)',
    ],
    [{ prefixItems: [{}], items: false }, [1, 2], 'the value must have at most 1 item (got a list of 2)'],
    [
      { $schema: DRAFT_07, items: [{}], additionalItems: false },
      [1, 2],
      'the value must have at most 1 item (got a list of 2)',
    ],
    [{ required: ['checkIn'] }, {}, 'missing required argument "checkIn"'],
    [
      { properties: { guest: { required: ['name'] } } },
      { guest: {} },
      'missing required argument "guest.name"',
    ],
    [
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      'missing required argument "b" (required when "a" is given)',
    ],
    [
      { $schema: DRAFT_07, dependencies: { a: ['b'] } },
      { a: 1 },
      'missing required argument "b" (required when "a" is given)',
    ],
    [
      { properties: { city: {}, unit: {} }, additionalProperties: false },
      { foo: 1 },
      'unknown argument "foo"; allowed: "city", "unit"',
    ],
    [
      { patternProperties: { '^x-': {} }, additionalProperties: false },
      { foo: 1 },
      'unknown argument "foo"; allowed: names matching ^x-',
    ],
    [
      { propertyNames: { pattern: '^[a-z]+$' } },
      { 'A B': 1 },
      'the name "A B" must match the pattern ^[a-z]+$',
    ],
    [
      { properties: { rooms: { items: { properties: { 'bed size': { type: 'integer' } } } } } },
      { rooms: [{}, { 'bed size': 'x' }] },
      '"rooms[1][\\"bed size\\"]" must be an integer (got "x")',
    ],
    [
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      { if: { properties: { a: { const: 1 } } }, then: { required: ['b'] } },
      { a: 1 },
      'missing required argument "b"',
    ],
  ])('%j on %j', (schema, value, message) => {
    expect(messages(schema, value)).toEqual([message])
  })

  it('lists everything wrong in the order of the schema', () => {
    const schema = {
      properties: {
        city: { type: 'string' },
        days: { type: 'integer', maximum: 7 },
        unit: { enum: ['c'] },
      },
      required: ['from'],
      additionalProperties: false,
    }
    expect(issues(schema, { unit: 'x', extra: 1, days: 9, city: 1 }).map(({ path }) => path)).toEqual([
      '/from',
      '/extra',
      '/city',
      '/days',
      '/unit',
    ])
  })

  it('says one thing once', () => {
    expect(messages({ allOf: [{ required: ['a'] }, { required: ['a'] }] }, {})).toEqual([
      'missing required argument "a"',
    ])
  })

  it('stops at twenty and counts the rest', () => {
    const found = messages({ items: { type: 'string' } }, Array(50).fill(1))
    expect([found.length, found[19], found[20]]).toEqual([
      21,
      '"[19]" must be a string (got 1)',
      'and 30 more',
    ])
  })

  it('shortens long values and lists, without cutting a character in half', () => {
    const long = `${'x'.repeat(59)}😀${'y'.repeat(1_000)}`
    expect(messages({ properties: { a: { maxLength: 5 } } }, { a: long })).toEqual([
      `"a" must have at most 5 characters (got "${'x'.repeat(59)}…")`,
    ])
    const many = Array.from({ length: 300 }, (_, i) => i)
    expect(messages({ enum: many }, 'x')).toEqual([
      `the value must be one of ${many.slice(0, 20).join(', ')} … (300 in all) (got "x")`,
    ])
  })

  it.each<[string, Loose, unknown]>([
    [
      'long enums',
      { items: { enum: Array.from({ length: 50 }, (_, i) => `${i} ${'x'.repeat(100)}`) } },
      Array(50).fill('y'.repeat(500)),
    ],
    [
      'many patterns',
      {
        items: {
          patternProperties: Object.fromEntries(Array.from({ length: 490 }, (_, i) => [`^${i}`, {}])),
          additionalProperties: false,
        },
      },
      Array(50).fill({ x: 1 }),
    ],
    [
      'wide unions',
      {
        items: {
          anyOf: Array.from({ length: 9 }, (_, form) => ({
            required: Array.from({ length: 30 }, (_, i) => `${form}${i}${'\n'.repeat(60)}`),
          })),
        },
      },
      Array(50).fill({}),
    ],
    ['characters to be escaped', { items: { const: '\0'.repeat(60) } }, Array(50).fill('\0'.repeat(60_000))],
  ])('stays short enough to be read, whatever the schema and the value: %s', (_, schema, value) => {
    const found = messages(schema, value)
    expect(Math.max(...found.map((message) => message.length))).toBeLessThanOrEqual(1_501)
    expect(found.join('; ').length).toBeLessThan(7_000)
    expect(found.at(-1)).toMatch(/^and \d+ more$/)
  })
})
