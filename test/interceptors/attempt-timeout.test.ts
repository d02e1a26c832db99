import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  AttemptTimeoutInterceptor,
  type AttemptTimeoutInterceptorOptions,
} from '../../src/interceptors/attempt-timeout.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import type { AskAnswer } from '../../src/registry/ask.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import { accept, form, runRound } from '../runtime/rounds-fixture.js'
import { deferred, gist, started, tool } from '../runtime/runtime-fixture.js'
import { unhandledRejectionsDuring } from './unhandled-rejections.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
/** Timers that stay: the one of all deadlines, which does not keep the process alive. */
const DEADLINES = 1

/** A tool `asks` behind a limit of 100 ms for each attempt. */
async function limited(
  work: Parameters<typeof tool>[1],
  {
    metadata = {},
    around = [],
    timeoutMs = 100,
  }: Partial<AttemptTimeoutInterceptorOptions> & {
    readonly metadata?: ToolMetadataInit
    readonly around?: readonly ToolInterceptor[]
  } = {},
) {
  const limit = new AttemptTimeoutInterceptor({ timeoutMs })
  const made = await started({
    interceptors: [limit, ...around],
    tools: [tool('asks', work, { metadata })],
  })
  return { ...made, limit, call: async (options = {}) => gist(await made.runtime.call('asks', {}, options)) }
}

describe('an attempt', () => {
  it('that takes too long fails with TIMEOUT, and its signal aborts with that error', async () => {
    let signal: AbortSignal | undefined
    const { runtime } = await limited((ctx) => {
      signal = ctx.signal
      return new Promise(() => undefined)
    })
    const answer = runtime.call('asks')
    await pass(100)
    const result = await answer
    expect(result.ok ? result : result.error).toMatchObject({
      code: 'TIMEOUT',
      outcome: 'unknown',
      retryable: false,
      message: 'Tool "asks" did not finish an attempt within 100 ms',
    })
    expect(signal?.reason).toMatchObject({ code: 'TIMEOUT' })
  })

  it('leaves time for another one, inside the deadline of the call', async () => {
    const startedAt: number[] = []
    const begin = performance.now()
    const { call } = await limited(
      async () => {
        startedAt.push(performance.now() - begin)
        return startedAt.length < 3 ? new Promise(() => undefined) : 'done'
      },
      { metadata: { idempotent: true }, around: [new RetryInterceptor({ initialDelayMs: 0 })] },
    )
    const answer = call()
    await pass(1_000)
    expect(await answer).toEqual({ value: 'done' })
    // A timer of 0 ms takes one.
    expect(startedAt).toEqual([0, 101, 202])
  })

  it('that may have acted is not repeated', async () => {
    let executed = 0
    const { call } = await limited(
      () => {
        executed++
        return new Promise(() => undefined)
      },
      { around: [new RetryInterceptor({ retryOn: () => true })] },
    )
    const answer = call()
    await pass(1_000)
    expect(await answer).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    expect(executed).toBe(1)
  })

  it('that has not started the executor says so', async () => {
    const hangs: ToolInterceptor = { beforeExecute: () => new Promise<void>(() => undefined) }
    const { call } = await limited(() => 'done', { around: [hangs] })
    const answer = call()
    await pass(100)
    expect(await answer).toEqual({ code: 'TIMEOUT', outcome: 'not-started' })
  })

  it.each(['resolve', 'reject'] as const)('that %ss after its limit goes nowhere', async (settle) => {
    const works: ReturnType<typeof deferred<unknown>>[] = []
    const rejections = await unhandledRejectionsDuring(async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      const { call } = await limited(
        () => {
          works.push(deferred<unknown>())
          return works.at(-1)?.promise
        },
        { metadata: { idempotent: true }, around: [new RetryInterceptor({ initialDelayMs: 0 })] },
      )
      const answer = call()
      await pass(110)
      works[0]?.[settle](new Error('late'))
      await pass(10)
      works[1]?.resolve('second')
      expect(await answer).toEqual({ value: 'second' })
      vi.useRealTimers()
    })
    expect(rejections).toEqual([])
  })

  it('that ends in time leaves neither timer nor listener', async () => {
    const signals: AbortSignal[] = []
    const remove = vi.spyOn(AbortSignal.prototype, 'removeEventListener')
    const add = vi.spyOn(AbortSignal.prototype, 'addEventListener')
    const { call } = await limited(({ signal }) => {
      signals.push(signal)
      return 'done'
    })
    expect(await call()).toEqual({ value: 'done' })
    expect(remove.mock.calls).toHaveLength(add.mock.calls.length)
    expect(add.mock.calls.length).toBeGreaterThan(0)
    // The registry has told of its change by then, and the limit of the attempt has not passed.
    await pass(60)
    expect(vi.getTimerCount()).toBe(DEADLINES)
    expect(signals[0]?.aborted).toBe(false)
    vi.restoreAllMocks()
  })

  it('is aborted with the call, by the same reason', async () => {
    const controller = new AbortController()
    let signal: AbortSignal | undefined
    const { call } = await limited((ctx) => {
      signal = ctx.signal
      return new Promise(() => undefined)
    })
    const answer = call({ signal: controller.signal })
    await pass(50)
    controller.abort()
    expect(await answer).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    expect(signal?.reason).toMatchObject({ code: 'ABORTED' })
    await pass(0)
    expect(vi.getTimerCount()).toBe(DEADLINES)
  })
})

