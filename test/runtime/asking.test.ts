import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AskAnswer, AskedQuestion, AskQuestion } from '../../src/registry/ask.js'
import { AskUnsupportedError } from '../../src/registry/tool-error.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { CallOptions } from '../../src/runtime/call-options.js'
import { currentCall } from '../../src/runtime/call-scope.js'
import type { RuntimeOptions } from '../../src/runtime/runtime-settings.js'
import { deferred, gist, prompt, resource, started, tool } from './runtime-fixture.js'

afterEach(() => vi.useRealTimers())

const form = {
  message: 'Sure?',
  schema: { type: 'object', properties: { sure: { type: 'boolean' } } },
} as const

/** Timers that stay: the one of all deadlines, which does not keep the process alive. */
const DEADLINES = 1

describe('nobody to answer', () => {
  it.each([
    [form, 'elicitation'],
    [{ kind: 'url', message: 'x', url: 'https://a.test' }, 'elicitation.url'],
    [sampling(), 'sampling'],
    [{ kind: 'roots' }, 'roots'],
  ] as const)('is told at once, with what is lacking: %#', async (question, capability) => {
    const { runtime } = await started({
      tools: [tool('asks', async (ctx) => ctx.ask(question as AskQuestion))],
    })
    const result = await runtime.call('asks')
    expect(result.ok ? result.value : result.error).toMatchObject({
      code: 'ASK_UNSUPPORTED',
      capability,
      message: `This caller cannot be asked: it does not support ${capability}`,
      outcome: 'unknown',
    })
  })

  it('may be said by the one who is asked, and any other reason is the executor’s to handle', async () => {
    const { runtime } = await started({ tools: [tool('asks', async ({ ask }) => ask(form))] })
    const unable = { ask: () => Promise.reject(new AskUnsupportedError('elicitation')) }
    expect(gist(await runtime.call('asks', {}, unable))).toMatchObject({ code: 'ASK_UNSUPPORTED' })
    const throwing: CallOptions = {
      ask: () => {
        throw new Error('thrown at once')
      },
    }
    expect(gist(await runtime.call('asks', {}, throwing))).toMatchObject({ code: 'EXECUTION_FAILED' })
  })
})

