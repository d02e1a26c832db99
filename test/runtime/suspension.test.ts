import { afterEach, describe, expect, it, vi } from 'vitest'
import { ToolExecutionError } from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { accept, form, round, runRound, turn, withTool } from './rounds-fixture.js'
import { deferred } from './runtime-fixture.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
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
