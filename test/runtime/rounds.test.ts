import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AskQuestion } from '../../src/registry/ask.js'
import { CallSuspension } from '../../src/registry/call-suspension.js'
import { ToolExecutionError } from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import { currentCall } from '../../src/runtime/call-scope.js'
import { accept, type Executor, form, round, runRound, turn, withTool } from './rounds-fixture.js'
import { deferred, gist, prompt, resource, started, tool } from './runtime-fixture.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

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

  it('asks again for an answer that cannot be used, and logs why', async () => {
    const { runtime, logger } = await withTool(async ({ ask }) => (await ask(form('a'))).action)
    const deep = { action: 'accept', content: JSON.parse('{"a":'.repeat(300) + '1'.padEnd(301, '}')) }
    for (const answer of [null, 7, [], {}, { action: 'maybe' }, { action: 'accept', content: [] }, deep]) {
      expect(await runRound(runtime, { answers: { a: answer } })).toEqual({ asked: ['a'], steps: {} })
      expect(logger.lines.at(-1)).toMatchObject({
        level: 'warn',
        fields: { toolName: 'asks', reason: expect.stringMatching(/^The answer to "a" cannot be used: ./) },
      })
    }
  })

  it('asks again where the question is another one than was answered', async () => {
    const { runtime } = await withTool(
      async ({ ask }) => (await ask({ ...form('a'), message: 'All of it?' })).action,
    )
    expect(await runRound(runtime, { answers: { a: accept } })).toEqual({ asked: ['a'], steps: {} })
  })

  it('takes an answer for its own key alone, whatever the name', async () => {
    const { runtime } = await withTool(async ({ ask }) => (await ask(form('toString'))).action)
    expect(await runRound(runtime)).toEqual({ asked: ['toString'], steps: {} })
    expect(await runRound(runtime, { answers: { toString: { action: 'cancel' } } })).toEqual({
      value: 'cancel',
    })
  })

  it.each(['__proto__', '', 'a b', 'x'.repeat(65)])(
    'refuses the key %j, which a client could lose',
    async (key) => {
      const { runtime } = await withTool(async ({ ask }) => (await ask(form(key))).action)
      expect(await runRound(runtime)).toMatchObject({ code: 'EXECUTION_FAILED' })
    },
  )

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
