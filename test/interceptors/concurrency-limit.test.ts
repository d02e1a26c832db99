import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../src/interceptors/attempt-timeout.js'
import {
  ConcurrencyLimitInterceptor,
  type ConcurrencyLimitInterceptorOptions,
} from '../../src/interceptors/concurrency-limit.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import { UpstreamError } from '../../src/registry/tool-error.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import type { CallOptions } from '../../src/runtime/call-options.js'
import { accept, form, runRound } from '../runtime/rounds-fixture.js'
import { deferred, gist, started, tool } from '../runtime/runtime-fixture.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Settles what can settle without time passing. */
const turn = () => vi.advanceTimersByTimeAsync(0)

/** Tools `asks` and `other` whose calls work until they are told to end, behind a limit. */
async function limited({
  around = [],
  metadata = {},
  work,
  ...options
}: ConcurrencyLimitInterceptorOptions & {
  readonly around?: readonly ToolInterceptor[]
  readonly metadata?: ToolMetadataInit
  readonly work?: Parameters<typeof tool>[1]
} = {}) {
  const limit = new ConcurrencyLimitInterceptor({ perTool: 1, ...options })
  const working: { readonly id: unknown; readonly end: ReturnType<typeof deferred<string>> }[] = []
  const order: unknown[] = []
  const executor: typeof work = (ctx) => {
    order.push(ctx.args.id)
    if (work !== undefined) return work(ctx)
    const end = deferred<string>()
    working.push({ id: ctx.args.id, end })
    return end.promise
  }
  const { runtime } = await started({
    interceptors: [limit, ...around],
    tools: [tool('asks', executor, { metadata }), tool('other', executor, { metadata })],
  })
  return {
    runtime,
    limit,
    working,
    order,
    call: async (id: unknown = 1, options: CallOptions = {}, name = 'asks') =>
      gist(await runtime.call(name, { id }, options)),
    counts: () => {
      const { running, waiting } = limit.explain(runtime.registry.getRequired('asks'))
      return { running, waiting }
    },
    /** Ends all that works, and all that begins because of it. */
    async endAll() {
      for (let one = working.shift(); one !== undefined; one = working.shift()) {
        one.end.resolve('done')
        await turn()
      }
    },
  }
}

const idle = { running: 0, waiting: 0 }
const overloaded = { code: 'OVERLOADED', outcome: 'not-started' }
const session = (sessionId: string) => ({ sessionId })