describe('while somebody is asked', () => {
  /** Asks at once and works for a while after; time is faked. */
  async function asking({ workMs = 0, options }: { workMs?: number; options?: RuntimeOptions } = {}) {
    vi.useFakeTimers()
    const answer = deferred<AskAnswer>()
    let taken: AbortSignal | undefined
    const deadlines: number[] = []
    const { runtime } = await started({
      options: options ?? {},
      tools: [
        tool(
          'asks',
          async (ctx) => {
            deadlines.push(ctx.deadline - Date.now())
            const asked = ctx.ask(form)
            deadlines.push(ctx.deadline)
            const { action } = await asked
            deadlines.push(ctx.deadline - Date.now())
            await new Promise((resolve) => setTimeout(resolve, workMs))
            return action
          },
          { metadata: { timeoutMs: 100 } },
        ),
      ],
    })
    const ask: CallOptions['ask'] = (_question, signal) => {
      taken = signal
      return answer.promise
    }
    return { runtime, ask, answer, deadlines, isTaken: () => taken?.aborted }
  }

  it('the deadline stands still, and goes on with what was left', async () => {
    const { runtime, ask, answer, deadlines, isTaken } = await asking({ workMs: 90 })
    const call = runtime.call('asks', {}, { ask })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(isTaken()).toBe(false)
    answer.resolve({ action: 'decline' })
    await vi.advanceTimersByTimeAsync(95)
    expect(gist(await call)).toEqual({ value: 'decline' })
    expect(isTaken()).toBe(true)
    expect([Math.round(deadlines[0] ?? 0), deadlines[1], Math.round(deadlines[2] ?? 0)]).toEqual([
      100,
      Number.POSITIVE_INFINITY,
      100,
    ])
  })

  it('and answers, the deadline ends what goes on for too long after', async () => {
    const { runtime, ask, answer } = await asking({ workMs: 1_000 })
    const call = runtime.call('asks', {}, { ask })
    await vi.advanceTimersByTimeAsync(10_000)
    answer.resolve({ action: 'accept' } as AskAnswer)
    await vi.advanceTimersByTimeAsync(101)
    expect(gist(await call)).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('the question has a time of its own, after which it is taken away', async () => {
    const { runtime, ask, isTaken } = await asking({ options: { askTimeoutMs: 500 } })
    const call = runtime.call('asks', {}, { ask })
    await vi.advanceTimersByTimeAsync(499)
    expect(isTaken()).toBe(false)
    await vi.advanceTimersByTimeAsync(2)
    expect(await call).toMatchObject({
      ok: false,
      error: {
        code: 'TIMEOUT',
        message: 'Tool "asks" did not get an answer within 500 ms',
        outcome: 'unknown',
      },
    })
    expect(isTaken()).toBe(true)
    expect(vi.getTimerCount()).toBe(DEADLINES)
  })

  it('the time may be longer than a timer can be', async () => {
    const { runtime, ask, answer } = await asking({ options: { askTimeoutMs: 2 ** 40 } })
    const call = runtime.call('asks', {}, { ask })
    await vi.advanceTimersByTimeAsync(86_400_000)
    answer.resolve({ action: 'cancel' })
    await vi.advanceTimersByTimeAsync(1)
    expect(gist(await call)).toEqual({ value: 'cancel' })
  })

  it('a caller who gives up takes the question away', async () => {
    const { runtime, ask, isTaken } = await asking()
    const controller = new AbortController()
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    const call = runtime.call('asks', {}, { ask, signal: controller.signal })
    await vi.advanceTimersByTimeAsync(1)
    controller.abort()
    expect(gist(await call)).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    await vi.advanceTimersByTimeAsync(60)
    expect([isTaken(), remove.mock.calls.length, vi.getTimerCount()]).toEqual([true, 1, DEADLINES])
  })

  it('close() waits for the answer as long as it may, then ends the call', async () => {
    const { runtime, ask, isTaken } = await asking()
    const call = runtime.call('asks', {}, { ask })
    const closed = runtime.close({ drainMs: 1_000 })
    await vi.advanceTimersByTimeAsync(999)
    expect(isTaken()).toBe(false)
    await vi.advanceTimersByTimeAsync(2)
    expect(gist(await call)).toEqual({ code: 'SHUTTING_DOWN', outcome: 'unknown' })
    expect(isTaken()).toBe(true)
    await closed
    expect(vi.getTimerCount()).toBe(DEADLINES)
  })

  it('and answers while the runtime drains, the call ends well', async () => {
    const { runtime, ask, answer } = await asking()
    const call = runtime.call('asks', {}, { ask })
    const closed = runtime.close({ drainMs: 1_000 })
    answer.resolve({ action: 'decline' })
    await vi.advanceTimersByTimeAsync(10)
    expect(gist(await call)).toEqual({ value: 'decline' })
    await closed
  })

  it('of two questions at once, the deadline waits for the last', async () => {
    vi.useFakeTimers()
    const answers = { a: deferred<AskAnswer>(), b: deferred<AskAnswer>() }
    const { runtime } = await started({
      tools: [
        tool('both', ({ ask }) => Promise.all([ask({ ...form, key: 'a' }), ask({ ...form, key: 'b' })]), {
          metadata: { timeoutMs: 50 },
        }),
      ],
    })
    const call = runtime.call('both', {}, { ask: ({ key }) => answers[key as 'a' | 'b'].promise })
    await vi.advanceTimersByTimeAsync(1_000)
    answers.a.resolve({ action: 'decline' })
    await vi.advanceTimersByTimeAsync(1_000)
    answers.b.resolve({ action: 'cancel' })
    await vi.advanceTimersByTimeAsync(1)
    expect(gist(await call)).toEqual({ value: [{ action: 'decline' }, { action: 'cancel' }] })
  })

  it('a call that has ended asks no more, and its open question is taken away', async () => {
    vi.useFakeTimers()
    const late = deferred()
    const told: unknown[] = []
    let taken: AbortSignal | undefined
    const { runtime } = await started({
      tools: [
        tool('leaves', ({ ask, once }) => {
          void ask(form).catch((error) => told.push(error.code))
          void late.promise.then(() => ask({ ...form, key: 'late' })).catch((error) => told.push(error.code))
          void late.promise.then(() => once('late', () => 1)).catch((error) => told.push(error.code))
          return 'left'
        }),
      ],
    })
    const answer = vi.fn((_question: AskedQuestion, signal: AbortSignal) => {
      taken = signal
      return new Promise<AskAnswer>(() => undefined)
    })
    expect(gist(await runtime.call('leaves', {}, { ask: answer }))).toEqual({ value: 'left' })
    late.resolve()
    await vi.advanceTimersByTimeAsync(60)
    expect(told).toEqual(['ABORTED', 'ABORTED', 'ABORTED'])
    expect([answer.mock.calls.length, taken?.aborted, vi.getTimerCount()]).toEqual([1, true, DEADLINES])
  })

  it('a question that nobody waits for any more does not end the process when it fails', async () => {
    const rejections: unknown[] = []
    const note = (reason: unknown) => void rejections.push(reason)
    process.on('unhandledRejection', note)
    const { runtime } = await started({
      tools: [
        tool('drops', async ({ ask, once }) => {
          const later = ask(form)
          void once('fails', () => Promise.reject(new Error('x')))
          await new Promise(setImmediate)
          await new Promise(setImmediate)
          return later
        }),
      ],
    })
    expect(gist(await runtime.call('drops'))).toMatchObject({ code: 'ASK_UNSUPPORTED' })
    await new Promise(setImmediate)
    process.off('unhandledRejection', note)
    expect(rejections).toEqual([])
  })
})

describe('whoever asks', () => {
  it('may be an interceptor, the reader of a resource, a prompt or a completion', async () => {
    const asks: ToolInterceptor = {
      async beforeExecute(ctx) {
        const { action } = await ctx.ask({ ...form, key: 'approve' })
        if (action !== 'accept') throw new Error('not approved')
      },
    }
    const { runtime } = await started({
      tools: [tool('guarded', () => 'done', { interceptors: [asks] })],
      resources: [resource('asking', 'docs://asking', async ({ ask }) => (await ask(form)).action)],
      prompts: [prompt('asking', [], async ({ ask }) => (await ask(form)).action)],
    })
    const asked: string[] = []
    const ask = async ({ key }: AskedQuestion) => {
      asked.push(key)
      return { action: 'accept', content: {} } as const
    }
    expect(gist(await runtime.call('guarded', {}, { ask }))).toEqual({ value: 'done' })
    expect(gist(await runtime.read('docs://asking', { ask }))).toEqual({
      value: [{ uri: 'docs://asking', text: 'accept' }],
    })
    expect(gist(await runtime.getPrompt('asking', {}, { ask }))).toEqual({
      value: { messages: [{ role: 'user', content: { type: 'text', text: 'accept' } }] },
    })
    expect(asked).toEqual(['approve', 'ask-1', 'ask-1'])
    expect(gist(await runtime.read('docs://asking'))).toMatchObject({ code: 'ASK_UNSUPPORTED' })
  })

  it('of a call within a call is answered by that call’s own caller', async () => {
    const { runtime } = await started({
      tools: [
        tool('inner', async ({ ask }) => [(await ask(form)).action, currentCall()?.toolName]),
        tool('outer', async ({ ask }) => {
          const alone = await runtime.call('inner')
          const own = await runtime.call('inner', {}, { ask: async () => ({ action: 'cancel' }) })
          const { action } = await ask(form)
          return [alone.ok || alone.error.code, own.ok && own.value, action, currentCall()?.toolName]
        }),
      ],
    })
    expect(gist(await runtime.call('outer', {}, { ask: async () => ({ action: 'decline' }) }))).toEqual({
      value: ['ASK_UNSUPPORTED', ['cancel', 'inner'], 'decline', 'outer'],
    })
  })

  it('leaves nothing behind: a thousand questions, each with a form of its own', async () => {
    const { runtime } = await started({
      tools: [
        tool('asks', async ({ ask }) => {
          const signals = currentCall()?.signal
          const add = vi.spyOn(signals as AbortSignal, 'addEventListener')
          const remove = vi.spyOn(signals as AbortSignal, 'removeEventListener')
          for (let i = 0; i < 20; i++) await ask({ ...form, message: `Sure ${i}?` })
          return [add.mock.calls.length, remove.mock.calls.length]
        }),
      ],
    })
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const cleared = vi.spyOn(globalThis, 'clearTimeout')
    const results = await Promise.all(
      Array.from({ length: 50 }, () =>
        runtime.call('asks', {}, { ask: async () => ({ action: 'decline' }) }),
      ),
    )
    const open = new Set(timers.mock.results.map(({ value }) => value))
    for (const [timer] of cleared.mock.calls) open.delete(timer)
    vi.restoreAllMocks()
    expect(results.map(gist)).toEqual(results.map(() => ({ value: [20, 20] })))
    // The one timer of all deadlines may be among them.
    expect([...open].filter((timer) => timer.hasRef()).length).toBe(0)
    expect(open.size).toBeLessThanOrEqual(1)
  })
})

function sampling() {
  return { kind: 'sampling', messages: [], maxTokens: 1 } as const
}
