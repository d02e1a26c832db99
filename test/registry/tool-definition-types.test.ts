import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { JsonSchema } from '../../src/registry/json-schema.js'
import type { NoArguments, UntypedArguments } from '../../src/registry/schema-inference.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolDefinitionProvider } from '../../src/registry/tool-definition-provider.js'
import { ToolNotFoundError } from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import {
  type Weather,
  type WeatherArgs,
  type WeatherInput,
  weather,
  weatherSchema,
} from './weather-fixture.js'

const { builder } = ToolDefinition

describe('types of a definition', () => {
  it('tell what callers pass, what the executor sees and what it returns', () => {
    expectTypeOf(weather).toEqualTypeOf<ToolDefinition<WeatherInput, WeatherArgs, Weather>>()
  })

  it('give the executor exactly the arguments of the schema', () => {
    const open = builder().parameterSchema(
      JsonSchema.builder()
        .addProperty('city', SchemaProperty.STRING.withEnum('北京', '上海', '深圳'))
        .addProperty('unit', SchemaProperty.STRING.withEnum('celsius', 'fahrenheit').withDefault('celsius'))
        .addRequired('city')
        .build(),
    )
    open.executor(({ args }) => {
      expectTypeOf(args).toEqualTypeOf<{
        readonly city: '北京' | '上海' | '深圳'
        readonly unit: 'celsius' | 'fahrenheit'
      }>()
      // @ts-expect-error The arguments are read only.
      args.unit = 'celsius'
      // @ts-expect-error There is no such argument.
      return args.town
    })
  })

  it('let a tool without a schema take no arguments', () => {
    const now = builder()
      .name('now')
      .executor(({ args }) => Object.keys(args).length)
      .build()
    expectTypeOf(now).toEqualTypeOf<ToolDefinition<NoArguments, NoArguments, number>>()
  })

  it('are kept by with()', () => {
    expectTypeOf(weather.with({ name: 'svc_weather' })).toEqualTypeOf(weather)
  })

  it('hold for the record form, zod, valibot, arktype and raw JSON Schema', () => {
    const properties = { city: SchemaProperty.STRING, days: SchemaProperty.INTEGER.withDefault(1) }
    const record = builder().parameterSchema(JsonSchema.object(properties, { required: ['city'] }))
    record.executor(({ args }) =>
      expectTypeOf(args).toEqualTypeOf<{ readonly city: string; readonly days: number }>(),
    )

    const zod = builder().parameterSchema(z.object({ city: z.string(), days: z.number().default(1) }))
    zod.executor(({ args }) => expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>())
    expectTypeOf(
      zod
        .name('zod')
        .executor(() => 1)
        .build(),
    ).toEqualTypeOf<
      ToolDefinition<{ city: string; days?: number | undefined }, { city: string; days: number }, number>
    >()

    const valibot = builder().parameterSchema(
      toStandardJsonSchema(v.object({ city: v.picklist(['a', 'b']) })),
    )
    valibot.executor(({ args }) => expectTypeOf(args).toEqualTypeOf<{ city: 'a' | 'b' }>())

    const arktype = builder().parameterSchema(type({ city: 'string', 'days?': 'number' }))
    arktype.executor(({ args }) => expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number }>())

    const raw = builder().parameterSchema({ type: 'object', properties: { city: { type: 'string' } } })
    raw.executor(({ args }) => expectTypeOf(args).toEqualTypeOf<UntypedArguments>())
  })

  it('infer the value, whether it is returned, promised or made into a result', () => {
    const value = { celsius: 21 }
    const named = builder().name('x')
    expectTypeOf(named.executor(() => value).build()).toEqualTypeOf<
      ToolDefinition<NoArguments, NoArguments, { celsius: number }>
    >()
    const promised = named.executor(async () => value).build()
    const made = named.executor(() => ToolExecutionResult.success(value)).build()
    const promisedResult = named.executor(async () => ToolExecutionResult.success(value)).build()
    const either = named
      .executor(({ round }) => {
        if (round > 5) return ToolExecutionResult.failure(new ToolNotFoundError('x'))
        return round > 3 ? Promise.resolve(value) : ToolExecutionResult.success(value)
      })
      .build()
    type Expected = ToolDefinition<NoArguments, NoArguments, { celsius: number }>
    expectTypeOf(promised).toEqualTypeOf<Expected>()
    expectTypeOf(made).toEqualTypeOf<Expected>()
    expectTypeOf(promisedResult).toEqualTypeOf<Expected>()
    expectTypeOf(either).toEqualTypeOf<Expected>()
  })

  it('hold the executor to the output schema, in each of these forms', () => {
    const open = builder()
      .name('x')
      .outputSchema(z.object({ unit: z.enum(['c', 'f']), tags: z.array(z.string()) }))
    type Expected = ToolDefinition<NoArguments, NoArguments, { unit: 'c' | 'f'; tags: string[] }>
    expectTypeOf(open.executor(() => ({ unit: 'c', tags: ['x'] })).build()).toEqualTypeOf<Expected>()
    expectTypeOf(open.executor(async () => ({ unit: 'c', tags: ['x'] })).build()).toEqualTypeOf<Expected>()
    expectTypeOf(
      open.executor(() => ToolExecutionResult.success({ unit: 'c', tags: ['x'] })).build(),
    ).toEqualTypeOf<Expected>()
    expectTypeOf(
      open.executor(async () => ToolExecutionResult.success({ unit: 'c', tags: ['x'] })).build(),
    ).toEqualTypeOf<Expected>()
    // @ts-expect-error The unit is none of the schema's.
    open.executor(() => ({ unit: 'k', tags: ['x'] }))
    // @ts-expect-error The tags are missing.
    open.executor(async () => ({ unit: 'c' }))
    // @ts-expect-error The tags are not strings.
    open.executor(() => ToolExecutionResult.success({ unit: 'c', tags: [1] }))
  })

  it('leave the value of a raw output schema to the executor, also where it is an interface', () => {
    const tool = builder()
      .name('x')
      .outputSchema({ type: 'object' })
      .executor((): Weather => ({ city: '北京', unit: 'celsius' }))
      .build()
    expectTypeOf(tool).toEqualTypeOf<ToolDefinition<NoArguments, NoArguments, Weather>>()
  })

  it('close the schemas with executor(), and build() until then', () => {
    const closed = builder()
      .name('x')
      .executor(() => 1)
    // @ts-expect-error The schemas are settled.
    expect(() => closed.parameterSchema(weatherSchema)).toThrow(TypeError)
    // @ts-expect-error The schemas are settled.
    expect(() => closed.outputSchema(weatherSchema)).toThrow(TypeError)
    // @ts-expect-error There is no executor yet.
    expect(() => builder().name('x').build()).toThrow('executor: is missing')
  })

  it('let precise definitions stand where any definition is wanted', () => {
    const list: ToolDefinition[] = [
      weather,
      builder()
        .name('now')
        .executor(() => Date.now())
        .build(),
    ]
    const provider: ToolDefinitionProvider = { provide: () => [weather] }
    class Provider implements ToolDefinitionProvider {
      *provide() {
        yield weather
        yield builder()
          .name('now')
          .executor(() => 1)
          .build()
      }
    }
    class AsyncProvider implements ToolDefinitionProvider {
      async provide() {
        return [weather]
      }
    }
    expectTypeOf(new Provider()).toExtend<ToolDefinitionProvider>()
    expectTypeOf(new AsyncProvider()).toExtend<ToolDefinitionProvider>()
    expect([list.length, provider.provide()]).toEqual([2, [weather]])
  })
})

