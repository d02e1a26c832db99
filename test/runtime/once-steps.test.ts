import { afterEach, describe, expect, it, vi } from 'vitest'
import type { CallSuspension } from '../../src/registry/call-suspension.js'
import { accept, form, round, runRound, turn, withTool } from './rounds-fixture.js'
import { deferred, gist, tool } from './runtime-fixture.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
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
