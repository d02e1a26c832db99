import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../src/interceptors/attempt-timeout.js'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import { OverloadedError } from '../../src/registry/tool-error.js'
import { all, bothWays, breakerAt, gives, oneAtATime, pass, resets, scripted, takes } from './composition.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const metadata = { readOnly: true }
const standIn = { value: 'stand-in', degraded: true }
const overloaded = { code: 'OVERLOADED', outcome: 'not-started' }
const timedOut = { code: 'TIMEOUT', outcome: 'unknown' }

describe('the fallback stands outside', () => {
  it('the retries: it stands in after the last attempt only', async () => {
    const seen = await bothWays('fallback', 'retry', async (at) => {
      const { call, ran } = await scripted(
        [resets, gives('done'), resets],
        [
          new FallbackInterceptor({ value: 'stand-in', ...at('fallback') }),
          new RetryInterceptor({ initialDelayMs: 0, ...at('retry') }),
        ],
        metadata,
      )
      return { results: [...(await all(call())), ...(await all(call()))], runs: ran.length }
    })
    expect(seen).toEqual({
      byDefault: { results: [{ value: 'done' }, standIn], runs: 5 },
      swapped: { results: [standIn, { value: 'done' }], runs: 2 },
    })
  })

  it('the circuit breaker: what is stood in for counts as a failure, and so does not go on', async () => {
    const seen = await bothWays('fallback', 'circuitBreaker', async (at) => {
      const { breaker, changes } = breakerAt(2, at('circuitBreaker'))
      const { call, ran } = await scripted(
        [resets],
        [new FallbackInterceptor({ value: 'stand-in', ...at('fallback') }), breaker],
        metadata,
      )
      const results = [await call(), await call(), await call(), await call()]
      return { results, changes, runs: ran.length }
    })
    const results = [standIn, standIn, standIn, standIn]
    expect(seen).toEqual({
      byDefault: { results, changes: ['open'], runs: 2 },
      swapped: { results, changes: [], runs: 4 },
    })
  })

  it('the concurrency limit: it stands in for what is refused, and holds no permit', async () => {
    const seen = await bothWays('fallback', 'concurrencyLimit', async (at) => {
      const { call } = await scripted(
        [takes(10, resets), takes(10, gives('done'))],
        [
          new FallbackInterceptor({ value: takes(100, gives('stand-in')), ...at('fallback') }),
          oneAtATime(at('concurrencyLimit')),
        ],
        metadata,
      )
      const first = call()
      const refused = call()
      await pass(50)
      return all(first, refused, call())
    })
    expect(seen).toEqual({
      byDefault: [standIn, standIn, { value: 'done' }],
      swapped: [standIn, overloaded, overloaded],
    })
  })

  it('the limit of an attempt: it stands in for what took too long, in its own time', async () => {
    const seen = await bothWays('fallback', 'attemptTimeout', async (at) => {
      const { call } = await scripted(
        [takes(500, gives('done'))],
        [
          new FallbackInterceptor({ value: takes(200, gives('stand-in')), ...at('fallback') }),
          new AttemptTimeoutInterceptor({ timeoutMs: 100, ...at('attemptTimeout') }),
        ],
        metadata,
      )
      return all(call())
    })
    expect(seen).toEqual({ byDefault: [standIn], swapped: [timedOut] })
  })
})

describe('the retries stand outside', () => {
  it('the circuit breaker: each attempt counts, and an open circuit is waited for', async () => {
    const seen = await bothWays('retry', 'circuitBreaker', async (at) => {
      const { breaker, changes } = breakerAt(2, { openForMs: 500, ...at('circuitBreaker') })
      const { call, ran } = await scripted(
        [resets, resets, gives('done')],
        [new RetryInterceptor({ initialDelayMs: 0, maxAttempts: 4, ...at('retry') }), breaker],
        metadata,
      )
      return { results: await all(call()), changes, runs: ran.length }
    })
    expect(seen).toEqual({
      byDefault: { results: [{ value: 'done' }], changes: ['open', 'half-open', 'closed'], runs: 3 },
      swapped: { results: [{ value: 'done' }], changes: [], runs: 3 },
    })
  })

  it('the concurrency limit: who waits to try again holds no permit', async () => {
    const seen = await bothWays('retry', 'concurrencyLimit', async (at) => {
      const busy = () => {
        throw new OverloadedError('scripted', 300)
      }
      const { call } = await scripted(
        [busy, gives('done')],
        [new RetryInterceptor({ initialDelayMs: 0, ...at('retry') }), oneAtATime(at('concurrencyLimit'))],
      )
      const first = call()
      await pass(100)
      return all(first, call())
    })
    expect(seen).toEqual({
      byDefault: [{ value: 'done' }, { value: 'done' }],
      swapped: [{ value: 'done' }, overloaded],
    })
  })

  it('the limit of an attempt: each has its own, and is repeated where that is safe', async () => {
    const seen = await bothWays('retry', 'attemptTimeout', async (at) => {
      const run = async (metadata: { readonly idempotent: boolean }) => {
        const { call, ran } = await scripted(
          [takes(500, gives('late')), takes(90, gives('done'))],
          [
            new RetryInterceptor({ initialDelayMs: 0, ...at('retry') }),
            new AttemptTimeoutInterceptor({ timeoutMs: 100, ...at('attemptTimeout') }),
          ],
          metadata,
        )
        return [...(await all(call())), ran.length]
      }
      return { safe: await run({ idempotent: true }), unsafe: await run({ idempotent: false }) }
    })
    expect(seen).toEqual({
      byDefault: { safe: [{ value: 'done' }, 2], unsafe: [timedOut, 1] },
      swapped: { safe: [timedOut, 1], unsafe: [timedOut, 1] },
    })
  })
})
