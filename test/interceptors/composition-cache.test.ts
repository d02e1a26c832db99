import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../src/interceptors/attempt-timeout.js'
import { CacheInterceptor } from '../../src/interceptors/cache.js'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import { all, bothWays, breakerAt, gives, oneAtATime, pass, resets, scripted, takes } from './composition.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const metadata = { readOnly: true }
const wanted = { page: 1 }
const other = { page: 2 }

describe('the cache stands outside', () => {
  it('the fallback: calls at the same time share one stand-in, which is not kept', async () => {
    const seen = await bothWays('cache', 'fallback', async (at) => {
      let standIns = 0
      const fallback = new FallbackInterceptor({ value: () => `stand-in ${++standIns}`, ...at('fallback') })
      const { call, ran } = await scripted(
        [takes(10, resets), gives('found')],
        [new CacheInterceptor(at('cache')), fallback],
        metadata,
      )
      const degraded = await all(call(), call())
      return { degraded, later: [await call(), await call()], runs: ran.length }
    })
    const later = [{ value: 'found' }, { value: 'found' }]
    const standIn = (number: number) => ({ value: `stand-in ${number}`, degraded: true })
    expect(seen).toEqual({
      byDefault: { degraded: [standIn(1), standIn(1)], later, runs: 2 },
      swapped: { degraded: [standIn(1), standIn(2)], later, runs: 2 },
    })
  })

  it('the fallback: what was cached makes the last good result no younger', async () => {
    const seen = await bothWays('cache', 'fallback', async (at) => {
      const { call } = await scripted(
        [gives('found'), resets],
        [
          new CacheInterceptor({ ttlMs: 800, ...at('cache') }),
          new FallbackInterceptor({ lastGood: { maxAgeMs: 1_000 }, ...at('fallback') }),
        ],
        metadata,
      )
      await call()
      await pass(700)
      const hit = await call()
      await pass(500)
      return [hit, await call()]
    })
    expect(seen).toEqual({
      byDefault: [{ value: 'found' }, { code: 'UPSTREAM_FAILED', outcome: 'unknown' }],
      swapped: [{ value: 'found' }, { value: 'found', degraded: true }],
    })
  })

  it('the retries: calls at the same time share one set of attempts', async () => {
    const seen = await bothWays('cache', 'retry', async (at) => {
      const retries: unknown[] = []
      const retry = new RetryInterceptor({
        initialDelayMs: 0,
        onRetry: ({ ctx }) => retries.push(ctx.callId),
        ...at('retry'),
      })
      const { call, ran } = await scripted(
        [takes(10, resets), takes(10, gives('found'))],
        [new CacheInterceptor(at('cache')), retry],
        metadata,
      )
      const results = await all(call({ callId: 'first' }), call({ callId: 'second' }))
      return { results, retries, runs: ran.length }
    })
    const results = [{ value: 'found' }, { value: 'found' }]
    expect(seen).toEqual({
      byDefault: { results, retries: ['first'], runs: 2 },
      swapped: { results, retries: ['first', 'second'], runs: 2 },
    })
  })

  it('the circuit breaker: what is cached does not need the tool to work', async () => {
    const seen = await bothWays('cache', 'circuitBreaker', async (at) => {
      const { breaker } = breakerAt(1, at('circuitBreaker'))
      const { call } = await scripted(
        [gives('found'), resets],
        [new CacheInterceptor(at('cache')), breaker],
        metadata,
      )
      await call({}, wanted)
      await call({}, other)
      return [await call({}, wanted), await call({}, other)]
    })
    const open = { code: 'CIRCUIT_OPEN', outcome: 'not-started' }
    expect(seen).toEqual({ byDefault: [{ value: 'found' }, open], swapped: [open, open] })
  })

  it('the concurrency limit: what is cached, or fetched by another, takes no permit', async () => {
    const seen = await bothWays('cache', 'concurrencyLimit', async (at) => {
      const { call } = await scripted(
        [takes(10, gives('found'))],
        [new CacheInterceptor(at('cache')), oneAtATime(at('concurrencyLimit'))],
        metadata,
      )
      const [, joined] = await all(call({}, wanted), call({}, wanted))
      const [, cached] = await all(call({}, other), call({}, wanted))
      return { joined, cached }
    })
    const overloaded = { code: 'OVERLOADED', outcome: 'not-started' }
    expect(seen).toEqual({
      byDefault: { joined: { value: 'found' }, cached: { value: 'found' } },
      swapped: { joined: overloaded, cached: overloaded },
    })
  })

  it('the limit of an attempt: it is that of the work, and not of waiting for it', async () => {
    const seen = await bothWays('cache', 'attemptTimeout', async (at) => {
      const { call, ran } = await scripted(
        [takes(150, gives('found'))],
        [
          new CacheInterceptor(at('cache')),
          new AttemptTimeoutInterceptor({ timeoutMs: 100, ...at('attemptTimeout') }),
        ],
        metadata,
      )
      const first = call()
      await pass(80)
      return { results: await all(first, call()), runs: ran.length }
    })
    const timedOut = { code: 'TIMEOUT', outcome: 'unknown' }
    expect(seen).toEqual({
      byDefault: { results: [timedOut, timedOut], runs: 1 },
      swapped: { results: [timedOut, { value: 'found' }], runs: 1 },
    })
  })
})

it('what a retry brings in the end is cached as any success is', async () => {
  const { call, ran } = await scripted(
    [resets, resets, gives('found')],
    [new CacheInterceptor(), new RetryInterceptor({ initialDelayMs: 0 })],
    metadata,
  )
  expect(await all(call())).toEqual([{ value: 'found' }])
  expect(await all(call())).toEqual([{ value: 'found' }])
  expect(ran).toHaveLength(3)
})
