import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RetryInterceptor, type RetryInterceptorOptions } from '../../src/interceptors/retry.js'
import {
  ApprovalRequiredError,
  CircuitOpenError,
  ForbiddenError,
  IdempotencyConflictError,
  InvalidArgumentsError,
  InvalidResultError,
  OverloadedError,
  ToolExecutionError,
  ToolTimeoutError,
  UnauthenticatedError,
  UpstreamError,
} from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import { gist, started, tool } from '../runtime/runtime-fixture.js'
import { unhandledRejectionsDuring } from './unhandled-rejections.js'

beforeEach(() => {
  vi.useFakeTimers()
  // Of the `full` jitter, the middle.
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const reset = () => new UpstreamError('connection reset')

/** A tool that fails with these errors, one after the other, and then succeeds. */
async function flaky(
  failures: readonly unknown[],
  {
    metadata = { idempotent: true },
    inner = [],
    ...options
  }: RetryInterceptorOptions & {
    readonly metadata?: ToolMetadataInit
    readonly inner?: readonly ToolInterceptor[]
  } = {},
) {
  const startedAt: number[] = []
  const begin = performance.now()
  const retry = new RetryInterceptor({ jitter: 'full', ...options })
  const { runtime } = await started({
    interceptors: [retry, ...inner],
    tools: [
      tool(
        'flaky',
        async () => {
          startedAt.push(performance.now() - begin)
          const failure = failures[startedAt.length - 1]
          if (failure !== undefined) throw failure
          return 'done'
        },
        { metadata },
      ),
    ],
  })
  return {
    runtime,
    retry,
    startedAt,
    async call(options: Parameters<typeof runtime.call>[2] = {}) {
      const answer = runtime.call('flaky', {}, options)
      await vi.runAllTimersAsync()
      return gist(await answer)
    },
  }
}

describe('what is repeated', () => {
  it.each([
    reset(),
    ...[408, 425, 429, 500, 503].map((status) => new UpstreamError('no', { status })),
    new OverloadedError('flaky', 10),
    new CircuitOpenError('flaky', 10),
    new ToolTimeoutError('flaky', 10, { outcome: 'unknown' }),
    new Error('not thrown on purpose'),
    'not even an error',
  ])('of an idempotent tool, what may pass: %s', async (failure) => {
    const { call, startedAt } = await flaky([failure])
    expect(await call()).toEqual({ value: 'done' })
    expect(startedAt).toHaveLength(2)
  })

  it.each([
    new UpstreamError('no', { status: 404 }),
    new ToolExecutionError('thrown on purpose'),
    new ToolExecutionError('thrown on purpose, for a reason', { cause: new Error('no rows') }),
    new InvalidResultError('flaky', 'no'),
  ])('not what comes again, unless retryOn says so: %s', async (failure) => {
    const once = await flaky([failure])
    expect(await once.call()).toMatchObject({ code: failure.code })
    expect(once.startedAt).toHaveLength(1)
    const twice = await flaky([failure], { retryOn: () => true })
    expect(await twice.call()).toEqual({ value: 'done' })
  })

  it.each([
    new InvalidArgumentsError('flaky', []),
    new ForbiddenError(),
    new UnauthenticatedError(),
    new ApprovalRequiredError('flaky', 'a-1'),
    new IdempotencyConflictError('flaky'),
  ])('never a refusal, whatever retryOn says: %s', async (failure) => {
    const retryOn = vi.fn(() => true)
    const { call, startedAt } = await flaky([failure], { retryOn })
    expect(await call()).toMatchObject({ code: failure.code })
    expect(startedAt).toHaveLength(1)
    expect(retryOn).not.toHaveBeenCalled()
  })

  it('less, where retryOn is narrower', async () => {
    const { call } = await flaky([reset()], { retryOn: ({ code }) => code === 'OVERLOADED' })
    expect(await call()).toEqual({ code: 'UPSTREAM_FAILED', outcome: 'unknown' })
  })

  it('of a tool that may act twice, only what was not started, however wide retryOn is', async () => {
    const notStarted = new UpstreamError('connection refused', { outcome: 'not-started' })
    const { call, startedAt } = await flaky([notStarted, reset()], { metadata: {}, retryOn: () => true })
    expect(await call()).toEqual({ code: 'UPSTREAM_FAILED', outcome: 'unknown' })
    expect(startedAt).toHaveLength(2)
  })

  it('of a tool that forwards its idempotency key, everything that may pass', async () => {
    const { call } = await flaky([reset()], { metadata: { forwardsIdempotencyKey: true } })
    expect(await call()).toEqual({ value: 'done' })
  })

  it('keeps the error of a hook that failed after the work, which is not done again', async () => {
    const full = new OverloadedError('flaky', 10)
    const { call, startedAt } = await flaky([], {
      metadata: {},
      inner: [
        {
          afterExecute: () => {
            throw full
          },
        },
      ],
    })
    expect(await call()).toEqual({ code: 'OVERLOADED', outcome: 'completed' })
    expect(startedAt).toHaveLength(1)
  })
})

describe('the wait', () => {
  it('doubles, with jitter, and maxAttempts ends it', async () => {
    const { call, startedAt } = await flaky([reset(), reset(), reset(), reset()], { maxAttempts: 4 })
    expect(await call()).toEqual({ code: 'UPSTREAM_FAILED', outcome: 'unknown' })
    expect(startedAt).toEqual([0, 100, 300, 700])
  })

  it('is never longer than maxDelayMs', async () => {
    const { call, startedAt } = await flaky([reset(), reset(), reset()], { maxAttempts: 4, maxDelayMs: 250 })
    await call()
    expect(startedAt).toEqual([0, 100, 225, 350])
  })

  it('is at least what the error asks for, and spread on top', async () => {
    const full = new OverloadedError('flaky', 1_500)
    const { call, startedAt } = await flaky([full])
    await call()
    expect(startedAt).toEqual([0, 1_600])
  })

  it('does not begin where the error asks for more than maxDelayMs', async () => {
    const { call, startedAt } = await flaky([new OverloadedError('flaky', 10_001)])
    expect(await call()).toEqual({ code: 'OVERLOADED', outcome: 'not-started' })
    expect(startedAt).toEqual([0])
  })

  it('does not begin where it would not end before the deadline', async () => {
    const { runtime, startedAt } = await flaky([reset()])
    expect(gist(await runtime.call('flaky', {}, { timeoutMs: 100 }))).toEqual({
      code: 'UPSTREAM_FAILED',
      outcome: 'unknown',
    })
    expect(startedAt).toEqual([0])
  })

  it('ends when the caller gives up, and leaves nothing behind', async () => {
    const controller = new AbortController()
    const { runtime, startedAt } = await flaky([reset()])
    const answer = runtime.call('flaky', {}, { signal: controller.signal })
    await vi.advanceTimersByTimeAsync(50)
    controller.abort()
    expect(gist(await answer)).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    expect(startedAt).toEqual([0])
    // The one of all deadlines, which does not keep the process alive.
    expect(vi.getTimerCount()).toBe(1)
  })

  it('uses decorrelated jitter by default', async () => {
    const { call, startedAt } = await flaky([reset()], { jitter: undefined as never })
    await call()
    const [, second = 0] = startedAt
    expect(second).toBeGreaterThan(0)
    expect(second).toBeLessThan(10_000)
  })
})

describe('onRetry', () => {
  it('hears of each attempt that is repeated, and hurts nothing', async () => {
    const heard: unknown[] = []
    const { call } = await flaky([reset(), reset()], {
      onRetry: ({ ctx, error, attempt, delayMs }) => {
        heard.push([ctx.toolName, error.code, attempt, delayMs])
        throw new Error('bad listener')
      },
    })
    expect(await call()).toEqual({ value: 'done' })
    expect(heard).toEqual([
      ['flaky', 'UPSTREAM_FAILED', 1, 100],
      ['flaky', 'UPSTREAM_FAILED', 2, 200],
    ])
  })

  it('may reject, or abort the call', async () => {
    const controller = new AbortController()
    const { runtime } = await flaky([reset()], {
      onRetry: async () => {
        controller.abort()
        throw new Error('bad listener')
      },
    })
    const rejections = await unhandledRejectionsDuring(async () => {
      const answer = runtime.call('flaky', {}, { signal: controller.signal })
      await vi.runAllTimersAsync()
      expect(gist(await answer)).toEqual({ code: 'ABORTED', outcome: 'unknown' })
      vi.useRealTimers()
    })
    expect(rejections).toEqual([])
  })
})

describe('the budget', () => {
  const always = Array.from({ length: 1_000 }, reset)

  it('lets retries that fail grow the load by a share of the calls alone', async () => {
    const { call, startedAt } = await flaky(always, { budget: { reserve: 4, perCall: 0.25 } })
    for (let i = 0; i < 100; i++) await call()
    // 100 calls, the reserve, and a retry for every fourth call; the first earned nothing, with a full reserve.
    expect(startedAt.length).toBeGreaterThanOrEqual(100 + 4 + 24)
    expect(startedAt.length).toBeLessThanOrEqual(100 + 4 + 25)
  })

  it('costs nothing while retries succeed', async () => {
    const failsOnce = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? reset() : undefined))
    const { call } = await flaky(failsOnce, { budget: { reserve: 1, perCall: 0 } })
    for (let i = 0; i < 50; i++) expect(await call()).toEqual({ value: 'done' })
  })

  it('belongs to one definition, and explain shows it', async () => {
    const { call, retry, runtime } = await flaky(always, { budget: { reserve: 2, perCall: 0 } })
    await call()
    expect(await call()).toEqual({ code: 'UPSTREAM_FAILED', outcome: 'unknown' })
    const flakyTool = runtime.registry.getRequired('flaky')
    expect(retry.explain(flakyTool)).toEqual({
      maxAttempts: 3,
      maxDelayMs: 2_000,
      repeats: 'what is transient',
      retriesLeft: 0,
    })
    expect(retry.explain(tool('other'))).toMatchObject({ repeats: 'not-started', retriesLeft: 2 })
  })

  it('can be switched off', async () => {
    const { call, startedAt, retry } = await flaky(always, { budget: false })
    for (let i = 0; i < 50; i++) await call()
    expect(startedAt).toHaveLength(150)
    expect(retry.explain(tool('other'))).not.toHaveProperty('retriesLeft')
  })
})

