import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { deferred, gist, started, tool } from './runtime-fixture.js'

afterEach(() => vi.useRealTimers())

describe('time', () => {
  it('answers TIMEOUT at the deadline, tells the executor, and holds the lease until the work has settled', async () => {
    vi.useFakeTimers()
    const work = deferred()
    let signal: AbortSignal | undefined
    const { runtime } = await started({
      tools: [
        tool(
          'slow',
          (ctx) => {
            signal = ctx.signal
            return work.promise
          },
          { metadata: { timeoutMs: 50 } },
        ),
      ],
    })
    const answer = runtime.call('slow')
    await vi.advanceTimersByTimeAsync(51)
    expect(gist(await answer)).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    expect(signal?.aborted).toBe(true)
    const gone = runtime.registry.unregister('slow', { drainMs: 1_000 })
    const settled = vi.fn()
    void gone.then(settled)
    await vi.advanceTimersByTimeAsync(500)
    expect(settled).not.toHaveBeenCalled()
    work.resolve()
    expect(await gone).toBe(true)
  })

  it('takes the earlier of the caller’s and the tool’s deadline', async () => {
    vi.useFakeTimers()
    const { runtime } = await started({
      tools: [tool('slow', () => new Promise(() => undefined), { metadata: { timeoutMs: 1_000 } })],
    })
    const early = runtime.call('slow', {}, { timeoutMs: 20 })
    const late = runtime.call('slow', {}, { timeoutMs: 60_000 })
    await vi.advanceTimersByTimeAsync(21)
    expect(gist(await early)).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(gist(await late)).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
  })

  it('answers although an interceptor hangs', async () => {
    vi.useFakeTimers()
    const hang: ToolInterceptor = { beforeExecute: () => new Promise(() => undefined) }
    const { runtime } = await started({ interceptors: [hang], tools: [tool('fine')] })
    const answer = runtime.call('fine', {}, { timeoutMs: 20 })
    await vi.advanceTimersByTimeAsync(1_100)
    expect(gist(await answer)).toEqual({ code: 'TIMEOUT', outcome: 'not-started' })
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
  })

  it('answers ABORTED when the caller gives up, before or during the work, and lets go of its signal', async () => {
    const { runtime } = await started({
      tools: [tool('slow', () => new Promise(() => undefined)), tool('quick')],
    })
    const controller = new AbortController()
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    const answer = runtime.call('slow', {}, { signal: controller.signal })
    await new Promise(setImmediate)
    controller.abort()
    expect(gist(await answer)).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    expect(remove).toHaveBeenCalledOnce()
    expect(gist(await runtime.call('quick', {}, { signal: AbortSignal.abort() }))).toEqual({
      code: 'ABORTED',
      outcome: 'not-started',
    })
  })

  it('shows an aborted signal to an executor that asks for it late', async () => {
    const gate = deferred()
    const aborted = deferred<boolean>()
    const { runtime } = await started({
      tools: [
        tool('late', async (ctx) => {
          await gate.promise
          aborted.resolve(ctx.signal.aborted)
        }),
      ],
    })
    const controller = new AbortController()
    const answer = runtime.call('late', {}, { signal: controller.signal })
    await Promise.resolve()
    controller.abort()
    await answer
    gate.resolve()
    expect(await aborted.promise).toBe(true)
  })

  it('waits without a bound when asked to', async () => {
    const gate = deferred<string>()
    const { runtime } = await started({ tools: [tool('slow', () => gate.promise)] })
    const running = runtime.call('slow')
    const closed = runtime.close({ drainMs: Number.POSITIVE_INFINITY })
    await new Promise((resolve) => setTimeout(resolve, 20))
    gate.resolve('in time')
    expect(gist(await running)).toEqual({ value: 'in time' })
    await closed
  })
})
