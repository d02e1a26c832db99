import { describe, expect, it } from 'vitest'
import { arrange } from '../../src/interceptors/arrangement.js'
import { InterceptorChain } from '../../src/interceptors/chain.js'
import { LoggingInterceptor } from '../../src/interceptors/logging.js'
import { RateLimitInterceptor, type RateLimitInterceptorOptions } from '../../src/interceptors/rate-limit.js'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'
import { type Store, StoreFullError } from '../../src/interceptors/stores/store.js'
import { ToolError } from '../../src/registry/tool-error.js'
import type { ToolCall } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { contextOf, tool } from './tool-call-fixture.js'

/** A rate limit in a chain, and time that passes when it is told to. */
function limited({
  maxEntries = 1_000,
  around = [],
  ...options
}: RateLimitInterceptorOptions & { maxEntries?: number; around?: readonly ToolInterceptor[] } = {}) {
  let now = 0
  const store = options.store ?? new MemoryStore({ maxEntries, clock: { now: () => now } })
  const shared = [new RateLimitInterceptor({ ...options, store }), ...around]
  const interceptors = arrange({ shared, provider: [], tool: [] }).map(({ interceptor }) => interceptor)
  const chain = new InterceptorChain(interceptors, { argumentsAreFinal: false })
  let executed = 0
  return {
    store,
    executed: () => executed,
    pass: (ms: number) => {
      now += ms
    },
    /** `ok`, or the code of the failure. */
    async call(changes: Partial<ToolCall> = {}): Promise<string> {
      const error = await this.failure(changes)
      return error === undefined ? 'ok' : error.code
    },
    async failure(changes: Partial<ToolCall> = {}) {
      try {
        await chain.run(contextOf(changes), async () => {
          executed++
          return ToolExecutionResult.success('sunny')
        })
        return undefined
      } catch (thrown) {
        return ToolError.from(thrown)
      }
    },
    async calls(count: number, changes: Partial<ToolCall> = {}): Promise<string[]> {
      const answers: string[] = []
      for (let i = 0; i < count; i++) answers.push(await this.call(changes))
      return answers
    },
  }
}

function times(count: number, answer: string): string[] {
  return Array.from({ length: count }, () => answer)
}

const unknown = (toolName: string) => ({ toolName, tool: undefined })

describe('the quota', () => {
  it('is 60 a minute by default, and a refused call does not run', async () => {
    const limit = limited()
    expect(await limit.calls(62)).toEqual([...times(60, 'ok'), ...times(2, 'RATE_LIMITED')])
    expect(limit.executed()).toBe(60)
  })

  it('is the option, and the metadata of a tool comes first', async () => {
    const limit = limited({ defaultPerMinute: 1 })
    expect(await limit.calls(2)).toEqual(['ok', 'RATE_LIMITED'])
    const generous = { tool: tool('generous', { rateLimit: { perMinute: 2 } }), toolName: 'generous' }
    expect(await limit.calls(3, generous)).toEqual(['ok', 'ok', 'RATE_LIMITED'])
  })

  it('of 0 refuses every call and does not pretend that waiting helps', async () => {
    const limit = limited()
    const closed = { tool: tool('closed', { rateLimit: { perMinute: 0 } }), toolName: 'closed' }
    expect(await limit.failure(closed)).toMatchObject({
      code: 'RATE_LIMITED',
      retryable: false,
      outcome: 'not-started',
    })
    limit.pass(3_600_000)
    expect(await limit.calls(2, closed)).toEqual(times(2, 'RATE_LIMITED'))
    expect(await limited({ defaultPerMinute: 0 }).call()).toBe('RATE_LIMITED')
  })

  it('is explained for each definition', () => {
    const limit = new RateLimitInterceptor({ defaultPerMinute: 5 })
    const own = tool('t', { rateLimit: { perMinute: 0 } })
    expect([limit.explain(tool('t')), limit.explain(own)]).toEqual([{ perMinute: 5 }, { perMinute: 0 }])
  })

  it('holds for calls that come at once', async () => {
    const limit = limited({ defaultPerMinute: 5 })
    const answers = await Promise.all(Array.from({ length: 50 }, () => limit.call()))
    expect(answers.filter((answer) => answer === 'ok')).toHaveLength(5)
    expect(limit.executed()).toBe(5)
  })

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '60' as unknown as number])(
    'cannot be %s',
    (defaultPerMinute) => {
      expect(() => new RateLimitInterceptor({ defaultPerMinute })).toThrow(
        new RangeError(
          `defaultPerMinute of a rate limit must be a whole number from 0 (got ${defaultPerMinute})`,
        ),
      )
    },
  )
})

