import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { JsonSchema, type SchemaInput, type SchemaOutput } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'

type Input<Schema> = SchemaInput<Schema>
type Args<Schema> = SchemaOutput<Schema>

const city = SchemaProperty.STRING.withDescription('City name').withEnum('北京', '上海')
const unit = SchemaProperty.STRING.withEnum('celsius', 'fahrenheit').withDefault('celsius')
const days = SchemaProperty.INTEGER.withMinimum(1).withMaximum(7)

interface WeatherInput {
  readonly city: '北京' | '上海'
  readonly unit?: 'celsius' | 'fahrenheit'
  readonly days?: number
}

interface WeatherArgs {
  readonly city: '北京' | '上海'
  readonly unit: 'celsius' | 'fahrenheit'
  readonly days?: number
}

describe('types of the builder', () => {
  it('tells required, defaulted and optional apart, for callers and for executors', () => {
    const chain = JsonSchema.builder()
      .addProperty('city', city)
      .addProperty('unit', unit)
      .addProperty('days', days)
      .addRequired('city')
      .build()
    expectTypeOf<Input<typeof chain>>().toEqualTypeOf<WeatherInput>()
    expectTypeOf<Args<typeof chain>>().toEqualTypeOf<WeatherArgs>()
    expectTypeOf(chain).toEqualTypeOf<JsonSchema<WeatherInput, WeatherArgs>>()
  })

  it('gives the record form the same types', () => {
    const record = JsonSchema.object({ city, unit, days }, { required: ['city'] })
    expectTypeOf(record).toEqualTypeOf<JsonSchema<WeatherInput, WeatherArgs>>()
  })

  it('needs no value for a required property that has a default', () => {
    const schema = JsonSchema.object({ unit }, { required: ['unit'] })
    expectTypeOf<Input<typeof schema>>().toEqualTypeOf<{ readonly unit?: 'celsius' | 'fahrenheit' }>()
    expectTypeOf<Args<typeof schema>>().toEqualTypeOf<{ readonly unit: 'celsius' | 'fahrenheit' }>()
  })

  it('infers nested objects and arrays deeply and read only', () => {
    const schema = JsonSchema.object(
      {
        route: SchemaProperty.array(
          SchemaProperty.object({ lat: SchemaProperty.NUMBER, unit }, { required: ['lat'] }),
        ),
        tags: SchemaProperty.ARRAY.withItems(SchemaProperty.STRING).withDefault([]),
        anything: SchemaProperty.ARRAY,
      },
      { required: ['route'] },
    )
    expectTypeOf<Input<typeof schema>>().toEqualTypeOf<{
      readonly route: readonly { readonly lat: number; readonly unit?: 'celsius' | 'fahrenheit' }[]
      readonly tags?: readonly string[]
      readonly anything?: readonly unknown[]
    }>()
    expectTypeOf<Args<typeof schema>>().toEqualTypeOf<{
      readonly route: readonly { readonly lat: number; readonly unit: 'celsius' | 'fahrenheit' }[]
      readonly tags: readonly string[]
      readonly anything?: readonly unknown[]
    }>()
  })

  it('infers every kind of property', () => {
    const { STRING, NUMBER, INTEGER, BOOLEAN, NULL } = SchemaProperty
    const schema = JsonSchema.object(
      {
        text: STRING.nullable(),
        size: STRING.withEnum('s', 'm').nullable().withDefault(null),
        level: INTEGER.withEnum(1, 2, 3),
        ratio: NUMBER.nullable().withEnum(0.5),
        yes: BOOLEAN.withConst(true),
        no: BOOLEAN.nullable().withDefault(false),
        nothing: NULL,
        fixed: STRING.withConst('v1'),
        either: SchemaProperty.anyOf(STRING, INTEGER.withEnum(0), SchemaProperty.object({ unit })),
        one: SchemaProperty.oneOf(STRING, NULL),
        raw: SchemaProperty.raw<Date | 'x'>({ type: 'string' }).nullable(),
        unknown: SchemaProperty.raw({}),
        nested: SchemaProperty.object(JsonSchema.object({ unit })).nullable(),
      },
      {
        required: [
          'text',
          'level',
          'ratio',
          'yes',
          'nothing',
          'fixed',
          'either',
          'one',
          'raw',
          'unknown',
          'nested',
        ],
      },
    )
    expectTypeOf<Args<typeof schema>>().toEqualTypeOf<{
      readonly text: string | null
      readonly size: 's' | 'm' | null
      readonly level: 1 | 2 | 3
      readonly ratio: 0.5 | null
      readonly yes: true
      readonly no: boolean | null
      readonly nothing: null
      readonly fixed: 'v1'
      // Defaults inside a union are not filled in.
      readonly either: string | 0 | { readonly unit?: 'celsius' | 'fahrenheit' }
      readonly one: string | null
      readonly raw: Date | 'x' | null
      readonly unknown: unknown
      readonly nested: { readonly unit: 'celsius' | 'fahrenheit' } | null
    }>()
  })

  it('adds unlisted names to an open object alone', () => {
    const open = JsonSchema.object({ city }, { required: ['city'], additionalProperties: true })
    expectTypeOf<Args<typeof open>>().toEqualTypeOf<{
      readonly [name: string]: unknown
      readonly city: '北京' | '上海'
    }>()
    const chain = JsonSchema.builder()
      .addProperty('city', city)
      .addRequired('city')
      .allowAdditionalProperties()
      .build()
    expectTypeOf(chain).toEqualTypeOf(open)
  })

  it('has no arguments without properties', () => {
    const empty = JsonSchema.empty()
    expectTypeOf(JsonSchema.builder().build()).toEqualTypeOf(empty)
    expectTypeOf(JsonSchema.object({})).toEqualTypeOf(empty)
    expectTypeOf<Record<never, never>>().toExtend<Input<typeof empty>>()
    expectTypeOf<{ city: string }>().not.toExtend<Input<typeof empty>>()
  })

  it('counts on nothing where the compiler knows no names', () => {
    const shape: Record<string, typeof city | typeof unit> = { city }
    const schema = JsonSchema.object(shape)
    expectTypeOf<Args<typeof schema>>().toEqualTypeOf<{
      readonly [name: string]: '北京' | '上海' | 'celsius' | 'fahrenheit'
    }>()
  })

  it('holds at 30 properties in a chain', () => {
    const p = SchemaProperty.STRING.withEnum('a', 'b')
    const d = p.withDefault('a')
    const schema = JsonSchema.builder()
      .addProperty('p01', p)
      .addProperty('p02', d)
      .addProperty('p03', p)
      .addProperty('p04', p)
      .addProperty('p05', p)
      .addProperty('p06', p)
      .addProperty('p07', p)
      .addProperty('p08', p)
      .addProperty('p09', p)
      .addProperty('p10', p)
      .addProperty('p11', p)
      .addProperty('p12', p)
      .addProperty('p13', p)
      .addProperty('p14', p)
      .addProperty('p15', p)
      .addProperty('p16', p)
      .addProperty('p17', p)
      .addProperty('p18', p)
      .addProperty('p19', p)
      .addProperty('p20', p)
      .addProperty('p21', p)
      .addProperty('p22', p)
      .addProperty('p23', p)
      .addProperty('p24', p)
      .addProperty('p25', p)
      .addProperty('p26', p)
      .addProperty('p27', p)
      .addProperty('p28', p)
      .addProperty('p29', p)
      .addProperty('p30', d)
      .addRequired('p01', 'p30')
      .build()
    expectTypeOf<keyof Args<typeof schema>>().extract<'p30'>().toEqualTypeOf<'p30'>()
    expectTypeOf<Pick<Args<typeof schema>, 'p01' | 'p02' | 'p03' | 'p30'>>().toEqualTypeOf<{
      readonly p01: 'a' | 'b'
      readonly p02: 'a' | 'b'
      readonly p03?: 'a' | 'b'
      readonly p30: 'a' | 'b'
    }>()
    expectTypeOf<Pick<Input<typeof schema>, 'p01' | 'p30'>>().toEqualTypeOf<{
      readonly p01: 'a' | 'b'
      readonly p30?: 'a' | 'b'
    }>()
  })
})

