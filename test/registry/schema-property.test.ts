import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaError } from '../../src/registry/schema-error.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { SchemaValidator } from '../../src/runtime/schema/schema-validator.js'

const { STRING, NUMBER, INTEGER, BOOLEAN, NULL, ARRAY } = SchemaProperty

describe('SchemaProperty', () => {
  it('writes what each step says', () => {
    expect(
      STRING.withTitle('City')
        .withDescription('City name')
        .withMinLength(1)
        .withMaxLength(10)
        .withPattern('^\\p{L}+$')
        .withFormat('city')
        .withExamples('Rome')
        .withDefault('Bonn')
        .withDeprecated()
        .withWriteOnly().document,
    ).toEqual({
      type: 'string',
      title: 'City',
      description: 'City name',
      minLength: 1,
      maxLength: 10,
      pattern: '^\\p{L}+$',
      format: 'city',
      examples: ['Rome'],
      default: 'Bonn',
      deprecated: true,
      writeOnly: true,
    })
    expect(NUMBER.withExclusiveMinimum(0).withExclusiveMaximum(1).withMultipleOf(0.5).document).toEqual({
      type: 'number',
      exclusiveMinimum: 0,
      exclusiveMaximum: 1,
      multipleOf: 0.5,
    })
    expect(INTEGER.withMinimum(1).withMaximum(7).withEnum(1, 7).document).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 7,
      enum: [1, 7],
    })
    expect(BOOLEAN.withConst(true).document).toEqual({ type: 'boolean', const: true })
    expect(SchemaProperty.array(NULL).withMinItems(0).withMaxItems(2).withUniqueItems().document).toEqual({
      type: 'array',
      items: { type: 'null' },
      minItems: 0,
      maxItems: 2,
      uniqueItems: true,
    })
    expect(ARRAY.withItems(STRING).document).toEqual(SchemaProperty.array(STRING).document)
    expect(SchemaProperty.anyOf(STRING, INTEGER).withDefault(1).document).toEqual({
      anyOf: [{ type: 'string' }, { type: 'integer' }],
      default: 1,
    })
    expect(SchemaProperty.raw({ $ref: '#/$defs/a', 'x-order': 1 }).document).toEqual({
      $ref: '#/$defs/a',
      'x-order': 1,
    })
  })

  it('writes nested objects, from properties or from a whole schema', () => {
    const point = {
      type: 'object',
      properties: { lat: { type: 'number' } },
      required: ['lat'],
      additionalProperties: false,
    }
    expect(SchemaProperty.object({ lat: NUMBER }, { required: ['lat'] }).document).toEqual(point)
    expect(SchemaProperty.object(JsonSchema.object({ lat: NUMBER }, { required: ['lat'] })).document).toEqual(
      point,
    )
    expect(SchemaProperty.object({ document: NUMBER }).document).toEqual({
      type: 'object',
      properties: { document: { type: 'number' } },
      additionalProperties: false,
    })
  })

  it('refuses to nest a schema whose meaning would change', () => {
    const referring = JsonSchema.from({
      type: 'object',
      $defs: { a: {} },
      properties: { x: { $ref: '#/$defs/a' } },
    })
    expect(() => SchemaProperty.object(referring)).toThrow('(at /properties/x/$ref)')
    expect(() => SchemaProperty.object(JsonSchema.from({ type: 'string' }))).toThrow('of type "object"')
  })

  it('returns a new, frozen property from each step', () => {
    const plain = STRING.withDescription('a')
    const chosen = plain.withEnum('x')
    expect(plain.document).toEqual({ type: 'string', description: 'a' })
    expect(STRING.document).toEqual({ type: 'string' })
    expect(() => (chosen.document.enum as string[]).push('y')).toThrow(TypeError)
    expect(() => Object.assign(chosen, { document: {} })).toThrow(TypeError)
  })

  it('keeps copies of what it is given', () => {
    const items = ['a']
    const raw = { enum: items }
    const property = SchemaProperty.raw(raw)
    items.push('b')
    expect(property.document).toEqual({ enum: ['a'] })
    expect(Object.isFrozen(raw) || Object.isFrozen(items)).toBe(false)
  })
})