describe('calls of one definition', () => {
  it('run up to the limit, and the others wait', async () => {
    const limit = await limited({ perTool: 2 })
    const answers = Promise.all([1, 2, 3].map((id) => limit.call(id)))
    await turn()
    expect(limit.order).toEqual([1, 2])
    expect(limit.counts()).toEqual({ running: 2, waiting: 1 })
    await limit.endAll()
    expect(await answers).toEqual([{ value: 'done' }, { value: 'done' }, { value: 'done' }])
    expect(limit.counts()).toEqual(idle)
  })

  it('have nothing to do with those of another', async () => {
    const limit = await limited()
    void limit.call(1)
    void limit.call(2, {}, 'other')
    await turn()
    expect(limit.order).toEqual([1, 2])
  })

  it('of one caller may be fewer', async () => {
    const limit = await limited({ perTool: 3, perCaller: 1 })
    void limit.call('a1', session('a'))
    void limit.call('a2', session('a'))
    void limit.call('b1', session('b'))
    await turn()
    expect(limit.order).toEqual(['a1', 'b1'])
  })

  it('take turns: a thousand of one caller do not keep another’s one waiting', async () => {
    const limit = await limited({ queue: 2_000, queueTimeoutMs: 60_000 })
    const many = Array.from({ length: 1_000 }, (_, n) => limit.call(`a${n}`, session('a')))
    await turn()
    const one = limit.call('b', session('b'))
    await turn()
    await limit.endAll()
    expect(await one).toEqual({ value: 'done' })
    await Promise.all(many)
    expect(limit.order.slice(0, 4)).toEqual(['a0', 'a1', 'b', 'a2'])
    expect(limit.counts()).toEqual(idle)
  })

  it.each([
    ['by name', { other: { perTool: 2, queue: 0 } }],
    [
      'as a function says',
      ({ name }: { name: string }) => (name === 'other' ? { perTool: 2, queue: 0 } : undefined),
    ],
  ])('are held to limits of their own: %s', async (_, limits) => {
    const limit = await limited({ limits })
    const others = [1, 2, 3].map((id) => limit.call(id, {}, 'other'))
    expect(await others[2]).toEqual(overloaded)
    expect(limit.order).toEqual([1, 2])
    expect(limit.limit.explain(limit.runtime.registry.getRequired('other'))).toEqual({
      perTool: 2,
      perCaller: Number.POSITIVE_INFINITY,
      queue: 0,
      queueTimeoutMs: 10_000,
      running: 2,
      waiting: 0,
    })
  })

  it('are held to a limit that has changed once none of them runs', async () => {
    let perTool = 1
    const limit = await limited({ queue: 0, limits: () => ({ perTool }) })
    void limit.call(1)
    await turn()
    perTool = 2
    expect(await limit.call(2)).toEqual(overloaded)
    await limit.endAll()
    void limit.call(3)
    void limit.call(4)
    await turn()
    expect(limit.order).toEqual([1, 3, 4])
  })

  it('are never too many and all answered, whatever they do', async () => {
    const call = fc.record({
      caller: fc.constantFrom('a', 'b', 'c'),
      startMs: fc.integer({ min: 0, max: 60 }),
      workMs: fc.integer({ min: 0, max: 60 }),
      timeoutMs: fc.integer({ min: 1, max: 80 }),
      abortMs: fc.option(fc.integer({ min: 0, max: 100 })),
      ends: fc.constantFrom('value', 'error', 'throws', 'heeds its signal'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 25 }), async (calls) => {
        const running = new Map<string, number>()
        const most = { ofOne: 0, ofAll: 0 }
        const count = (caller: string, change: number) => {
          running.set(caller, (running.get(caller) ?? 0) + change)
          most.ofOne = Math.max(most.ofOne, ...running.values())
          most.ofAll = Math.max(
            most.ofAll,
            [...running.values()].reduce((sum, n) => sum + n),
          )
        }
        const limit = await limited({
          perTool: 3,
          perCaller: 2,
          queue: 4,
          queueTimeoutMs: 30,
          work: ({ args, signal }) => {
            const { caller, workMs, ends } = calls[Number(args.id)] as (typeof calls)[number]
            if (ends === 'throws') throw new Error('at once')
            count(caller, 1)
            return new Promise((resolve, reject) => {
              const end = () => {
                clearTimeout(timer)
                signal.removeEventListener('abort', end)
                count(caller, -1)
                if (ends === 'error') reject(new Error('in the end'))
                else resolve('done')
              }
              const timer = setTimeout(end, workMs)
              if (ends === 'heeds its signal') signal.addEventListener('abort', end)
            })
          },
        })
        const answers = calls.map(async ({ caller, startMs, timeoutMs, abortMs }, id) => {
          const controller = new AbortController()
          if (abortMs !== null) setTimeout(() => controller.abort(), abortMs)
          await new Promise((resolve) => setTimeout(resolve, startMs))
          return limit.call(id, { sessionId: caller, timeoutMs, signal: controller.signal })
        })
        const all = Promise.all(answers)
        await vi.advanceTimersByTimeAsync(400)
        const expected = [
          { value: 'done' },
          ...['EXECUTION_FAILED', 'TIMEOUT', 'ABORTED'].map((code) => ({ code, outcome: 'unknown' })),
          ...['OVERLOADED', 'TIMEOUT', 'ABORTED'].map((code) => ({ code, outcome: 'not-started' })),
        ]
        for (const answer of await all) expect(expected).toContainEqual(answer)
        expect(most.ofOne).toBeLessThanOrEqual(2)
        expect(most.ofAll).toBeLessThanOrEqual(3)
        expect(limit.counts()).toEqual(idle)
        await limit.runtime.close()
      }),
      { numRuns: 40 },
    )
  })
})

describe('waiting', () => {
  it('is refused where the queue is full, with a time to come back', async () => {
    const limit = await limited({ queue: 0, retryAfterMs: 3_000 })
    void limit.call(1)
    const result = await limit.runtime.call('asks', { id: 2 })
    expect(result.ok ? result : result.error).toMatchObject({ ...overloaded, retryAfterMs: 3_000 })
    expect(limit.counts()).toEqual({ running: 1, waiting: 0 })
  })

  it('gives way in a full queue to a caller who has fewer there', async () => {
    const limit = await limited({ queue: 2 })
    const own = ['a1', 'a2', 'a3'].map((id) => limit.call(id, session('a')))
    await turn()
    const other = limit.call('b1', session('b'))
    expect(await own[2]).toEqual(overloaded)
    await limit.endAll()
    expect(await Promise.all([own[0], own[1], other])).toEqual([
      { value: 'done' },
      { value: 'done' },
      { value: 'done' },
    ])
  })

  it('ends after queueTimeoutMs', async () => {
    const limit = await limited({ queueTimeoutMs: 500 })
    void limit.call(1)
    const second = limit.call(2)
    await vi.advanceTimersByTimeAsync(500)
    expect(await second).toEqual(overloaded)
    expect(limit.counts()).toEqual({ running: 1, waiting: 0 })
  })

  it('ends at the deadline of the call', async () => {
    const limit = await limited()
    void limit.call(1)
    const second = limit.call(2, { timeoutMs: 500 })
    await vi.advanceTimersByTimeAsync(500)
    expect(await second).toEqual({ code: 'TIMEOUT', outcome: 'not-started' })
    expect(limit.counts()).toEqual({ running: 1, waiting: 0 })
    expect(limit.order).toEqual([1])
  })

  it('ends when the caller gives up', async () => {
    const limit = await limited()
    const controller = new AbortController()
    void limit.call(1)
    const second = limit.call(2, { signal: controller.signal })
    await turn()
    controller.abort()
    expect(await second).toEqual({ code: 'ABORTED', outcome: 'not-started' })
    await limit.endAll()
    expect(limit.order).toEqual([1])
    expect(limit.counts()).toEqual(idle)
  })

  it('ends with a permit that is given back where the caller gives up in the same moment', async () => {
    const limit = await limited()
    const controller = new AbortController()
    void limit.call(1)
    const second = limit.call(2, { signal: controller.signal })
    await turn()
    limit.working[0]?.end.promise.then(() => controller.abort())
    await limit.endAll()
    await second
    await limit.endAll()
    expect(limit.counts()).toEqual(idle)
  })

  it('of a tool for itself ends too', async () => {
    const limit = await limited({
      queueTimeoutMs: 1_000,
      work: async (ctx) => {
        const inner = await ctx.call('asks', { id: 'inner' })
        return inner.ok ? inner.value : inner.error.code
      },
    })
    const answer = limit.call('outer')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await answer).toEqual({ value: 'OVERLOADED' })
    expect(limit.counts()).toEqual(idle)
  })
})