describe('while the user is asked', () => {
  /** Asks after 60 ms, and works for `workMs` after the answer. */
  async function asking(workMs: number) {
    const answer = deferred<AskAnswer>()
    const { call } = await limited(async ({ ask }) => {
      await new Promise((resolve) => setTimeout(resolve, 60))
      await ask(form())
      await new Promise((resolve) => setTimeout(resolve, workMs))
      return 'done'
    })
    const result = call({ ask: () => answer.promise })
    // Looked at during the work that follows.
    await pass(60 + 5_030)
    answer.resolve(accept)
    await pass(workMs + 250)
    return result
  }

  it('the limit stands still', async () => {
    expect(await asking(39)).toEqual({ value: 'done' })
  })

  it('and goes on with what was left of it', async () => {
    expect(await asking(400)).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
  })

  it('in rounds, the attempt ends without a failure', async () => {
    const { runtime } = await limited(async ({ ask }) => (await ask(form())).action)
    const asked = runRound(runtime)
    await pass(0)
    expect(await asked).toEqual({ asked: ['ask-1'], steps: {} })
    expect(await runRound(runtime, { number: 2, answers: { 'ask-1': accept } })).toEqual({ value: 'accept' })
  })
})

describe('the limit', () => {
  it('may differ from call to call', async () => {
    const { runtime } = await limited(() => new Promise(() => undefined), {
      timeoutMs: ({ callId }) => (callId === 'patient' ? Number.POSITIVE_INFINITY : 10),
      metadata: { timeoutMs: 500 },
    })
    const answers = Promise.all(
      ['patient', 'quick'].map(async (callId) => {
        const result = await runtime.call('asks', {}, { callId })
        return result.ok ? result.value : result.error.message
      }),
    )
    await pass(500)
    expect(await answers).toEqual([
      'Tool "asks" did not finish within 500 ms',
      'Tool "asks" did not finish an attempt within 10 ms',
    ])
  })

  it('shows in explain', async () => {
    expect((await limited(() => 'done')).limit.explain(tool('asks'))).toEqual({ timeoutMs: 100 })
    expect(new AttemptTimeoutInterceptor({ timeoutMs: () => 1 }).explain(tool('asks'))).toEqual({
      timeoutMs: 'by call',
    })
  })

  it.each([0, -1, Number.NaN, '5' as never])(
    'is refused unless it is a positive number: %j',
    async (timeoutMs) => {
      expect(() => new AttemptTimeoutInterceptor({ timeoutMs })).toThrow(
        'timeoutMs of an attempt must be a positive number of milliseconds',
      )
      let executed = 0
      const { call } = await limited(() => executed++, { timeoutMs: () => timeoutMs })
      expect(await call()).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
      expect(executed).toBe(0)
    },
  )
})
