import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CacheInterceptor } from '../../src/interceptors/cache.js'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { IdempotencyInterceptor } from '../../src/interceptors/idempotency.js'
import { LoggingInterceptor } from '../../src/interceptors/logging.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import { RateLimitedError } from '../../src/registry/tool-error.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { started, tool } from '../runtime/runtime-fixture.js'
import { all, bothWays, gistOf, gives, isAway, resets, scripted } from './composition.js'
import { recordingLogger } from './recording-logger.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const limited = { code: 'RATE_LIMITED', outcome: 'not-started' }
const done = { value: 'done' }
const metadata = { readOnly: true }

/** The rate limit where it does not belong: inside all others. */
function innermost(limit: RateLimitInterceptor): ToolInterceptor {
  return { ring: 'execution', order: 1_000, beforeExecute: (ctx) => limit.beforeExecute(ctx) }
}

/** What a logger was told of calls, without what differs from run to run. */
function told({ lines }: ReturnType<typeof recordingLogger>) {
  return lines.map(({ level, fields: { toolName, code, degraded }, message }) => [
    level,
    toolName,
    message,
    ...(code === undefined ? [] : [code]),
    ...(degraded === undefined ? [] : ['degraded']),
  ])
}

describe('logging stands outside', () => {
  it('the rate limit: what is refused is logged too', async () => {
    const seen = await bothWays('logging', 'rateLimit', async (at) => {
      const logger = recordingLogger()
      const { call } = await scripted(
        [gives('done')],
        [
          new LoggingInterceptor({ logger, ...at('logging') }),
          new RateLimitInterceptor({ defaultPerMinute: 0, ...at('rateLimit') }),
        ],
      )
      expect(await call()).toEqual(limited)
      return told(logger)
    })
    expect(seen).toEqual({
      byDefault: [
        ['debug', 'scripted', 'tool call started'],
        ['warn', 'scripted', 'tool call failed', 'RATE_LIMITED'],
      ],
      swapped: [],
    })
  })

  it('retries and fallback: it tells of a call once, as it ended, and that it was degraded', async () => {
    const logger = recordingLogger()
    const { call, ran } = await scripted(
      [resets],
      [
        new FallbackInterceptor({ value: 'stand-in' }),
        new RetryInterceptor({ initialDelayMs: 0 }),
        new LoggingInterceptor({ logger }),
      ],
      metadata,
    )
    expect(await all(call())).toEqual([{ value: 'stand-in', degraded: true }])
    expect(ran).toHaveLength(3)
    expect(told(logger)).toEqual([
      ['debug', 'scripted', 'tool call started'],
      ['info', 'scripted', 'tool call ended', 'degraded'],
    ])
  })

  it('idempotency and cache: calls that share work, or get a kept answer, are told apart', async () => {
    const logger = recordingLogger()
    const { call, ran } = await scripted(
      [gives('done')],
      [new LoggingInterceptor({ logger }), new IdempotencyInterceptor(), new CacheInterceptor()],
      metadata,
    )
    const options = ['a', 'b', 'c'].map((callId) => ({
      callId,
      ...(callId !== 'c' && { idempotencyKey: 'k' }),
    }))
    for (const one of options) expect(await call(one)).toEqual(done)
    expect(ran).toHaveLength(1)
    const ended = logger.lines.filter(({ level }) => level === 'info')
    expect(ended.map(({ fields }) => fields.callId)).toEqual(['a', 'b', 'c'])
  })
})

describe('the rate limit stands outside', () => {
  const keyed = { idempotencyKey: 'k' }

  it.each([
    ['idempotency: a repeat is a call', new IdempotencyInterceptor(), keyed],
    ['the cache: what is cached is a call', new CacheInterceptor(), {}],
  ] as const)('%s', async (_, keeper, options) => {
    const seen = async (arrange: (limit: RateLimitInterceptor) => ToolInterceptor) => {
      const limit = arrange(new RateLimitInterceptor({ defaultPerMinute: 2 }))
      const { call } = await scripted([gives('done')], [keeper, limit], metadata)
      return [await call(options), await call(options), await call(options)]
    }
    expect(await seen((limit) => limit)).toEqual([done, done, limited])
    expect(await seen(innermost)).toEqual([done, done, done])
  })

  it('the retries: however many attempts it takes, it is one call', async () => {
    const { call, ran } = await scripted(
      [isAway, isAway, gives('done')],
      [new RateLimitInterceptor({ defaultPerMinute: 1 }), new RetryInterceptor({ initialDelayMs: 0 })],
    )
    expect(await all(call())).toEqual([done])
    expect(ran).toHaveLength(3)
    expect(await call()).toEqual(limited)
  })

  it('the fallback: a refused call gets no stand-in', async () => {
    const limits = { defaultPerMinute: 0 }
    for (const limit of [new RateLimitInterceptor(limits), innermost(new RateLimitInterceptor(limits))]) {
      const { call } = await scripted(
        [gives('done')],
        [new FallbackInterceptor({ value: 'stand-in' }), limit],
      )
      expect(await call()).toEqual(limited)
    }
  })

  it('the fallback: a tool that stands in is called, and has a limit of its own', async () => {
    const logger = recordingLogger()
    const { runtime } = await started({
      tools: [tool('orders', resets, { metadata }), tool('archive', gives('old'), { metadata })],
      interceptors: [
        new LoggingInterceptor({ logger }),
        new RateLimitInterceptor({ defaultPerMinute: 2 }),
        new FallbackInterceptor({ tool: 'archive' }),
      ],
    })
    expect(gistOf(await runtime.call('archive'))).toEqual({ value: 'old' })
    expect(gistOf(await runtime.call('orders'))).toEqual({ value: 'old', degraded: true })
    const refused = await runtime.call('orders')
    expect(gistOf(refused)).toEqual({ code: 'UPSTREAM_FAILED', outcome: 'unknown' })
    expect(!refused.ok && refused.error.cause).toBeInstanceOf(RateLimitedError)
    expect(told(logger).slice(-4)).toEqual([
      ['debug', 'orders', 'tool call started'],
      ['debug', 'archive', 'tool call started'],
      ['warn', 'archive', 'tool call failed', 'RATE_LIMITED'],
      ['warn', 'orders', 'tool call failed', 'UPSTREAM_FAILED'],
    ])
  })
})
