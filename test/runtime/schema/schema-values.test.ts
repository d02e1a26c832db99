import { describe, expect, it } from 'vitest'
import { isValid, messages } from './schema-fixture.js'

describe('names and values', () => {
  it('does not take an inherited property for one that was given', () => {
    const schema = {
      required: ['toString'],
      properties: { constructor: { type: 'string' }, valueOf: { type: 'integer' } },
    }
    expect(messages(schema, {})).toEqual(['missing required argument "toString"'])
    expect(messages(schema, { toString: 1, constructor: 'x' })).toEqual([])
    expect(messages(schema, { toString: 1, constructor: 5 })).toEqual([
      '"constructor" must be a string (got 5)',
    ])
  })

  it('takes __proto__ in a value as a property like any other', () => {
    const value = JSON.parse('{"__proto__":{"a":1}}')
    expect(messages({ additionalProperties: false }, value)).toEqual([
      'unknown argument "__proto__"; none is allowed here',
    ])
    expect(messages({ minProperties: 1 }, value)).toEqual([])
    expect(messages({ required: ['a'] }, value)).toEqual(['missing required argument "a"'])
  })

  it('compares by JSON equality, whatever properties the values bring', () => {
    expect(
      isValid({ const: { valueOf: 1, toString: { a: [1] } } }, { toString: { a: [1] }, valueOf: 1 }),
    ).toBe(true)
    expect(isValid({ enum: [{ constructor: {} }, 'x'] }, { constructor: {} })).toBe(true)
    expect(isValid({ enum: [{ a: 1 }] }, { a: 2 })).toBe(false)
    expect(isValid({ enum: [{ a: 1 }, '{"a":1}'] }, '{"a":1}')).toBe(true)
    expect(messages({ uniqueItems: true }, [{ a: 1, b: 2 }, 'x', { b: 2, a: 1 }])).toEqual([
      'the value must not repeat an item (items 0 and 2 are equal) (got a list of 3)',
    ])
    expect(isValid({ uniqueItems: true }, ['1', 1, true, 'true', null, 'null', [], {}, '[]'])).toBe(true)
    expect(isValid({ uniqueItems: false }, [1, 1])).toBe(true)
  })

  it('does not take a name of Object for a format', () => {
    expect(isValid({ type: 'string', format: 'constructor' }, 'x')).toBe(true)
    expect(isValid({ type: 'string', format: '__proto__' }, 'x')).toBe(true)
  })

  it('takes a decimal for the multiple that it is', () => {
    expect([isValid({ multipleOf: 0.01 }, 19.99), isValid({ multipleOf: 0.1 }, 0.35)]).toEqual([true, false])
  })

  it('is exact about multiples where the quotient is beyond all numbers', () => {
    expect([isValid({ multipleOf: 0.5 }, 1e308), isValid({ multipleOf: 0.123456789 }, 1e308)]).toEqual([
      true,
      false,
    ])
  })

  it('runs no keyword of a stranger: of Ajv, its plugins, OpenAPI and older drafts', () => {
    const a = {
      format: 'date',
      formatMinimum: '2020-01-01',
      instanceof: 'Date',
      typeof: 'undefined',
      regexp: '/x/',
      transform: ['toUpperCase'],
      discriminator: { propertyName: 'k' },
      $recursiveRef: '#/no',
      $merge: { source: {}, with: false },
      extends: false,
      disallow: 'string',
    }
    expect(isValid({ properties: { a } }, { a: '2019-01-01' })).toBe(true)
    const data = { properties: { a: { const: { $data: '1/b' } } } }
    expect([isValid(data, { a: 'x', b: 'x' }), isValid(data, { a: { $data: '1/b' } })]).toEqual([false, true])
  })

  it('takes nullable for the annotation that it is', () => {
    expect(isValid({ type: 'string', nullable: true }, null)).toBe(false)
    expect(isValid({ nullable: true }, null)).toBe(true)
  })
})
