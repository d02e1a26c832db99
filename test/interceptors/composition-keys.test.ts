import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../src/interceptors/attempt-timeout.js'
import { CacheInterceptor } from '../../src/interceptors/cache.js'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { IdempotencyInterceptor } from '../../src/interceptors/idempotency.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import {
  all,
  bothWays,
  breakerAt,
  gives,
  isAway,
  oneAtATime,
  pass,
  resets,
  scripted,
  takes,
} from './composition.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const key = { idempotencyKey: 'k' }

describe('idempotency stands outside', () => {
  it('the cache: a call that the cache answers uses its key up too', async () => {
    const seen = await bothWays('idempotency', 'cache', async (at) => {
      const { call } = await scripted(
        [gives('found')],
        [new IdempotencyInterceptor(at('idempotency')), new CacheInterceptor(at('cache'))],
        { readOnly: true },
      )
      await call({}, { page: 1 })
      return [await call(key, { page: 1 }), await call(key, { page: 2 })]
    })
    expect(seen).toEqual({
      byDefault: [{ value: 'found' }, { code: 'IDEMPOTENCY_CONFLICT', outcome: 'not-started' }],
      swapped: [{ value: 'found' }, { value: 'found' }],
    })
  })

  it('the fallback: repeats share one stand-in', async () => {
    const seen = await bothWays('idempotency', 'fallback', async (at) => {
      let standIns = 0
      const fallback = new FallbackInterceptor({ value: () => `stand-in ${++standIns}`, ...at('fallback') })
      const { call } = await scripted(
        [takes(10, isAway)],
        [new IdempotencyInterceptor(at('idempotency')), fallback],
      )
      return all(call(key), call(key))
    })
    expect(seen).toEqual({
      byDefault: [
        { value: 'stand-in 1', degraded: true },
        { value: 'stand-in 1', degraded: true },
      ],
      swapped: [
        { value: 'stand-in 1', degraded: true },
        { value: 'stand-in 2', degraded: true },
      ],
    })
  })

  it('the retries: repeats share one set of attempts', async () => {
    const seen = await bothWays('idempotency', 'retry', async (at) => {
      const retries: unknown[] = []
      const retry = new RetryInterceptor({
        initialDelayMs: 0,
        onRetry: ({ ctx }) => retries.push(ctx.callId),
        ...at('retry'),
      })
      const { call, ran } = await scripted(
        [takes(10, isAway), takes(10, isAway), takes(10, gives('done'))],
        [new IdempotencyInterceptor(at('idempotency')), retry],
      )
      const results = await all(call({ ...key, callId: 'first' }), call({ ...key, callId: 'repeat' }))
      return { results, retries, runs: ran.length }
    })
    const results = [{ value: 'done' }, { value: 'done' }]
    expect(seen).toEqual({
      byDefault: { results, retries: ['first', 'first'], runs: 3 },
      swapped: { results, retries: ['first', 'repeat', 'first', 'repeat'], runs: 3 },
    })
  })

  it('the circuit breaker: what has an answer does not need the tool to work', async () => {
    const seen = await bothWays('idempotency', 'circuitBreaker', async (at) => {
      const { breaker } = breakerAt(1, at('circuitBreaker'))
      const { call } = await scripted(
        [gives('done'), resets],
        [new IdempotencyInterceptor(at('idempotency')), breaker],
      )
      return [await call(key), await call(), await call(key)]
    })
    const before = [{ value: 'done' }, { code: 'UPSTREAM_FAILED', outcome: 'unknown' }]
    expect(seen).toEqual({
      byDefault: [...before, { value: 'done' }],
      swapped: [...before, { code: 'CIRCUIT_OPEN', outcome: 'not-started' }],
    })
  })

  it('the concurrency limit: who waits for the work of another, or has an answer, takes no permit', async () => {
    const seen = await bothWays('idempotency', 'concurrencyLimit', async (at) => {
      const { call, ran } = await scripted(
        [takes(10, gives('done'))],
        [new IdempotencyInterceptor(at('idempotency')), oneAtATime(at('concurrencyLimit'))],
      )
      const first = await all(call(key), call(key))
      const [, answered] = await all(call(), call(key))
      return { first, answered, runs: ran.length }
    })
    const overloaded = { code: 'OVERLOADED', outcome: 'not-started' }
    expect(seen).toEqual({
      byDefault: { first: [{ value: 'done' }, { value: 'done' }], answered: { value: 'done' }, runs: 2 },
      swapped: { first: [{ value: 'done' }, overloaded], answered: overloaded, runs: 2 },
    })
  })

  it('the limit of an attempt: it is that of the work, and not of waiting for it', async () => {
    const seen = await bothWays('idempotency', 'attemptTimeout', async (at) => {
      const { call, ran } = await scripted(
        [takes(150, gives('done'))],
        [
          new IdempotencyInterceptor(at('idempotency')),
          new AttemptTimeoutInterceptor({ timeoutMs: 100, ...at('attemptTimeout') }),
        ],
      )
      const first = call(key)
      await pass(80)
      return { results: await all(first, call(key)), runs: ran.length }
    })
    const timedOut = { code: 'TIMEOUT', outcome: 'unknown' }
    expect(seen).toEqual({
      byDefault: { results: [timedOut, timedOut], runs: 1 },
      swapped: { results: [timedOut, { value: 'done' }], runs: 1 },
    })
  })
})

it('a key is held by an attempt that was timed out, and has its end for an answer', async () => {
  const { call, ran } = await scripted(
    [takes(300, gives('done'))],
    [
      new IdempotencyInterceptor(),
      new RetryInterceptor({ initialDelayMs: 0 }),
      new AttemptTimeoutInterceptor({ timeoutMs: 100 }),
    ],
  )
  const first = call(key)
  await pass(150)
  expect(await first).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
  let isAnswered = false
  const repeat = call(key).finally(() => {
    isAnswered = true
  })
  await pass(140)
  expect(isAnswered).toBe(false)
  expect(await all(repeat)).toEqual([{ code: 'TIMEOUT', outcome: 'completed' }])
  expect(ran).toHaveLength(1)
})
