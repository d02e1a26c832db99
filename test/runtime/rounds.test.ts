import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AskQuestion } from '../../src/registry/ask.js'
import { CallSuspension } from '../../src/registry/call-suspension.js'
import { ToolExecutionError } from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { CallRound } from '../../src/runtime/call-options.js'
import { currentCall } from '../../src/runtime/call-scope.js'
import type { ToolRuntime } from '../../src/runtime/tool-runtime.js'
import { deferred, gist, prompt, resource, started, tool } from './runtime-fixture.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Executor = (ctx: ToolExecutionContext<Readonly<Record<string, unknown>>>) => unknown

const turn = () => new Promise(setImmediate)
const form = (key?: string) =>
  ({ ...(key !== undefined && { key }), message: 'Sure?', schema: { type: 'object' } }) as const
const accept = { action: 'accept', content: {} } as const

/** A round of a client that can answer everything. */
function round(given: Partial<CallRound> = {}): CallRound {
  return { number: 1, answers: {}, steps: {}, supports: () => true, ...given }
}

/** One round of a call of `asks`: what came of it, or what it waits for. */
async function runRound(runtime: ToolRuntime, given: Partial<CallRound> = {}, options = {}) {
  const outcome = await runtime.run({ kind: 'tool', name: 'asks', input: {} }, options, round(given))
  if (!CallSuspension.is(outcome)) return gist(outcome)
  return { asked: outcome.questions.map(({ key }) => key), steps: { ...outcome.steps } }
}

/** A runtime with one tool, `asks`. */
async function withTool(executor: Executor, parts: Parameters<typeof tool>[2] = {}) {
  return started({ tools: [tool('asks', executor, parts)] })
}