describe('nullable', () => {
  it('adds null to the type, the enum and the constant, once', () => {
    const expected = { type: ['string', 'null'], enum: ['s', 'm', null], default: null }
    expect(STRING.withEnum('s', 'm').nullable().withDefault(null).document).toEqual(expected)
    expect(STRING.nullable().withDefault(null).withEnum('s', 'm').document).toEqual(expected)
    expect(STRING.nullable().withEnum('s', 'm', null).nullable().withDefault(null).document).toEqual(expected)
    const constant = { type: ['integer', 'null'], enum: [5, null] }
    expect(INTEGER.withConst(5).nullable().document).toEqual(constant)
    expect(INTEGER.nullable().withConst(5).document).toEqual(constant)
  })

  it('adds a branch to a union that does not take null yet', () => {
    const union = { anyOf: [{ type: 'string' }, { type: 'null' }] }
    expect(SchemaProperty.anyOf(STRING).nullable().nullable().document).toEqual(union)
    expect(SchemaProperty.anyOf(STRING, NULL).nullable().document).toEqual(union)
    expect(SchemaProperty.oneOf(STRING, NULL).nullable().document).toEqual({ oneOf: union.anyOf })
    expect(() => SchemaProperty.oneOf(STRING.nullable(), NULL).nullable()).toThrow('several schemas of oneOf')
  })

  it('wraps a raw schema and keeps its annotations outside, where a default works', () => {
    const raw = SchemaProperty.raw<string>({ $ref: '#/$defs/a' }).withDescription('d').withDefault('x')
    expect(raw.nullable().document).toEqual({
      anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }],
      description: 'd',
      default: 'x',
    })
  })
})

