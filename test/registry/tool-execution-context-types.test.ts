import { describe, expectTypeOf, it } from 'vitest'
import type { Ask } from '../../src/registry/ask.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { type WeatherArgs, weatherSchema } from './weather-fixture.js'

const { builder } = ToolDefinition

describe('types of the context', () => {
  it('let everything be destructured', () => {
    builder()
      .parameterSchema(weatherSchema)
      .executor(({ args, signal, progress, ask, once, log, getArg, getArgOrDefault, attributes }) => {
        expectTypeOf(args).toEqualTypeOf<WeatherArgs>()
        expectTypeOf(signal).toExtend<AbortSignal>()
        expectTypeOf(progress).toBeCallableWith(1, 2, 'half way')
        expectTypeOf(ask).toEqualTypeOf<Ask>()
        return { once, log, getArg, getArgOrDefault, attributes }
      })
  })

  it('type arguments by name', () => {
    builder()
      .parameterSchema(weatherSchema)
      .executor((ctx) => {
        expectTypeOf(ctx.getArg('city')).toEqualTypeOf<'北京' | '上海' | '深圳'>()
        expectTypeOf(ctx.getArg('days')).toEqualTypeOf<number | undefined>()
        expectTypeOf(ctx.getArgOrDefault('days', null)).toEqualTypeOf<number | null>()
        expectTypeOf(ctx.getArgOrDefault('unit', 5)).toEqualTypeOf<'celsius' | 'fahrenheit' | number>()
        // @ts-expect-error There is no such argument.
        ctx.getArg('town')
        // @ts-expect-error There is no such argument.
        return ctx.getArgOrDefault('town', 'Oslo')
      })
  })

  it('let any name be asked for where the arguments are not known', () => {
    const read = (ctx: ToolExecutionContext) => [ctx.getArg('any'), ctx.getArgOrDefault('any', 1)] as const
    expectTypeOf(read).returns.toEqualTypeOf<readonly [unknown, unknown]>()
  })

  it('let a precise context stand where any context is wanted', () => {
    expectTypeOf<ToolExecutionContext<WeatherArgs>>().toExtend<ToolExecutionContext>()
    expectTypeOf<ToolExecutionContext>().not.toExtend<ToolExecutionContext<WeatherArgs>>()
  })

  it('follow with()', () => {
    const change = (ctx: ToolExecutionContext<WeatherArgs>) =>
      [ctx.with({ args: { id: 1 } }), ctx.with({ signal: ctx.signal })] as const
    expectTypeOf(change).returns.toEqualTypeOf<
      readonly [ToolExecutionContext<{ id: number }>, ToolExecutionContext<WeatherArgs>]
    >()
  })
})