describe('a round of a call', () => {
  it('ends with the question, whole, and what is left of its time', async () => {
    const { runtime } = await withTool(async ({ ask }) => (await ask(form())).action, {
      metadata: { timeoutMs: 60_000 },
    })
    const outcome = await runtime.run({ kind: 'tool', name: 'asks', input: {} }, {}, round())
    const { questions, steps, remainingMs } = outcome as CallSuspension
    expect([questions, steps]).toEqual([
      [{ key: 'ask-1', kind: 'form', message: 'Sure?', schema: { type: 'object' } }],
      {},
    ])
    expect([questions, steps].map(Object.isFrozen)).toEqual([true, true])
    expect([remainingMs > 50_000, remainingMs <= 60_000]).toEqual([true, true])
    expect(await runRound(runtime, { number: 2, answers: { 'ask-1': accept } })).toEqual({ value: 'accept' })
  })

  it('asks all that is asked in one turn at once', async () => {
    const { runtime } = await withTool(async ({ ask }) => {
      const answers = await Promise.all([
        ask(form('a')),
        ask({ kind: 'roots', key: 'b' }),
        (async () => {
          await Promise.resolve()
          return ask(form('c'))
        })(),
      ])
      return answers.length
    })
    expect(await runRound(runtime)).toEqual({ asked: ['a', 'b', 'c'], steps: {} })
    const roots = { roots: [] }
    expect(await runRound(runtime, { answers: { b: roots } })).toEqual({ asked: ['a', 'c'], steps: {} })
    expect(await runRound(runtime, { answers: { a: accept, b: roots, c: accept } })).toEqual({ value: 3 })
  })

  it('asks one thing after the other, a round each', async () => {
    const { runtime } = await withTool(async ({ ask }) => {
      const first = await ask(form())
      const second = await ask(form())
      return [first.action, second.action]
    })
    expect(await runRound(runtime)).toEqual({ asked: ['ask-1'], steps: {} })
    const decline = { action: 'decline' }
    expect(await runRound(runtime, { answers: { 'ask-1': decline } })).toEqual({
      asked: ['ask-2'],
      steps: {},
    })
    expect(await runRound(runtime, { answers: { 'ask-1': decline, 'ask-2': accept } })).toEqual({
      value: ['decline', 'accept'],
    })
  })

  it('asks again what was answered in a form that cannot be used', async () => {
    const { runtime } = await withTool(async ({ ask }) => (await ask(form('a'))).action)
    const deep = { action: 'accept', content: JSON.parse('{"a":'.repeat(300) + '1'.padEnd(301, '}')) }
    for (const answer of [null, 7, [], {}, { action: 'maybe' }, { action: 'accept', content: [] }, deep]) {
      expect(await runRound(runtime, { answers: { a: answer } })).toEqual({ asked: ['a'], steps: {} })
    }
  })

  it('takes an answer for its own key alone, whatever the name', async () => {
    const { runtime } = await withTool(async ({ ask }) => (await ask(form('__proto__'))).action)
    const { questions } = (await runtime.run(
      { kind: 'tool', name: 'asks', input: {} },
      {},
      round(),
    )) as CallSuspension
    expect(questions.map(({ key }) => key)).toEqual(['__proto__'])
    const answers = JSON.parse('{"__proto__":{"action":"cancel"}}')
    expect(await runRound(runtime, { answers })).toEqual({ value: 'cancel' })
  })

  it('tells at once what the client cannot do, and asks nobody else instead', async () => {
    const { runtime } = await withTool(async ({ ask }) => ask({ kind: 'roots' }))
    const ask = vi.fn(async () => ({ roots: [] }))
    const supports = vi.fn(() => false)
    expect(await runRound(runtime, { supports }, { ask })).toEqual({
      code: 'ASK_UNSUPPORTED',
      outcome: 'unknown',
    })
    expect([supports.mock.calls, ask.mock.calls]).toEqual([[['roots']], []])
  })

  it('lets a prompt and a resource ask as well', async () => {
    const asks = async ({ ask }: { ask: (question: AskQuestion) => Promise<unknown> }) =>
      JSON.stringify(await ask(form('a')))
    const { runtime } = await started({
      prompts: [prompt('asks', [], asks)],
      resources: [resource('asks', 'docs://asks', asks)],
    })
    for (const request of [
      { kind: 'prompt', name: 'asks', input: {} },
      { kind: 'resource', uri: 'docs://asks' },
    ] as const) {
      expect(CallSuspension.is(await runtime.run(request, {}, round()))).toBe(true)
      expect((await runtime.run(request, {}, round({ answers: { a: accept } }))) as object).toMatchObject({
        ok: true,
      })
    }
  })

  it('is its number for the call, and the first one outside of rounds', async () => {
    const { runtime } = await withTool((ctx) => ctx.round)
    expect([await runRound(runtime, { number: 3 }), gist(await runtime.call('asks'))]).toEqual([
      { value: 3 },
      { value: 1 },
    ])
  })
})