describe('a call that waits for the user', () => {
  it('has not failed: it is suspended once, and not repeated', async () => {
    let executed = 0
    const { runtime } = await started({
      interceptors: [new RetryInterceptor({ retryOn: () => true })],
      tools: [
        tool(
          'asks',
          async (ctx: ToolExecutionContext) => {
            executed++
            return ctx.ask({ kind: 'roots' })
          },
          { metadata: { idempotent: true } },
        ),
      ],
    })
    const answer = runtime.call('asks', {}, { ask: async () => ({ roots: [] }) as never })
    await vi.runAllTimersAsync()
    expect(gist(await answer)).toMatchObject({ value: { roots: [] } })
    expect(executed).toBe(1)
  })
})

describe('the options', () => {
  it.each([
    [{ maxAttempts: 0 }, 'maxAttempts must be a whole number from 1 (got 0)'],
    [{ maxAttempts: 1.5 }, 'maxAttempts must be a whole number from 1 (got 1.5)'],
    [{ maxDelayMs: -1 }, 'maxDelayMs must be a number from 0 to 2147483647 (got -1)'],
    [{ initialDelayMs: 20, maxDelayMs: 10 }, 'initialDelayMs must be a number from 0 to 10 (got 20)'],
    [{ budget: { perCall: Number.NaN } }, 'budget.perCall must be a number from 0 (got NaN)'],
    [{ budget: { reserve: 0 } }, 'budget.reserve must be a number from 1 (got 0)'],
    [{ jitter: 'none' as never }, `jitter must be 'decorrelated' or 'full' (got a string)`],
  ])('refuses what cannot be: %j', (options, message) => {
    expect(() => new RetryInterceptor(options)).toThrow(message)
  })
})

