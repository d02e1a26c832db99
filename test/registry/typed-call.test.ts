import { describe, expect, expectTypeOf, it } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { started } from '../runtime/runtime-fixture.js'
import { type Weather, weather } from './weather-fixture.js'

describe('types of runtime.call(definition, input)', () => {
  it('take what the schema takes, defaults left out, and give the value its type', async () => {
    const { runtime } = await started({ tools: [weather] })
    const result = await runtime.call(weather, { city: '北京' })
    if (!result.ok) throw result.error
    expectTypeOf(result.value).toEqualTypeOf<Weather>()
    expect(result.value).toEqual({ city: '北京', unit: 'celsius' })
    await runtime.close()
  })

  it('refuse what the schema refuses, as the runtime does', async () => {
    const { runtime } = await started({ tools: [weather] })
    const elsewhere = { city: 'Oslo' }
    const results = [
      // @ts-expect-error The city is none of the schema's.
      await runtime.call(weather, { city: 'Oslo' }),
      // @ts-expect-error The same, from a variable.
      await runtime.call(weather, elsewhere),
      // @ts-expect-error The type is wrong.
      await runtime.call(weather, { city: '北京', days: 'three' }),
      // @ts-expect-error There is no such argument.
      await runtime.call(weather, { city: '北京', town: 'Oslo' }),
      // @ts-expect-error The city is missing.
      await runtime.call(weather, { unit: 'celsius' }),
      // @ts-expect-error The city is missing.
      await runtime.call(weather),
    ]
    expect(results.map((result) => !result.ok && result.error.code)).toEqual(
      results.map(() => 'INVALID_ARGUMENTS'),
    )
    await runtime.close()
  })

  it('take the result of a call by name as unknown', async () => {
    const { runtime } = await started({ tools: [weather] })
    const result = await runtime.call('get_weather', { city: '北京' })
    if (!result.ok) throw result.error
    expectTypeOf(result.value).toEqualTypeOf<unknown>()
    expect(result.value).toEqual({ city: '北京', unit: 'celsius' })
    await runtime.close()
  })
})

describe('thirty properties, one step each', () => {
  const text = SchemaProperty.STRING
  const count = SchemaProperty.INTEGER.withDefault(0)
  const wide = ToolDefinition.builder()
    .name('wide')
    .parameterSchema(
      JsonSchema.builder()
        .addProperty('p01', text)
        .addProperty('p02', count)
        .addProperty('p03', text.withEnum('a', 'b'))
        .addProperty('p04', text)
        .addProperty('p05', count)
        .addProperty('p06', text)
        .addProperty('p07', text)
        .addProperty('p08', count)
        .addProperty('p09', text)
        .addProperty('p10', text)
        .addProperty('p11', count)
        .addProperty('p12', text)
        .addProperty('p13', text)
        .addProperty('p14', count)
        .addProperty('p15', text)
        .addProperty('p16', text)
        .addProperty('p17', count)
        .addProperty('p18', text)
        .addProperty('p19', text)
        .addProperty('p20', count)
        .addProperty('p21', text)
        .addProperty('p22', text)
        .addProperty('p23', count)
        .addProperty('p24', text)
        .addProperty('p25', text)
        .addProperty('p26', count)
        .addProperty('p27', text)
        .addProperty('p28', text)
        .addProperty('p29', SchemaProperty.BOOLEAN)
        .addProperty('p30', SchemaProperty.array(text))
        .addRequired('p01', 'p03', 'p30')
        .build(),
    )
    .executor(({ args }) => args)
    .build()

  it('keep their types through the whole builder', async () => {
    const { runtime } = await started({ tools: [wide] })
    const result = await runtime.call(wide, { p01: 'x', p03: 'a', p30: ['y'] })
    if (!result.ok) throw result.error
    const { value } = result
    expectTypeOf(value.p03).toEqualTypeOf<'a' | 'b'>()
    expectTypeOf(value.p26).toEqualTypeOf<number>()
    expectTypeOf(value.p29).toEqualTypeOf<boolean | undefined>()
    expectTypeOf(value.p30).toEqualTypeOf<readonly string[]>()
    expectTypeOf<keyof typeof value>().toExtend<`p${number}`>()
    expect([value.p01, value.p03, value.p26, value.p29, value.p30]).toEqual(['x', 'a', 0, undefined, ['y']])
    // @ts-expect-error Neither is one of the thirty.
    const { p31, p00 } = value
    expect([p31, p00]).toEqual([undefined, undefined])
    await runtime.close()
  })
})