describe('a step of ctx.once', () => {
  it('is not repeated in the next round, and gives the same', async () => {
    const charge = vi.fn(() => ({ id: 7, note: undefined }))
    const nothing = vi.fn()
    const { runtime } = await withTool(async ({ ask, once }) => {
      const charged = await once('charge', charge)
      const none: unknown = await once('nothing', nothing)
      await ask(form('a'))
      return [charged, none, Object.isFrozen(charged)]
    })
    const first = await runRound(runtime)
    expect(first).toEqual({ asked: ['a'], steps: { charge: { id: 7 }, nothing: null } })
    const steps = JSON.parse(JSON.stringify((first as { steps: object }).steps))
    const value = [{ id: 7 }, null, true]
    expect(await runRound(runtime, { steps, answers: { a: accept } })).toEqual({ value })
    expect([charge.mock.calls.length, nothing.mock.calls.length]).toEqual([1, 1])
    // With nobody to wait for it is the same.
    const options = { ask: async () => accept }
    expect(gist(await runtime.call('asks', {}, options))).toEqual({ value })
  })

  it('that fails is run again, and is none of the results', async () => {
    let runs = 0
    const { runtime } = await withTool(async ({ ask, once }) => {
      await once('flaky', () => {
        runs++
        throw new Error('not yet')
      }).catch(() => undefined)
      await once('odd', () => BigInt(1)).catch(() => undefined)
      await ask(form('a'))
      return 'done'
    })
    expect(await runRound(runtime)).toEqual({ asked: ['a'], steps: {} })
    expect(await runRound(runtime, { answers: { a: accept } })).toEqual({ value: 'done' })
    expect(runs).toBe(2)
  })

  it('in progress is waited for, and so is the one that follows on it', async () => {
    const gates = [deferred<string>(), deferred<string>()]
    const { runtime } = await withTool(async ({ ask, once }) => {
      const steps = async () => [
        await once('one', () => gates[0]?.promise),
        await once('two', () => gates[1]?.promise),
      ]
      return Promise.all([ask(form('a')), steps()])
    })
    const running = runRound(runtime)
    const settled = vi.fn()
    void running.then(settled)
    await turn()
    gates[0]?.resolve('1')
    await turn()
    await turn()
    expect(settled).not.toHaveBeenCalled()
    gates[1]?.resolve('2')
    expect(await running).toEqual({ asked: ['a'], steps: { one: '1', two: '2' } })
  })

  it('that asks itself does not wait for itself: it is run with the answer', async () => {
    const effects: string[] = []
    const { runtime } = await withTool(async ({ ask, once }) =>
      once('outer', async () => {
        const inner = await once('inner', () => effects.push('inner'))
        const confirmed = await once('confirmed', async () => (await ask(form('a'))).action)
        effects.push(confirmed)
        return [inner, confirmed]
      }),
    )
    expect(await runRound(runtime)).toEqual({ asked: ['a'], steps: { inner: 1 } })
    expect(await runRound(runtime, { steps: { inner: 1 }, answers: { a: accept } })).toEqual({
      value: [1, 'accept'],
    })
    expect(effects).toEqual(['inner', 'accept'])
  })

  it('is run once for all who want it at the same time, and never within itself', async () => {
    const step = vi.fn(async () => {
      await turn()
      return 'made'
    })
    const { runtime, logger } = await withTool(async ({ once }) =>
      Promise.all([
        once('same', step),
        once('same', step),
        once('null', () => null),
        once('null', () => null),
      ]),
    )
    expect(await runRound(runtime)).toEqual({ value: ['made', 'made', null, null] })
    expect(step).toHaveBeenCalledOnce()
    runtime.registry.replace(
      tool('asks', ({ once }) => once('a', async () => once('b', () => once('a', () => 1)))),
    )
    expect(await runRound(runtime)).toMatchObject({ code: 'EXECUTION_FAILED' })
    expect(logger.lines.at(-1)?.fields.err).toMatchObject({
      message: 'The step "a" of ctx.once waits for itself: give each its own key',
    })
  })

  it('may have any key, also one of a prototype, or a huge one', async () => {
    const keys = ['__proto__', 'constructor', 'toString', '', 'k'.repeat(100_000)]
    const { runtime } = await withTool(async ({ ask, once }) => {
      const values = []
      for (const key of keys) values.push(await once(key, () => key.length))
      await ask(form('a'))
      return values
    })
    const outcome = (await runtime.run(
      { kind: 'tool', name: 'asks', input: {} },
      {},
      round(),
    )) as CallSuspension
    const value = keys.map(({ length }) => length)
    expect(keys.map((key) => Object.hasOwn(outcome.steps, key) && outcome.steps[key])).toEqual(value)
    const steps = JSON.parse(JSON.stringify(outcome.steps))
    expect(await runRound(runtime, { steps, answers: { a: accept } })).toEqual({ value })
    expect(({} as Record<string, unknown>).length).toBeUndefined()
  })

  it('that never ends is ended by the deadline: the call does not wait for ever', async () => {
    vi.useFakeTimers()
    const { runtime } = await withTool(
      async ({ ask, once }) =>
        Promise.all([once('hangs', () => new Promise(() => undefined)), ask(form('a'))]),
      { metadata: { timeoutMs: 100 } },
    )
    const running = runRound(runtime)
    await vi.advanceTimersByTimeAsync(150)
    expect(await running).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
  })
})