describe('a permit', () => {
  it('is held until the work has settled, also after the call was answered', async () => {
    const limit = await limited({ queue: 0 })
    const first = limit.call(1, { timeoutMs: 50 })
    await vi.advanceTimersByTimeAsync(50)
    expect(await first).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    expect(await limit.call(2)).toEqual(overloaded)
    limit.working[0]?.end.resolve('late')
    await turn()
    expect(limit.counts()).toEqual(idle)
    void limit.call(3)
    await turn()
    expect(limit.order).toEqual([1, 3])
  })

  it('is held by an attempt that was timed out, while another one has its own', async () => {
    const limit = await limited({
      perTool: 2,
      queue: 0,
      metadata: { idempotent: true },
      around: [new AttemptTimeoutInterceptor({ timeoutMs: 50 }), new RetryInterceptor({ initialDelayMs: 0 })],
    })
    const answer = limit.call(1)
    await vi.advanceTimersByTimeAsync(60)
    expect(limit.working).toHaveLength(2)
    expect(limit.counts()).toEqual({ running: 2, waiting: 0 })
    limit.working[1]?.end.resolve('done')
    expect(await answer).toEqual({ value: 'done' })
    expect(limit.counts().running).toBeGreaterThan(0)
    limit.working[0]?.end.resolve('late')
    await turn()
    expect(limit.counts()).toEqual(idle)
  })

  it('is given back while the call waits for the user in rounds', async () => {
    const limit = await limited({ work: async ({ ask }) => (await ask(form())).action })
    const asked = runRound(limit.runtime)
    await turn()
    expect(await asked).toEqual({ asked: ['ask-1'], steps: {} })
    expect(limit.counts()).toEqual(idle)
    expect(await runRound(limit.runtime, { number: 2, answers: { 'ask-1': accept } })).toEqual({
      value: 'accept',
    })
  })

  it.each<[string, ToolInterceptor | undefined, () => unknown]>([
    ['a failure', undefined, () => Promise.reject(new UpstreamError('down'))],
    [
      'an executor that throws at once',
      undefined,
      () => {
        throw new Error('at once')
      },
    ],
    [
      'an inner hook that throws',
      {
        beforeExecute: () => {
          throw new Error('inner')
        },
      },
      () => 'done',
    ],
    ['a value that is there at once', undefined, () => 'done'],
  ])('is given back after %s', async (_, inner, work) => {
    const limit = await limited({ work, around: inner === undefined ? [] : [inner], queue: 0 })
    for (let i = 0; i < 3; i++) expect(await limit.call()).not.toEqual(overloaded)
    expect(limit.counts()).toEqual(idle)
  })
})

describe('the options', () => {
  it.each([
    [{ perTool: 0 }, 'perTool must be a whole number from 1 (got 0)'],
    [{ perCaller: 1.5 }, 'perCaller must be a whole number from 1 (got 1.5)'],
    [{ queue: Number.POSITIVE_INFINITY }, 'queue must be a whole number from 0 (got Infinity)'],
    [{ queueTimeoutMs: 0 }, 'queueTimeoutMs must be a number from 1 to 2147483647 (got 0)'],
    [{ retryAfterMs: -1 }, 'retryAfterMs must be a number from 0'],
    [{ limits: { slow: { perTool: -1 } } }, 'limits.slow.perTool must be a whole number from 1 (got -1)'],
  ])('refuses what cannot be: %j', (options, message) => {
    expect(() => new ConcurrencyLimitInterceptor(options)).toThrow(message)
  })
})
