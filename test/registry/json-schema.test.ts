import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'

const { STRING, NUMBER, INTEGER } = SchemaProperty
const city = STRING.withDescription('City name').withEnum('北京', '上海')
const unit = STRING.withEnum('celsius', 'fahrenheit').withDefault('celsius')

/** Whether real Ajv takes the arguments, defaults filled in. */
function accepts(schema: JsonSchema, args: unknown): boolean {
  return new Ajv2020({ useDefaults: true }).compile(schema.document)(args)
}

describe('JsonSchema.builder', () => {
  it('writes an object schema that takes no other names', () => {
    const schema = JsonSchema.builder()
      .addProperty('unit', unit)
      .addProperty('city', city)
      .addRequired('city')
      .build()
    expect(JSON.stringify(schema.document)).toBe(
      '{"type":"object","properties":' +
        '{"unit":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"},' +
        '"city":{"type":"string","description":"City name","enum":["北京","上海"]}},' +
        '"required":["city"],"additionalProperties":false}',
    )
    expect(accepts(schema, { city: '北京' })).toBe(true)
    expect(accepts(schema, { city: '北京', more: 1 })).toBe(false)
  })

  it('is the same value in the record form', () => {
    const chain = JsonSchema.builder().addProperty('city', city).addProperty('unit', unit).addRequired('city')
    expect(JsonSchema.object({ city, unit }, { required: ['city'] }).document).toEqual(chain.build().document)
    expect(
      JsonSchema.object({ city, unit }, { required: ['city'], additionalProperties: true }).document,
    ).toEqual(chain.allowAdditionalProperties().build().document)
  })

  it('returns a new builder from each step', () => {
    const base = JsonSchema.builder().addProperty('city', city)
    base.addProperty('unit', unit).addRequired('city').allowAdditionalProperties()
    expect(base.build().document).toEqual(JsonSchema.object({ city }).document)
  })

  it('names a required property once', () => {
    const schema = JsonSchema.builder()
      .addProperty('city', city)
      .addRequired('city')
      .addRequired('city', 'city')
    expect(schema.build().document.required).toEqual(['city'])
  })

  it('treats names of Object.prototype as data', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']
    const schema = names
      .reduce((builder, name) => builder.addProperty(name, STRING) as never, JsonSchema.builder())
      .addRequired(...(names as never[]))
      .build()
    for (const document of [schema.document, schema.toMap()]) {
      expect(Object.keys(document.properties as object)).toEqual(names)
      expect(document.required).toEqual(names)
      expect(Object.getPrototypeOf(document.properties)).toBe(Object.prototype)
    }
    expect(JSON.parse(JSON.stringify(schema.document))).toEqual(schema.document)
    expect(JsonSchema.from(JSON.parse(JSON.stringify(schema.document))).document).toEqual(schema.document)
    expect(() => JsonSchema.builder().addRequired('toString' as never)).toThrow('"toString" does not exist')
    expect(JsonSchema.object({ ['__proto__']: STRING }).toMap().properties).toEqual(
      JSON.parse('{"__proto__":{"type":"string"}}'),
    )
    expect(({} as Record<string, unknown>).type).toBeUndefined()
  })

  it('refuses a property lost to the prototype of the record', () => {
    expect(() => JsonSchema.object({ __proto__: STRING } as never)).toThrow(
      'with a property called "__proto__" written as',
    )
  })

  it('refuses additionalProperties that are a schema', () => {
    const options = { additionalProperties: { type: 'string' } } as never
    expect(() => JsonSchema.object({ city }, options)).toThrow('must be true or false (got an object)')
  })

  it('names the place of a value that is no property, with an escaped pointer', () => {
    const build = () => JsonSchema.builder().addProperty('a/b~c', { type: 'string' } as never)
    expect(build).toThrow(expect.objectContaining({ pointer: '/properties/a~1b~0c' }))
    expect(() => JsonSchema.builder().addProperty(1 as never, STRING)).toThrow('must be a string (got 1)')
  })
})