describe('an executor that does not let it pass', () => {
  const acts = vi.fn(() => 'acted')
  afterEach(() => acts.mockClear())

  it.each<[string, Executor]>([
    ['returns all the same', ({ ask }) => ask(form('a')).catch(() => 'guessed')],
    [
      'throws something else',
      ({ ask }) =>
        ask(form('a')).catch(() => {
          throw new ToolExecutionError('odd')
        }),
    ],
    ['returns a failure', ({ ask }) => ask(form('a')).catch((thrown) => ToolExecutionResult.failure(thrown))],
    ['takes a step', ({ ask, once }) => ask(form('a')).catch(() => once('late', acts))],
    ['asks something else', ({ ask }) => ask(form('a')).catch(() => ask(form('b')))],
    ['never settles', ({ ask }) => ask(form('a')).catch(() => new Promise(() => undefined))],
    [
      'forgets to wait',
      ({ ask }) => {
        void ask(form('a'))
        return new Promise(() => undefined)
      },
    ],
  ])('and %s waits all the same', async (_what, executor) => {
    for (const interceptors of [[], [{ name: 'idle' }]]) {
      const { runtime } = await withTool(executor, { interceptors })
      expect(await runRound(runtime)).toEqual({ asked: ['a'], steps: {} })
      expect(acts).not.toHaveBeenCalled()
    }
  })

  it('has answered if it has done so before the question was on its way', async () => {
    const { runtime } = await withTool(({ ask }) => {
      void ask(form('a'))
      return 'done'
    })
    expect(await runRound(runtime)).toEqual({ value: 'done' })
    await turn()
  })

  it('sees by its signal that nobody waits for it', async () => {
    const reason = deferred<unknown>()
    const { runtime } = await withTool(async ({ ask, signal }) => {
      signal.addEventListener('abort', () => reason.resolve(signal.reason))
      await ask(form('a'))
    })
    await runRound(runtime)
    expect(CallSuspension.is(await reason.promise)).toBe(true)
  })
})

