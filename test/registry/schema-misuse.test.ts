import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'

const city = SchemaProperty.STRING.withEnum('北京', '上海')

describe('what the compiler refuses, and the step as well', () => {
  const { STRING, INTEGER, NUMBER, BOOLEAN, ARRAY } = SchemaProperty

  it('a default outside the enum, whichever comes first', () => {
    // @ts-expect-error kelvin is not in the enum
    expect(() => STRING.withEnum('celsius').withDefault('kelvin')).toThrow('is not one of')
    // @ts-expect-error the enum leaves the default out
    expect(() => STRING.withDefault('kelvin').withEnum('celsius')).toThrow('"kelvin" is not one of')
    // @ts-expect-error 4 is not in the enum
    expect(() => INTEGER.withEnum(1, 2).withDefault(4)).toThrow('is not one of [1,2]')
    // @ts-expect-error the constant leaves the default out
    expect(() => BOOLEAN.withDefault(true).withConst(false)).toThrow('is not false')
    expectTypeOf(STRING.withDefault('celsius').withEnum('celsius', 'kelvin')).toExtend<
      SchemaProperty<'celsius' | 'kelvin', 'celsius' | 'kelvin', 'celsius'>
    >()
  })

  it('a default of another type', () => {
    // @ts-expect-error a number is no string
    expect(() => STRING.withDefault(1)).toThrow('is not of type string')
    // @ts-expect-error null needs nullable()
    expect(() => STRING.withDefault(null)).toThrow('is not of type string')
    // @ts-expect-error a list of strings
    expect(() => SchemaProperty.array(STRING).withDefault([1])).toThrow('has 0, which is not of type string')
    // @ts-expect-error lat is required
    expect(() => SchemaProperty.object({ lat: NUMBER }, { required: ['lat'] }).withDefault({})).toThrow(
      'lacks "lat"',
    )
  })

  it('an enum wider than the one before', () => {
    // @ts-expect-error c was not allowed
    expect(() => STRING.withEnum('a', 'b').withEnum('c')).toThrow('"c" is not one of ["a","b"]')
    // @ts-expect-error null needs nullable()
    expect(() => STRING.withEnum('a', null)).toThrow('null is not of type string')
  })

  it('steps of another JSON type', () => {
    // @ts-expect-error no lengths on an integer
    expect(() => INTEGER.withMinLength(1)).toThrow('withMinLength does not fit a property of type integer')
    // @ts-expect-error no bounds on a string
    expect(() => STRING.withMaximum(1)).toThrow('withMaximum does not fit a property of type string')
    // @ts-expect-error no items in a boolean
    expect(() => BOOLEAN.withItems(STRING)).toThrow('withItems does not fit a property of type boolean')
    // @ts-expect-error no enum on an array
    expect(() => ARRAY.withEnum('a')).toThrow('withEnum does not fit a property of type array')
    // @ts-expect-error nothing to choose for null
    expect(() => SchemaProperty.NULL.withDefault(null)).toThrow(
      'withDefault does not fit a property of type null',
    )
  })

  it('required names that do not exist, and names given twice', () => {
    // @ts-expect-error town does not exist
    expect(() => JsonSchema.builder().addProperty('city', city).addRequired('town')).toThrow(
      '"town" does not exist',
    )
    // @ts-expect-error town does not exist
    expect(() => JsonSchema.object({ city }, { required: ['town'] })).toThrow('"town" does not exist')
    // @ts-expect-error town does not exist
    expect(() => SchemaProperty.object({ city }, { required: ['town'] })).toThrow('"town" does not exist')
    // @ts-expect-error nothing exists yet
    expect(() => JsonSchema.builder().addRequired('city')).toThrow('the properties are: none')
    // @ts-expect-error city exists already
    expect(() => JsonSchema.builder().addProperty('city', city).addProperty('city', city)).toThrow(
      'exists already',
    )
  })

  it('what is no property or no schema', () => {
    // @ts-expect-error a string is no SchemaProperty
    expect(() => JsonSchema.builder().addProperty('city', 'string')).toThrow(
      '(got a string) (at /properties/city)',
    )
    // @ts-expect-error no branches
    expect(() => SchemaProperty.anyOf()).toThrow('at least one')
    // @ts-expect-error a boolean schema is no object
    expect(() => JsonSchema.from(true)).toThrow('must be an object (got a boolean)')
    // @ts-expect-error a valibot schema describes itself only through its converter
    expect(() => JsonSchema.from(v.object({ city: v.string() }))).toThrow('toStandardJsonSchema()')
  })
})