describe('INT-08: one instance for all calls', () => {
  it('mixes nothing in 1 000 overlapping calls', async () => {
    const attempts = new Map<unknown, number>()
    const retried: string[] = []
    const { runtime } = await started({
      interceptors: [
        new RetryInterceptor({
          maxAttempts: 4,
          budget: false,
          onRetry: ({ ctx, attempt }) => void retried.push(`${ctx.callId} ${attempt}`),
        }),
      ],
      tools: [
        tool(
          'numbered',
          async ({ args, callId }) => {
            const attempt = (attempts.get(callId) ?? 0) + 1
            attempts.set(callId, attempt)
            const n = Number(args.n)
            await new Promise((resolve) => setTimeout(resolve, (n * 7) % 50))
            // Call n needs n % 5 retries, of which 3 are allowed.
            if (attempt <= n % 5) throw new UpstreamError(`failure ${attempt} of ${n}`)
            return n
          },
          { metadata: { idempotent: true } },
        ),
      ],
    })
    const numbers = Array.from({ length: 1_000 }, (_, n) => n)
    const answers = Promise.all(numbers.map((n) => runtime.call('numbered', { n }, { callId: n })))
    await vi.runAllTimersAsync()
    const said = (await answers).map((result) => (result.ok ? result.value : result.error.message))
    expect(said).toEqual(numbers.map((n) => (n % 5 === 4 ? `failure 4 of ${n}` : n)))
    const expected = numbers.flatMap((n) =>
      Array.from({ length: Math.min(n % 5, 3) }, (_, i) => `${n} ${i + 1}`),
    )
    expect(retried.toSorted()).toEqual(expected.toSorted())
  })
})