describe('types of other sources', () => {
  it('come from zod, arktype and valibot', () => {
    const fromZod = JsonSchema.from(z.object({ city: z.string(), days: z.number().default(1) }))
    expectTypeOf<Input<typeof fromZod>>().toEqualTypeOf<{ city: string; days?: number | undefined }>()
    expectTypeOf<Args<typeof fromZod>>().toEqualTypeOf<{ city: string; days: number }>()
    const fromArktype = JsonSchema.from(type({ city: 'string', days: 'number = 1' }))
    expectTypeOf<Input<typeof fromArktype>>().toEqualTypeOf<{ city: string; days?: number }>()
    expectTypeOf<Args<typeof fromArktype>>().toEqualTypeOf<{ city: string; days: number }>()
    const fromValibot = JsonSchema.from(
      toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 1) })),
    )
    expectTypeOf<Input<typeof fromValibot>>().toEqualTypeOf<{ city: string; days?: number | undefined }>()
    expectTypeOf<Args<typeof fromValibot>>().toEqualTypeOf<{ city: string; days: number }>()
  })

  it('are the same for a JsonSchema, unknown for plain JSON Schema, or given with it', () => {
    const schema = JsonSchema.object({ unit })
    expectTypeOf(JsonSchema.from(schema)).toEqualTypeOf(schema)
    const raw = JsonSchema.from({ type: 'object', 'x-origin': 'gen' })
    expectTypeOf<Args<typeof raw>>().toEqualTypeOf<{ readonly [name: string]: unknown }>()
    interface Order {
      readonly id: number
    }
    expectTypeOf(JsonSchema.from<Order>({ type: 'object' })).toEqualTypeOf<JsonSchema<Order, Order>>()
  })

  it('fit a list of schemas whatever they are', () => {
    expectTypeOf(JsonSchema.object({ unit })).toExtend<JsonSchema>()
    expectTypeOf(city).toExtend<SchemaProperty>()
    expectTypeOf(SchemaProperty.array(unit).nullable()).toExtend<SchemaProperty>()
  })
})