describe('time', () => {
  it('is a sliding window: the wait that is told is the one that helps, to the millisecond', async () => {
    const limit = limited({ defaultPerMinute: 2 })
    await limit.call()
    limit.pass(20_000)
    await limit.call()
    limit.pass(10_000)
    expect(await limit.failure()).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterMs: 30_000,
      retryable: true,
    })
    limit.pass(29_999)
    expect(await limit.failure()).toMatchObject({ retryAfterMs: 1 })
    limit.pass(1)
    expect(await limit.calls(2)).toEqual(['ok', 'RATE_LIMITED'])
    expect(await limit.failure()).toMatchObject({ retryAfterMs: 20_000 })
  })

  it('is not lost by trying: a refused call does not count', async () => {
    const limit = limited({ defaultPerMinute: 1 })
    await limit.calls(100)
    limit.pass(60_000)
    expect(await limit.call()).toBe('ok')
  })
})

describe('the caller', () => {
  const callers = [
    'principal:[null,"ada"]',
    'principal:["acme","ada"]',
    'address:10.0.0.1',
    'address:10.0.0.2',
    'session:1',
    'session:2',
    'agent:1',
    'anonymous',
    'anonymous","get_weather',
  ]

  it('has a quota of its own', async () => {
    const limit = limited({ defaultPerMinute: 2 })
    for (const callerKey of callers) {
      expect([callerKey, await limit.calls(3, { callerKey })]).toEqual([
        callerKey,
        ['ok', 'ok', 'RATE_LIMITED'],
      ])
    }
  })

  it('is who it is by its key alone: a new session brings no new quota', async () => {
    const limit = limited({ defaultPerMinute: 2 })
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((sessionId) => limit.call({ callerKey: 'address:10.0.0.1', sessionId })),
    )
    expect(answers).toEqual(['ok', 'ok', 'RATE_LIMITED'])
  })

  it('has a quota for each tool', async () => {
    const limit = limited({ defaultPerMinute: 1 })
    expect(await limit.calls(2, { toolName: 'a', tool: tool('a') })).toEqual(['ok', 'RATE_LIMITED'])
    expect(await limit.calls(2, { toolName: 'b', tool: tool('b') })).toEqual(['ok', 'RATE_LIMITED'])
  })

  it('has one for all tools that do not exist, so that made-up names are limited and fill nothing', async () => {
    const limit = limited({ defaultPerMinute: 3, maxEntries: 2 })
    const answers: string[] = []
    for (let i = 0; i < 1_000; i++) answers.push(await limit.call(unknown(`made-up-${i}`)))
    expect(answers).toEqual([...times(3, 'ok'), ...times(997, 'RATE_LIMITED')])
    expect(await limit.call()).toBe('ok')
  })

  it('does not mix up what does not exist with a tool of any name', async () => {
    const limit = limited({ defaultPerMinute: 1 })
    await limit.call(unknown('x'))
    expect(await limit.call({ toolName: 'null', tool: tool('null') })).toBe('ok')
    expect(await limit.call(unknown('y'))).toBe('RATE_LIMITED')
  })
})