describe('interceptors around a call that waits', () => {
  const seen: string[] = []
  afterEach(() => void seen.splice(0))
  const recorder = (
    name: string,
    ring: 'request' | 'execution',
    more: ToolInterceptor = {},
  ): ToolInterceptor => ({
    name,
    ring,
    beforeExecute: (ctx) => void seen.push(`${name} before ${ctx.round}`),
    afterExecute: () => void seen.push(`${name} after`),
    onError: (_ctx, { code }) => void seen.push(`${name} onError ${code}`),
    onSuspend: () => void seen.push(`${name} onSuspend`),
    ...more,
  })

  it('of both rings hear that it waits, and in the next round how it ended', async () => {
    const { runtime } = await withTool(async ({ ask }) => (await ask(form('a'))).action, {
      interceptors: [recorder('r', 'request'), recorder('e', 'execution')],
    })
    await runRound(runtime)
    await runRound(runtime, { number: 2, answers: { a: accept } })
    expect(seen).toEqual([
      'r before 1',
      'e before 1',
      'e onSuspend',
      'r onSuspend',
      'r before 2',
      'e before 2',
      'e after',
      'r after',
    ])
  })

  it('fail it by throwing from onSuspend, and those further out hear of that', async () => {
    const fails = { onSuspend: () => Promise.reject(new Error('no disk')) }
    const { runtime } = await withTool(async ({ ask }) => ask(form('a')), {
      interceptors: [recorder('r', 'request'), recorder('e', 'execution', fails)],
    })
    expect(await runRound(runtime)).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
    expect(seen).toEqual(['r before 1', 'e before 1', 'r onError EXECUTION_FAILED'])
  })

  it('may hang in onSuspend: the question goes out all the same', async () => {
    vi.useFakeTimers()
    const hangs = { onSuspend: () => new Promise<void>(() => undefined) }
    const { runtime } = await withTool(async ({ ask }) => ask(form('a')), {
      interceptors: [recorder('e', 'execution', hangs)],
    })
    const running = runRound(runtime)
    await vi.advanceTimersByTimeAsync(1_100)
    expect(await running).toEqual({ asked: ['a'], steps: {} })
  })

  it('may ask before the work, and make nothing else of it than to wait', async () => {
    const executor = vi.fn(() => 'done')
    const approves: ToolInterceptor = {
      async beforeExecute(ctx) {
        const answer = await ctx.ask(form('approve')).catch(() => ({ action: 'decline' }))
        if (answer.action !== 'accept') return ToolExecutionResult.failure(new ToolExecutionError('denied'))
      },
    }
    const { runtime } = await withTool(executor, {
      interceptors: [recorder('r', 'request'), recorder('e', 'execution'), approves],
    })
    expect(await runRound(runtime)).toEqual({ asked: ['approve'], steps: {} })
    expect(executor).not.toHaveBeenCalled()
    expect(seen.splice(0)).toEqual(['r before 1', 'e before 1', 'e onSuspend', 'r onSuspend'])
    expect(await runRound(runtime, { number: 2, answers: { approve: accept } })).toEqual({ value: 'done' })
  })

  it.each<[string, ToolInterceptor]>([
    ['after it', { afterExecute: async (ctx) => void (await ctx.ask(form('a'))) }],
    [
      'around it',
      {
        async aroundExecute(ctx, next) {
          const result = await next()
          await ctx.ask(form('a'))
          return result
        },
      },
    ],
  ])('cannot ask %s, once the tool has acted: it would act twice', async (_when, asks) => {
    const executor = vi.fn(() => 'acted')
    const { runtime } = await withTool(executor, { interceptors: [asks] })
    const result = await runtime.run({ kind: 'tool', name: 'asks', input: {} }, {}, round())
    expect(result).toMatchObject({
      ok: false,
      error: {
        code: 'EXECUTION_FAILED',
        outcome: 'completed',
        message:
          'asks has acted and is not idempotent: nothing can be asked any more that would run it again',
      },
    })
    expect(executor).toHaveBeenCalledOnce()
    const idempotent = await withTool(executor, { interceptors: [asks], metadata: { idempotent: true } })
    expect(await runRound(idempotent.runtime)).toEqual({ asked: ['a'], steps: {} })
    expect(await runRound(idempotent.runtime, { answers: { a: accept } })).toEqual({ value: 'acted' })
  })
})

