import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CacheInterceptor } from '../../src/interceptors/cache.js'
import { ConcurrencyLimitInterceptor } from '../../src/interceptors/concurrency-limit.js'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { IdempotencyInterceptor } from '../../src/interceptors/idempotency.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import { toolRoutes } from '../../src/runtime/tool-routes.js'
import { started, tool } from '../runtime/runtime-fixture.js'
import {
  all,
  breakerAt,
  gistOf,
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

const readOnly = { readOnly: true }
const done = { value: 'done' }
const overloaded = { code: 'OVERLOADED', outcome: 'not-started' }
const limited = { code: 'RATE_LIMITED', outcome: 'not-started' }

describe('a batch', () => {
  it('passes the same limits as so many calls, and shares what they would share', async () => {
    const { runtime, ran } = await scripted(
      [takes(10, gives('done'))],
      [new RateLimitInterceptor({ defaultPerMinute: 5 }), new CacheInterceptor(), oneAtATime()],
      readOnly,
    )
    const batch = (...pages: readonly number[]) =>
      runtime.callAll(pages.map((page) => ({ tool: 'scripted', input: { page } })))
    const [results = []] = await all(batch(1, 2, 1))
    expect(results.map(gistOf)).toEqual([done, overloaded, done])
    const [more = []] = await all(batch(1, 1, 1))
    expect(more.map(gistOf)).toEqual([done, done, limited])
    expect(ran).toEqual([{ page: 1 }])
  })

  it('may have one key twice: one of them runs, and both have its answer', async () => {
    const { runtime, ran } = await scripted(
      [takes(10, isAway), takes(10, gives('done'))],
      [new IdempotencyInterceptor(), new RetryInterceptor({ initialDelayMs: 0 })],
    )
    const one = { tool: 'scripted', options: { idempotencyKey: 'k' } }
    const [results = []] = await all(runtime.callAll([one, one]))
    expect(results.map(gistOf)).toEqual([done, done])
    expect(ran).toHaveLength(2)
  })
})

describe('a task', () => {
  it('is one call, however many attempts it takes, and repeats of it share them', async () => {
    const { runtime, ran, call } = await scripted(
      [takes(10, isAway), takes(10, gives('done'))],
      [
        new RateLimitInterceptor({ defaultPerMinute: 2 }),
        new IdempotencyInterceptor(),
        new RetryInterceptor({ initialDelayMs: 0 }),
      ],
      { task: 'optional' },
    )
    const key = { idempotencyKey: 'k' }
    const tasks = [
      await runtime.tasks.start('scripted', {}, key),
      await runtime.tasks.start('scripted', {}, key),
    ]
    const results = await all(...tasks.map((task) => task.result()))
    expect(results.map(gistOf)).toEqual([done, done])
    expect(ran).toHaveLength(2)
    expect(await call(key)).toEqual(limited)
  })

  it('that is cancelled while it waits for a permit gives its place back', async () => {
    const { runtime, call } = await scripted(
      [takes(300, gives('done'))],
      [new ConcurrencyLimitInterceptor({ perTool: 1, queue: 1 })],
      { task: 'optional' },
    )
    const running = call()
    const task = await runtime.tasks.start('scripted')
    expect(await call()).toEqual(overloaded)
    await task.cancel()
    await pass(0)
    expect(gistOf(await task.result())).toEqual({ code: 'ABORTED', outcome: 'not-started' })
    expect(await all(running, call())).toEqual([done, done])
  })
})

describe('one tool of several', () => {
  it('is one call under its key: repeats share the way through its alternatives', async () => {
    const ran: string[] = []
    const step = (name: string, act: () => unknown) =>
      tool(name, () => {
        ran.push(name)
        return takes(10, act)()
      })
    const { runtime } = await started({
      tools: [toolRoutes(step('a', isAway), step('b', gives('done')))],
      interceptors: [new RateLimitInterceptor({ defaultPerMinute: 3 }), new IdempotencyInterceptor()],
    })
    const call = async () => gistOf(await runtime.call('a', {}, { idempotencyKey: 'k' }))
    expect(await all(call(), call())).toEqual([done, done])
    expect([await call(), await call(), ran]).toEqual([done, limited, ['a', 'b']])
  })

  it('tries each alternative as often as the retries allow, and counts the health of each', async () => {
    const ran: string[] = []
    const { breaker, changes } = breakerAt(2)
    const { runtime } = await started({
      tools: [
        toolRoutes(
          tool('a', () => ran.push('a') && resets(), { metadata: readOnly }),
          tool('b', () => ran.push('b'), { metadata: readOnly }),
        ),
      ],
      interceptors: [new RetryInterceptor({ initialDelayMs: 0, maxAttempts: 2 }), breaker],
    })
    expect(await all(runtime.call('a').then(gistOf))).toEqual([{ value: 3 }])
    expect([ran, changes]).toEqual([['a', 'a', 'b'], ['open']])
  })

  it('is stood in for once no alternative is left', async () => {
    const { runtime } = await started({
      tools: [
        toolRoutes(
          tool('a', isAway, { metadata: readOnly }),
          tool('b', gives('done'), { metadata: readOnly }),
        ),
        toolRoutes(tool('c', isAway, { metadata: readOnly }), tool('d', isAway, { metadata: readOnly })),
      ],
      interceptors: [new FallbackInterceptor({ value: 'stand-in' })],
    })
    expect([gistOf(await runtime.call('a')), gistOf(await runtime.call('c'))]).toEqual([
      done,
      { value: 'stand-in', degraded: true },
    ])
  })
})