describe('one call counts once', () => {
  const twice: ToolInterceptor = {
    name: 'twice',
    ring: 'request',
    async aroundExecute(_ctx, next) {
      await next()
      return next()
    },
  }

  it.each([
    ['inside', 0],
    ['outside', -10_000],
  ])('however often an interceptor %s repeats it', async (_where, order) => {
    const limit = limited({ defaultPerMinute: 2, around: [{ ...twice, order }] })
    expect(await limit.calls(3)).toEqual(['ok', 'ok', 'RATE_LIMITED'])
    expect(limit.executed()).toBe(4)
  })

  it('whatever its rounds', async () => {
    const limit = limited({ defaultPerMinute: 1 })
    expect([await limit.call(), await limit.call({ round: 2 }), await limit.call({ round: 8 })]).toEqual(
      times(3, 'ok'),
    )
    expect(await limit.call()).toBe('RATE_LIMITED')
  })

  it('in each of two limits that share a store under two prefixes', async () => {
    const store = new MemoryStore()
    const second = new RateLimitInterceptor({ store, keyPrefix: 'second', defaultPerMinute: 3 })
    const limit = limited({ store, defaultPerMinute: 2, around: [second] })
    expect(await limit.calls(3)).toEqual(['ok', 'ok', 'RATE_LIMITED'])
  })
})

describe('the store', () => {
  it('that is full refuses new callers as overloaded, until a window ends, and keeps the old ones', async () => {
    const limit = limited({ maxEntries: 2, defaultPerMinute: 2 })
    await limit.call({ callerKey: 'a' })
    limit.pass(10_000)
    await limit.call({ callerKey: 'b' })
    const error = await limit.failure({ callerKey: 'c' })
    expect(error).toMatchObject({
      code: 'OVERLOADED',
      retryAfterMs: 50_000,
      retryable: true,
      outcome: 'not-started',
    })
    expect(StoreFullError.is(error?.cause)).toBe(true)
    expect(await limit.call({ callerKey: 'a' })).toBe('ok')
    limit.pass(60_000)
    expect(await limit.call({ callerKey: 'c' })).toBe('ok')
  })

  it.each([
    ['is full and cannot say for how long', new StoreFullError('full')],
    ['fails', new Error('connection lost')],
  ])('that %s refuses: what cannot be counted does not run', async (_what, failure) => {
    const store = new MemoryStore() as Store
    store.consume = () => Promise.reject(failure)
    const limit = limited({ store })
    const error = await limit.failure()
    expect(error).toMatchObject({ code: 'OVERLOADED', retryAfterMs: 5_000, outcome: 'not-started' })
    expect(error?.cause).toBe(failure)
    expect(limit.executed()).toBe(0)
  })

  it('refuses a prompt by what it is', async () => {
    const limit = limited({ maxEntries: 1 })
    await limit.call()
    const target = { ...tool('review'), kind: 'prompt' } as const
    const error = await limit.failure({ kind: 'prompt', toolName: 'review', tool: undefined, target })
    expect(error?.message).toBe('Prompt "review" is overloaded; try again in 60 s')
  })
})

describe('in a chain with logging', () => {
  it('stands inside of it: a refused call is logged and does not run', async () => {
    const lines: unknown[] = []
    const log = ({ code, toolName }: Readonly<Record<string, unknown>>, message: string) =>
      void lines.push([message, toolName, code])
    const logging = new LoggingInterceptor({ logger: { debug: log, info: log, warn: log, error: log } })
    const limit = limited({ defaultPerMinute: 1, around: [logging] })
    await limit.calls(2)
    expect(lines).toEqual([
      ['tool call started', 'get_weather', undefined],
      ['tool call ended', 'get_weather', undefined],
      ['tool call started', 'get_weather', undefined],
      ['tool call failed', 'get_weather', 'RATE_LIMITED'],
    ])
    expect(limit.executed()).toBe(1)
  })

  it('leaves room for interceptors of the user, which stand inside of both by default', () => {
    const logger = { debug() {}, info() {}, warn() {}, error() {} }
    const shared = [
      { name: 'mine', ring: 'request' as const },
      new RateLimitInterceptor(),
      new LoggingInterceptor({ logger }),
    ]
    const names = arrange({ shared, provider: [], tool: [] }).map(({ name, ring }) => `${ring} ${name}`)
    expect(names).toEqual(['request LoggingInterceptor', 'request RateLimitInterceptor', 'request mine'])
  })
})
