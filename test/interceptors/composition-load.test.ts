import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../src/interceptors/attempt-timeout.js'
import { ConcurrencyLimitInterceptor } from '../../src/interceptors/concurrency-limit.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import { all, bothWays, breakerAt, gives, oneAtATime, pass, resets, scripted, takes } from './composition.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const overloaded = { code: 'OVERLOADED', outcome: 'not-started' }
const open = { code: 'CIRCUIT_OPEN', outcome: 'not-started' }
const timedOut = { code: 'TIMEOUT', outcome: 'unknown' }

describe('the circuit breaker stands outside', () => {
  it('the concurrency limit: an open circuit refuses without asking for a permit', async () => {
    const seen = await bothWays('circuitBreaker', 'concurrencyLimit', async (at) => {
      const { breaker } = breakerAt(1, at('circuitBreaker'))
      const { call } = await scripted(
        [takes(900, gives('late'))],
        [breaker, oneAtATime(at('concurrencyLimit'))],
        { timeoutMs: 100 },
      )
      const first = call()
      await pass(200)
      return all(first, call())
    })
    expect(seen).toEqual({ byDefault: [timedOut, open], swapped: [timedOut, overloaded] })
  })

  it('the concurrency limit: overload does not open it', async () => {
    const { breaker, changes } = breakerAt(1)
    const { call } = await scripted([takes(10, gives('done'))], [breaker, oneAtATime()])
    expect(await all(call(), call(), call())).toEqual([{ value: 'done' }, overloaded, overloaded])
    expect(changes).toEqual([])
  })

  it('the limit of an attempt: one that is timed out counts, once, whatever comes of it', async () => {
    const seen = await bothWays('circuitBreaker', 'attemptTimeout', async (at) => {
      const { breaker, changes } = breakerAt(2, at('circuitBreaker'))
      const { call } = await scripted(
        [takes(200, resets)],
        [breaker, new AttemptTimeoutInterceptor({ timeoutMs: 100, ...at('attemptTimeout') })],
      )
      const first = await all(call())
      const afterFirst = [...changes]
      return { results: [...first, ...(await all(call()))], afterFirst, changes }
    })
    const results = [timedOut, timedOut]
    expect(seen).toEqual({
      byDefault: { results, afterFirst: [], changes: ['open'] },
      swapped: { results, afterFirst: [], changes: [] },
    })
  })
})

describe('the concurrency limit stands outside', () => {
  it('the limit of an attempt: waiting for a permit is no work', async () => {
    const seen = await bothWays('concurrencyLimit', 'attemptTimeout', async (at) => {
      const { call } = await scripted(
        [takes(80, gives('done'))],
        [
          new ConcurrencyLimitInterceptor({ perTool: 1, ...at('concurrencyLimit') }),
          new AttemptTimeoutInterceptor({ timeoutMs: 100, ...at('attemptTimeout') }),
        ],
      )
      return all(call(), call())
    })
    expect(seen).toEqual({
      byDefault: [{ value: 'done' }, { value: 'done' }],
      swapped: [{ value: 'done' }, timedOut],
    })
  })

  it('the limit of an attempt: a permit is held by what was timed out, until it has settled', async () => {
    const { call } = await scripted(
      [takes(500, gives('late')), gives('done')],
      [oneAtATime(), new AttemptTimeoutInterceptor({ timeoutMs: 100 })],
    )
    const first = call()
    await pass(150)
    const second = call()
    await pass(400)
    expect(await all(first, second, call())).toEqual([timedOut, overloaded, { value: 'done' }])
  })
})

it('an attempt that still works keeps the next one of its call waiting for its permit', async () => {
  const { call, ran } = await scripted(
    [takes(300, gives('late')), gives('done')],
    [
      new RetryInterceptor({ initialDelayMs: 0 }),
      new ConcurrencyLimitInterceptor({ perTool: 1 }),
      new AttemptTimeoutInterceptor({ timeoutMs: 100 }),
    ],
    { idempotent: true },
  )
  const retried = call()
  await pass(290)
  expect(ran).toHaveLength(1)
  expect(await all(retried)).toEqual([{ value: 'done' }])
  expect(ran).toHaveLength(2)
})
