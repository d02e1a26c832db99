import { describe, expect, it, vi } from 'vitest'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { deferred, gist } from '../runtime/runtime-fixture.js'
import { paying, tick } from './paying.js'

const ignoresAbort = (gate: Promise<unknown>) => () => gate

describe('repeats at the same time', () => {
  it('share one run', async () => {
    const gate = deferred<unknown>()
    const host = await paying(() => gate.promise)
    const calls = Array.from({ length: 100 }, () => host.pay())
    await tick()
    gate.resolve({ paid: true })
    const results = await Promise.all(calls)
    expect(results.map(gist)).toEqual(Array.from({ length: 100 }, () => ({ value: { paid: true } })))
    expect(host.runs).toHaveLength(1)
  })

  it('cannot change what the others get', async () => {
    const gate = deferred<unknown>()
    const host = await paying(() => gate.promise)
    const [first, second] = [host.pay(), host.pay()]
    await tick()
    gate.resolve({ list: [1] })
    const one = await first
    if (one.ok) (one.value as { list: number[] }).list.push(2)
    expect([gist(one), gist(await second), gist(await host.pay())]).toEqual([
      { value: { list: [1, 2] } },
      { value: { list: [1] } },
      { value: { list: [1] } },
    ])
  })

  it('get content and _meta of their own, which the executor cannot change any more', async () => {
    const gate = deferred<unknown>()
    const host = await paying(() => gate.promise)
    const [first, second] = [host.pay(), host.pay()]
    await tick()
    const block = { type: 'resource', resource: { uri: 'bill://1', text: 'paid' } }
    const meta = { bill: { number: 1 } }
    gate.resolve(ToolExecutionResult.success('paid', { content: [block], meta }))
    await Promise.all([first, second])
    block.resource.text = 'changed'
    meta.bill.number = 2
    expect(await second).toMatchObject({
      content: [{ type: 'resource', resource: { uri: 'bill://1', text: 'paid' } }],
      meta: { bill: { number: 1 } },
    })
  })

  it('go on when the first caller leaves, and its success is kept', async () => {
    const gate = deferred<string>()
    const caller = new AbortController()
    let aborted: unknown = false
    const host = await paying(({ signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true
      })
      return gate.promise
    })
    const first = host.pay({ signal: caller.signal })
    await tick()
    const second = host.pay()
    await tick()
    caller.abort()
    expect(gist(await first)).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    gate.resolve('paid')
    expect(gist(await second)).toEqual({ value: 'paid' })
    expect(gist(await host.pay())).toEqual({ value: 'paid' })
    expect([aborted, host.runs.length]).toEqual([false, 1])
  })

  it('are aborted with the reason of the last one that leaves', async () => {
    let reason: unknown
    const host = await paying(
      ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            reason = signal.reason
            reject(signal.reason)
          }),
        ),
    )
    const callers = [new AbortController(), new AbortController()] as const
    const calls = callers.map(({ signal }) => host.pay({ signal }))
    await tick()
    callers[0].abort('first')
    await tick()
    expect(reason).toBeUndefined()
    callers[1].abort('last')
    await Promise.all(calls)
    expect(reason).toMatchObject({ code: 'ABORTED', cause: 'last' })
  })
})

describe('the key of work that everybody has left', () => {
  it('is held until the work has ended: a repeat waits, and gets what came of it', async () => {
    const gate = deferred<string>()
    const host = await paying(ignoresAbort(gate.promise))
    expect(gist(await host.pay({ timeoutMs: 20 }))).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    const repeat = host.pay()
    await tick()
    expect(host.runs).toHaveLength(1)
    gate.resolve('paid')
    expect(gist(await repeat)).toEqual({ value: 'paid' })
    expect(gist(await host.pay())).toEqual({ value: 'paid' })
    expect(host.runs).toHaveLength(1)
  })

  it('is free once it has failed, where running again is safe', async () => {
    const gate = deferred<string>()
    const work = [gate.promise, 'paid']
    const host = await paying(() => work.shift(), { metadata: { idempotent: true } })
    await host.pay({ timeoutMs: 20 })
    const repeat = host.pay()
    await tick()
    expect(host.runs).toHaveLength(1)
    gate.reject(new Error('reset'))
    expect(gist(await repeat)).toEqual({ value: 'paid' })
    expect(host.runs).toHaveLength(2)
  })

  it('makes a repeat wait no longer than its own deadline', async () => {
    const host = await paying(() => new Promise(() => undefined))
    await host.pay({ timeoutMs: 20 })
    expect(gist(await host.pay({ timeoutMs: 20 }))).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    expect(host.runs).toHaveLength(1)
  })

  it('does not tell a repeat that nothing was started, however long its hooks take to unwind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const slow: ToolInterceptor = { ring: 'request', onError: () => new Promise(() => undefined) }
    const gate = deferred<unknown>()
    const host = await paying(() => gate.promise, { inside: [slow] })
    const first = host.pay()
    await tick()
    const repeat = host.pay({ timeoutMs: 50 })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(gist(await repeat)).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    gate.resolve('paid')
    expect(gist(await first)).toEqual({ value: 'paid' })
    vi.useRealTimers()
  })

  it('answers one that repeats a cancelled call, which is not cancelled itself', async () => {
    const caller = new AbortController()
    const host = await paying(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    const first = host.pay({ signal: caller.signal })
    await tick()
    caller.abort()
    await first
    const repeat = await host.pay()
    expect(repeat.ok ? repeat : repeat.error.toJSON()).toEqual({
      code: 'EXECUTION_FAILED',
      message:
        'An earlier call with this idempotency key ended without an answer, and may have acted: it is not run again',
      outcome: 'unknown',
      retryable: false,
    })
    expect(host.runs).toHaveLength(1)
  })
})
