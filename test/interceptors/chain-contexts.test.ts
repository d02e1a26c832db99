import { describe, expect, it } from 'vitest'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { ChainRecorder } from './chain-recorder.js'
import { contextOf } from './tool-call-fixture.js'

/** Writes down the city in the arguments that each hook sees. */
class CityRecorder {
  readonly seen: string[] = []

  interceptor(
    name: string,
    hooks: Pick<ToolInterceptor, 'beforeExecute' | 'aroundExecute'> = {},
  ): ToolInterceptor {
    const see = (hook: string, ctx: ToolExecutionContext) =>
      void this.seen.push(`${name}.${hook} ${ctx.getArg('city')}`)
    return {
      name,
      beforeExecute: (ctx) => {
        see('before', ctx)
        return hooks.beforeExecute?.(ctx)
      },
      afterExecute: (ctx) => see('after', ctx),
      onError: (ctx) => see('onError', ctx),
      ...(hooks.aroundExecute && { aroundExecute: hooks.aroundExecute }),
    }
  }
}

const toRome = { beforeExecute: (ctx: ToolExecutionContext) => ctx.with({ args: { city: 'Rome' } }) }
const nextInRome: Pick<ToolInterceptor, 'aroundExecute'> = {
  aroundExecute: (ctx, next) => next(ctx.with({ args: { city: 'Rome' } })),
}
const FINAL = /b: arguments are final in the execution ring; change them in the request ring/
const NOT_MADE_BY_WITH = /b: a context must be made from the one given, by ctx\.with\(…\)/

describe('a changed context', () => {
  it.each([
    ['after', () => 'done'],
    ['onError', () => Promise.reject(new Error('boom'))],
  ])(
    'is what its own %s, those inside and the executor see; those outside see theirs',
    async (hook, work) => {
      const cities = new CityRecorder()
      const chain = [cities.interceptor('a'), cities.interceptor('b', toRome), cities.interceptor('c')]
      await new ChainRecorder().run(
        chain,
        (ctx) => {
          cities.seen.push(`execute ${ctx.getArg('city')}`)
          return work()
        },
        { argumentsAreFinal: false },
      )
      expect(cities.seen).toEqual([
        'a.before Oslo',
        'b.before Oslo',
        'c.before Rome',
        'execute Rome',
        `c.${hook} Rome`,
        `b.${hook} Rome`,
        `a.${hook} Oslo`,
      ])
    },
  )

  it('given to next is what those inside see, and not its own after', async () => {
    const cities = new CityRecorder()
    const chain = [cities.interceptor('a'), cities.interceptor('b', nextInRome), cities.interceptor('c')]
    await new ChainRecorder().run(chain, undefined, { argumentsAreFinal: false })
    expect(cities.seen).toEqual([
      'a.before Oslo',
      'b.before Oslo',
      'c.before Rome',
      'c.after Rome',
      'b.after Oslo',
      'a.after Oslo',
    ])
  })

  it.each([
    ['before', toRome],
    ['next', nextInRome],
  ])('with other arguments is refused in the execution ring: %s', async (_, hooks) => {
    const { events, ended } = await new ChainRecorder().run([{ name: 'b', ...hooks }])
    expect([events, ended]).toEqual([[], expect.stringMatching(FINAL)])
  })

  it.each([
    [
      'before',
      { beforeExecute: (ctx: ToolExecutionContext) => ctx.with({ args: { ...(ctx.args as object) } }) },
    ],
    ['next', { aroundExecute: (ctx, next) => next(ctx.with({ args: { ...(ctx.args as object) } })) }],
  ] as [string, ToolInterceptor][])(
    'with a copy of the arguments is refused too, equal as it is: %s',
    async (_, hooks) => {
      const { events, ended } = await new ChainRecorder().run([{ name: 'b', ...hooks }])
      expect([events, ended]).toEqual([[], expect.stringMatching(FINAL)])
    },
  )

  it.each([true, false])(
    'may carry another signal where arguments are final: %s',
    async (argumentsAreFinal) => {
      const { signal } = new AbortController()
      const b = { beforeExecute: (ctx: ToolExecutionContext) => ctx.with({ signal }) }
      const inside: ToolInterceptor = { aroundExecute: (ctx, next) => next(ctx.with({ signal: ctx.signal })) }
      const { ended } = await new ChainRecorder().run([b, inside], (ctx) => ctx.signal === signal, {
        argumentsAreFinal,
      })
      expect(ended).toBe('ok true')
    },
  )

  it.each([
    ['before', (other) => ({ beforeExecute: () => other })],
    ['next', (other) => ({ aroundExecute: (_ctx, next) => next(other) })],
  ] as [string, (other: ToolExecutionContext) => ToolInterceptor][])(
    'of another call is refused in either ring: %s',
    async (_, hooks) => {
      const recorder = new ChainRecorder()
      for (const argumentsAreFinal of [true, false]) {
        const ctx = contextOf()
        const chain = [recorder.interceptor('a'), { name: 'b', ...hooks(contextOf({}, ctx.args)) }]
        const { ended } = await recorder.run(chain, undefined, { ctx, argumentsAreFinal })
        expect(ended).toMatch(NOT_MADE_BY_WITH)
      }
      const refused = expect.stringMatching(/^a\.onError EXECUTION_FAILED/)
      expect(recorder.events).toEqual(['a.before', refused, 'a.before', refused])
    },
  )

  it.each([null, 'city', { args: {} }])('that is none is refused by next: %j', async (junk) => {
    const b: ToolInterceptor = { name: 'b', aroundExecute: (_ctx, next) => next(junk as never) }
    expect((await new ChainRecorder().run([b])).ended).toMatch(NOT_MADE_BY_WITH)
  })
})
