import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { convertArguments } from '../../src/runtime/arguments/argument-conversion.js'
import { ArgumentsCopy } from '../../src/runtime/arguments/arguments-copy.js'
import { convertScalar } from '../../src/runtime/arguments/scalar-conversion.js'
import { SchemaValidator } from '../../src/runtime/schema/schema-validator.js'

const TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'] as const

const texts = fc.oneof(
  fc.string(),
  fc.integer().map(String),
  fc.double().map(String),
  fc.stringMatching(/^-?0?\d{1,18}(\.\d{1,4})?$/),
  fc.constantFrom('true', 'false', 'null', '[]', '{}', '["1"]', '{"a":"1"}', '-0', '+1', '1e3', ''),
)
const scalars = fc.oneof(
  texts,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)

/** Objects whose members are a, b and c, against schemas of types, lists, unions and nested objects. */
const schemas = fc.letrec<{ readonly schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...TYPES).map((type) => ({ type })),
    fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 }).map((type) => ({ type })),
    tie('schema').map((items) => ({ type: 'array', items })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc
      .dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'))
      .map((properties) => ({ type: 'object', properties })),
  ),
})).schema
const values = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
  ),
})).value

describe('conversion, for any schema and any value', () => {
  const converted = (schema: object, value: unknown) => {
    const { document } = JsonSchema.from({ type: 'object', properties: { v: schema } })
    const validator = new SchemaValidator()
    const args = { v: structuredClone(value) }
    const validate = validator.compile(document)
    const before = validate(args)
    const rules = { repair: true, coercion: true, isBound: () => false }
    const check = {
      mismatches: validator.mismatches(document),
      isValid: (value: unknown) => validate(value).length === 0,
    }
    convertArguments(args, check, rules, new ArgumentsCopy('any'))
    return { wasValid: before.length === 0, args, after: validate(args) }
  }

  it('changes no valid value', { timeout: 60_000 }, () => {
    let valid = 0
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const { wasValid, args } = converted(schema, value)
        if (!wasValid) return
        valid++
        expect(args).toEqual({ v: value })
      }),
      { numRuns: 400 },
    )
    expect(valid).toBeGreaterThan(20)
  })

  it('means what was sent: written back as text, what was converted is the text that was there', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        expect(meansTheSame(value, converted(schema, value).args.v)).toBe(true)
      }),
      { numRuns: 400 },
    )
  })

  it('is the same when it is done again', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const { args, after } = converted(schema, value)
        fc.pre(after.length === 0)
        expect(converted(schema, args.v).args).toEqual(args)
      }),
      { numRuns: 200 },
    )
  })
})

describe('convertScalar', () => {
  it('gives nothing for which the text is not written the same, but for trailing zeros of a fraction', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom('integer', 'number'), (text, type) => {
        const number = convertScalar(text, type)
        if (number === undefined) return
        const [whole, fraction = ''] = text.split('.')
        const trimmed = fraction.replace(/0+$/, '')
        expect(String(number)).toBe(trimmed === '' ? whole : `${whole}.${trimmed}`)
        expect(Number.isInteger(number) ? Number.isSafeInteger(number) : type === 'number').toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes every safe integer, there and back', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (integer) => {
        fc.pre(!Object.is(integer, -0))
        expect(convertScalar(String(integer), 'integer')).toBe(integer)
        expect(convertScalar(integer, 'string')).toBe(String(integer))
      }),
    )
  })

  it('has no conversion to null, from null, or from a boolean', () => {
    for (const type of TYPES)
      for (const value of [null, true, false]) expect(convertScalar(value, type)).toBeUndefined()
    fc.assert(fc.property(scalars, (value) => convertScalar(value, 'null') === undefined))
  })
})

/** By another road than the conversion: each converted place is compared with what stood there. */
function meansTheSame(sent: unknown, got: unknown): boolean {
  if (Object.is(sent, got)) return true
  if (typeof sent === 'number') return typeof got === 'string' && Number(got) === sent
  if (typeof sent === 'string') {
    if (typeof got === 'number' || typeof got === 'boolean') return JSON.parse(sent) === got
    return typeof got === 'object' && got !== null && meansTheSame(JSON.parse(sent), got)
  }
  if (typeof sent !== 'object' || sent === null || typeof got !== 'object' || got === null) return false
  const names = Object.keys(sent)
  return (
    Array.isArray(sent) === Array.isArray(got) &&
    names.length === Object.keys(got).length &&
    names.every((name) =>
      meansTheSame((sent as Record<string, unknown>)[name], (got as Record<string, unknown>)[name]),
    )
  )
}