describe('a step that makes no sense', () => {
  it.each<[string, () => unknown]>([
    ['withMaximum: minimum 5 and maximum 1 leave no value', () => NUMBER.withMinimum(5).withMaximum(1)],
    ['withMinimum: minimum 5 and maximum 1 leave no value', () => NUMBER.withMaximum(1).withMinimum(5)],
    ['exclusiveMinimum 1 and maximum 1 leave no value', () => NUMBER.withExclusiveMinimum(1).withMaximum(1)],
    ['minimum 1 and exclusiveMaximum 1 leave no value', () => NUMBER.withExclusiveMaximum(1).withMinimum(1)],
    ['withMinimum: a finite number is needed (got NaN)', () => NUMBER.withMinimum(Number.NaN)],
    ['withMaximum: a finite number is needed (got Infinity)', () => NUMBER.withMaximum(Infinity)],
    ['withMultipleOf: a number above 0 is needed (got 0)', () => NUMBER.withMultipleOf(0)],
    ['withMinLength: an integer from 0 is needed (got -1)', () => STRING.withMinLength(-1)],
    ['withMaxItems: an integer from 0 is needed (got 1.5)', () => ARRAY.withMaxItems(1.5)],
    [
      'withMaxLength: minLength 3 and maxLength 2 leave no value',
      () => STRING.withMinLength(3).withMaxLength(2),
    ],
    ['withMinItems: minItems 3 and maxItems 2 leave no value', () => ARRAY.withMaxItems(2).withMinItems(3)],
    ['withPattern: "(?i)x" is no regular expression', () => STRING.withPattern('(?i)x')],
    [
      'withPattern: a string is needed, of a RegExp its source (got an instance of RegExp)',
      () => STRING.withPattern(/a/ as never),
    ],
    ['withFormat: a non-empty string is needed (got "")', () => STRING.withFormat('')],
    ['withEnum: at least one value is needed', () => STRING.withEnum()],
    ['withEnum must be plain JSON (got NaN) (at /0)', () => NUMBER.withEnum(Number.NaN)],
    ['withEnum: 1.5 is not of type integer', () => INTEGER.withEnum(1.5)],
    ['withEnum: 9 is above the maximum 7', () => INTEGER.withMaximum(7).withEnum(9)],
    ['withMaximum: the enum value 9 is above the maximum 7', () => INTEGER.withEnum(9).withMaximum(7)],
    ['withDefault: the default 0 is below the minimum 1', () => INTEGER.withMinimum(1).withDefault(0)],
    ['withMinimum: the default 0 is below the minimum 1', () => INTEGER.withDefault(0).withMinimum(1)],
    ['the default "👍" is shorter than 2', () => STRING.withDefault('👍').withMinLength(2)],
    ['the default "ab" does not match ^c', () => STRING.withPattern('^c').withDefault('ab')],
    ['the default 3 is no multiple of 2', () => INTEGER.withMultipleOf(2).withDefault(3)],
    [
      'the default [1,1] has an item twice',
      () => SchemaProperty.array(INTEGER).withUniqueItems().withDefault([1, 1]),
    ],
    ['the default true fits none of anyOf', () => SchemaProperty.anyOf(STRING).withDefault(true as never)],
    ['the example "b" is not one of ["a"]', () => STRING.withEnum('a').withExamples('b' as never)],
    [
      'raw: the default 1 is not of type string (at /default)',
      () => SchemaProperty.raw({ type: 'string', default: 1 }),
    ],
    ['undefined is no JSON value', () => STRING.withDefault(undefined as never)],
    ['for null alone use SchemaProperty.NULL', () => STRING.nullable().withConst(null as never)],
    ['at /items', () => SchemaProperty.array('string' as never)],
    ['at /anyOf/1', () => SchemaProperty.anyOf(STRING, {} as never)],
  ])('is refused: %s', (message, step) => {
    expect(step).toThrow(SchemaError)
    expect(step).toThrow(message)
  })

  it('takes a pattern that is legal only without the u flag', () => {
    expect(STRING.withPattern('^https\\:').withDefault('https:').document.default).toBe('https:')
  })

  it('takes a decimal default for the multiple that it is', () => {
    expect(NUMBER.withMultipleOf(0.1).withDefault(0.3).document.default).toBe(0.3)
    expect(NUMBER.withDefault(19.99).withMultipleOf(0.01).document.default).toBe(19.99)
  })

  it('agrees with the validation of a call on which defaults fit', () => {
    const validator = new SchemaValidator()
    const properties = [
      INTEGER.withMinimum(-2).withMaximum(3),
      NUMBER.withExclusiveMinimum(0).withMultipleOf(0.1),
      STRING.withMinLength(1).withMaxLength(2).nullable(),
      STRING.withEnum('a', 'b').nullable(),
      SchemaProperty.array(INTEGER.withMinimum(0)).withMinItems(1).withUniqueItems(),
      SchemaProperty.object({ a: INTEGER, b: STRING.withDefault('x') }, { required: ['a'] }),
      SchemaProperty.oneOf(INTEGER, NUMBER.withMinimum(2)),
      SchemaProperty.anyOf(STRING, SchemaProperty.array(BOOLEAN)),
    ].map(({ document }) => ({ document, validate: validator.compile(document, { applyDefaults: true }) }))
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.integer({ min: -3, max: 4 }),
      fc.integer({ min: 0, max: 10_000 }).map((tenths) => tenths * 0.1),
      fc.string({ maxLength: 3, unit: 'grapheme' }),
      fc.array(fc.integer({ min: -1, max: 2 }), { maxLength: 3 }),
      fc.record({ a: fc.oneof(fc.integer(), fc.string()), b: fc.string() }, { requiredKeys: [] }),
    )
    fc.assert(
      fc.property(value, (candidate) => {
        for (const { document, validate } of properties) {
          const isTaken = doesNotThrow(() => SchemaProperty.raw({ ...document, default: candidate }))
          expect(isTaken).toBe(validate(JSON.parse(JSON.stringify(candidate))).length === 0)
        }
      }),
      { numRuns: 500 },
    )
  })
})

function doesNotThrow(step: () => unknown): boolean {
  try {
    step()
    return true
  } catch {
    return false
  }
}