describe('types of what is said of the arguments', () => {
  const open = builder()
    .name('x')
    .parameterSchema(
      JsonSchema.object(
        {
          tenant: SchemaProperty.STRING,
          city: SchemaProperty.STRING,
          days: SchemaProperty.INTEGER.withDefault(1),
        },
        { required: ['tenant', 'city'] },
      ),
    )

  it('leave a bound parameter out of what callers pass, and in what the executor sees', () => {
    const bound = open
      .bindParameters({ tenant: ({ principal }) => principal?.subject })
      .executor(({ args }) => {
        expectTypeOf(args).toEqualTypeOf<{
          readonly tenant: string
          readonly city: string
          readonly days: number
        }>()
      })
      .build()
    expectTypeOf(bound).toEqualTypeOf<
      ToolDefinition<
        { readonly city: string; readonly days?: number },
        { readonly tenant: string; readonly city: string; readonly days: number },
        void
      >
    >()
    // @ts-expect-error A tenant is a string.
    open.bindParameters({ tenant: () => 7 })
    // @ts-expect-error There is no such argument.
    expect(() => open.bindParameters({ town: () => 'x' })).toThrow('is no argument')
  })

  it('leave them out of the types of other libraries, and nothing but nothing where all are bound', () => {
    const zod = builder()
      .name('x')
      .parameterSchema(z.object({ tenant: z.string(), q: z.number().optional() }))
    const one = zod.bindParameters({ tenant: async () => 'a' }).executor(() => 1)
    expectTypeOf(one.build()).toEqualTypeOf<
      ToolDefinition<{ q?: number | undefined }, { tenant: string; q?: number | undefined }, number>
    >()
    const all = zod.bindParameters({ tenant: () => 'a', q: () => 1 }).executor(() => 1)
    expectTypeOf(all.build()).toEqualTypeOf<
      ToolDefinition<NoArguments, { tenant: string; q?: number | undefined }, number>
    >()
    const raw = builder()
      .name('x')
      .parameterSchema({ type: 'object', properties: { a: {} } })
      .bindParameters({ a: () => 1 })
      .executor(() => 1)
    expectTypeOf(raw.build()).toEqualTypeOf<ToolDefinition<UntypedArguments, UntypedArguments, number>>()
  })

  it('let aliases be of arguments alone', () => {
    expectTypeOf(open.aliases({ city: ['town'] })).toEqualTypeOf(open)
    // @ts-expect-error There is no such argument.
    expect(() => open.aliases({ town: ['city'] })).toThrow('is no argument')
    // @ts-expect-error A list of names.
    expect(() => open.aliases({ city: 'town' })).toThrow('must list names')
  })

  it('know the steps of arguments', () => {
    expectTypeOf(open.argumentSteps({ coercion: false, defaults: (args) => args })).toEqualTypeOf(open)
    // @ts-expect-error There is no such step.
    expect(() => open.argumentSteps({ coersion: false })).toThrow('is no step')
    // @ts-expect-error A validation returns issues.
    open.argumentSteps({ validation: (args) => args })
  })
})