describe('cases', () => {
  it('SCH-07: without parameters it is an object schema that takes {}', () => {
    const expected = { type: 'object', additionalProperties: false }
    expect(JsonSchema.empty().toMap()).toEqual(expected)
    expect(JsonSchema.builder().build().toMap()).toEqual(expected)
    expect(JsonSchema.object({}).toMap()).toEqual(expected)
    expect(accepts(JsonSchema.empty(), {})).toBe(true)
    expect(accepts(JsonSchema.empty(), { x: 1 })).toBe(false)
  })

  it('SCH-09, REG-12: is a deep frozen copy, and whatever is handed out can be edited without effect', () => {
    const source = { type: 'object', properties: { m: { enum: ['a'] } } }
    const schema = JsonSchema.from(source)
    source.properties.m.enum.push('b')
    const map = schema.toMap() as typeof source
    map.properties.m.enum.push('c')
    const document = schema.document as unknown as typeof source
    expect(() => document.properties.m.enum.push('d')).toThrow(TypeError)
    expect(schema.document).toEqual({ type: 'object', properties: { m: { enum: ['a'] } } })
    expect(schema.toMap()).toEqual(schema.document)
    expect(source).toEqual({ type: 'object', properties: { m: { enum: ['a', 'b'] } } })
    expect(accepts(schema, { m: 'b' })).toBe(false)
    expect(() => Object.assign(schema, { document: {} })).toThrow(TypeError)
  })

  it('SCH-09: emptying one empty schema leaves the next alone', () => {
    Object.assign(JsonSchema.empty().toMap(), { additionalProperties: true })
    expect(JsonSchema.empty().toMap()).toEqual({ type: 'object', additionalProperties: false })
  })

  it('SCH-11: optional and nullable are two things', () => {
    const schema = JsonSchema.builder()
      .addProperty('q', STRING)
      .addProperty('filter', STRING)
      .addProperty('tag', STRING.nullable())
      .addRequired('q', 'tag')
      .build()
    expect(schema.document.required).toEqual(['q', 'tag'])
    expect(accepts(schema, { q: 'a', tag: null })).toBe(true)
    expect(accepts(schema, { q: 'a' })).toBe(false)
    expect(accepts(schema, { q: 'a', tag: null, filter: null })).toBe(false)
  })

  it('SCH-12: a nullable enum with a null default is valid', () => {
    const schema = JsonSchema.object({ size: STRING.withEnum('s', 'm').nullable().withDefault(null) })
    expect(schema.document.properties).toEqual({
      size: { type: ['string', 'null'], enum: ['s', 'm', null], default: null },
    })
    expect(accepts(schema, {})).toBe(true)
    expect(accepts(schema, { size: null })).toBe(true)
    expect(accepts(schema, { size: 'l' })).toBe(false)
  })

  it('SCH-21: a property used twice stands in both places in full', () => {
    const point = SchemaProperty.object({ lat: NUMBER }, { required: ['lat'] })
    const schema = JsonSchema.object({ start: point, end: point })
    expect(schema.document.properties).toEqual({ start: point.document, end: point.document })
    expect(JSON.stringify(schema.document)).not.toContain('$ref')
    const { start, end } = schema.toMap().properties as Record<string, unknown>
    expect(start).not.toBe(end)
    expect(accepts(schema, { start: { lat: 1 }, end: { lat: 2 } })).toBe(true)
    expect(accepts(schema, { start: { lat: 1 }, end: {} })).toBe(false)
  })
})

describe('JsonSchema.from plain JSON Schema', () => {
  it('keeps every keyword, known or not', () => {
    const source = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://s.example.test/in',
      type: 'object',
      'x-origin': 'gen',
      properties: { iban: { type: 'string', format: 'iban', 'x-order': 1 } },
    }
    expect(JsonSchema.from(source).document).toEqual(source)
  })

  it('leaves undefined members out and takes objects without a prototype', () => {
    const source = Object.assign(Object.create(null), { type: 'object', description: undefined })
    expect(JsonSchema.from(source).toMap()).toStrictEqual({ type: 'object' })
  })

  it('returns a JsonSchema as it is', () => {
    const schema = JsonSchema.empty()
    expect(JsonSchema.from(schema)).toBe(schema)
  })
})

describe('a schema of many properties', () => {
  it('keeps their order', () => {
    const names = Array.from({ length: 60 }, (_, index) => `p${60 - index}`)
    const schema = JsonSchema.object(Object.fromEntries(names.map((name) => [name, INTEGER])))
    expect(Object.keys(schema.toMap().properties as object)).toEqual(names)
  })
})