describe('a call that waits leaves nothing behind', () => {
  it.each([
    ['bare', []],
    ['with interceptors', [{ name: 'idle' }]],
  ])('neither lease, timer, listener nor warning: %s', async (_how, interceptors) => {
    const { runtime, logger } = await withTool(
      async ({ ask, signal, once }) => {
        await once('step', () => 1)
        signal.addEventListener('abort', () => undefined)
        await Promise.all([ask(form('a')), ask(form('b'))])
      },
      { interceptors },
    )
    const controller = new AbortController()
    const add = vi.spyOn(controller.signal, 'addEventListener')
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const cleared = vi.spyOn(globalThis, 'clearTimeout')
    const options = { signal: controller.signal }
    const rounds = await Promise.all(Array.from({ length: 50 }, () => runRound(runtime, {}, options)))
    await turn()
    await turn()
    expect(rounds).toEqual(rounds.map(() => ({ asked: ['a', 'b'], steps: { step: 1 } })))
    const open = new Set(timers.mock.results.map(({ value }) => value))
    for (const [timer] of cleared.mock.calls) open.delete(timer)
    expect([...open].filter((timer) => timer.hasRef())).toEqual([])
    expect(add.mock.calls.length).toBe(remove.mock.calls.length)
    expect(runtime.registry.registered('asks')?.running).toBe(0)
    expect(logger.lines.filter(({ level }) => level !== 'info')).toEqual([])
    expect(await runtime.registry.unregister('asks', { drainMs: 0 })).toBe(true)
  })

  it('but for work that goes on: its lease is kept, and there is a warning', async () => {
    const gate = deferred()
    const { runtime, logger } = await withTool(({ ask }) => ask(form('a')).catch(() => gate.promise))
    expect(await runRound(runtime)).toEqual({ asked: ['a'], steps: {} })
    await turn()
    await turn()
    const warned = () => logger.lines.filter(({ message }) => /still working|has ended/.test(message)).length
    expect([runtime.registry.registered('asks')?.running, warned()]).toEqual([1, 1])
    gate.resolve()
    await turn()
    expect([runtime.registry.registered('asks')?.running, warned()]).toEqual([0, 2])
  })

  it('and does not hold up close(), since it is over', async () => {
    const { runtime } = await withTool(async ({ ask }) => ask(form('a')))
    await runRound(runtime)
    await runtime.close({ drainMs: Number.POSITIVE_INFINITY })
    expect(await runRound(runtime, { number: 2, answers: { a: accept } })).toEqual({
      code: 'SHUTTING_DOWN',
      outcome: 'not-started',
    })
  })

  it('when the caller gives up, or the deadline passes, while a step holds it', async () => {
    const gate = deferred()
    const { runtime } = await withTool(async ({ ask, once }) =>
      Promise.all([ask(form('a')), once('slow', () => gate.promise)]),
    )
    const controller = new AbortController()
    const running = runRound(runtime, {}, { signal: controller.signal })
    await turn()
    controller.abort()
    expect(await running).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    gate.resolve()
    await turn()
    await turn()
    expect(runtime.registry.registered('asks')?.running).toBe(0)
  })
})

describe('a call within a call that waits', () => {
  it('is answered by its own caller; what it did belongs into a step', async () => {
    const inner = vi.fn((ctx: ToolExecutionContext) => currentCall() !== undefined && ctx.round)
    const { runtime } = await started({
      tools: [
        tool('inner', inner),
        tool('asks', async ({ ask, once }) => {
          const made = await once('inner', async () => {
            const result = await runtime.call('inner')
            return result.ok && result.value
          })
          const unable = await runtime.call('inner-asks')
          const { action } = await ask(form('a'))
          return [made, unable.ok || unable.error.code, action, currentCall()?.round]
        }),
        tool('inner-asks', async ({ ask }) => ask(form('b'))),
      ],
    })
    expect(await runRound(runtime)).toEqual({ asked: ['a'], steps: { inner: 1 } })
    expect(await runRound(runtime, { number: 2, steps: { inner: 1 }, answers: { a: accept } })).toEqual({
      value: [1, 'ASK_UNSUPPORTED', 'accept', 2],
    })
    expect(inner).toHaveBeenCalledOnce()
  })

  it('keeps its steps and questions to itself, also in rounds of its own', async () => {
    const { runtime } = await started({
      tools: [
        tool('inner', async ({ ask, once }) => {
          await once('a', () => 'of inner')
          return ask(form('a'))
        }),
        tool('asks', async ({ ask, once }) => {
          const inner = await once('a', async () => {
            const outcome = await runtime.run({ kind: 'tool', name: 'inner', input: {} }, {}, round())
            return CallSuspension.is(outcome) ? { ...outcome.steps } : 'answered'
          })
          await ask(form('b'))
          return inner
        }),
      ],
    })
    expect(await runRound(runtime)).toEqual({ asked: ['b'], steps: { a: { a: 'of inner' } } })
  })
})
