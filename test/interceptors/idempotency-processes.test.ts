import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'
import { type Store, StoreFullError } from '../../src/interceptors/stores/store.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import { deferred, gist } from '../runtime/runtime-fixture.js'
import { paying, tick } from './paying.js'
import { recordingLogger } from './recording-logger.js'

afterEach(() => {
  vi.useRealTimers()
})

describe('a store', () => {
  it.each(['get', 'lease', 'set'] as const)('whose %s fails refuses before anything runs', async (method) => {
    const store = failing(
      new MemoryStore(),
      method,
      () => new StoreFullError('full', { retryAfterMs: 3_000 }),
    )
    const host = await paying(() => 'paid', { store })
    const refused = await host.pay()
    expect(refused).toMatchObject({
      ok: false,
      error: {
        code: 'OVERLOADED',
        retryAfterMs: 3_000,
        outcome: 'not-started',
        cause: { name: 'StoreFullError' },
      },
    })
    expect(host.runs).toHaveLength(0)
    expect(gist(await host.runtime.call('pay', {}))).toEqual({ value: 'paid' })
  })

  it('that cannot keep the answer loses it, and nothing runs twice', async () => {
    const logger = recordingLogger()
    const store = failing(new MemoryStore(), 'compareAndSet', () => new Error('gone'), 1)
    const host = await paying(() => 'paid', { store, logger })
    expect(gist(await host.pay())).toEqual({ value: 'paid' })
    expect(gist(await host.pay())).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
    expect(gist(await host.pay())).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
    expect(host.runs).toHaveLength(1)
    expect(logger.lines).toMatchObject([
      { level: 'warn', message: 'the answer to an idempotency key was not kept' },
    ])
  })
})

describe('another process', () => {
  it('at work is waited for, and its answer given', async () => {
    const store = new MemoryStore()
    const gate = deferred<string>()
    const [one, other] = [await paying(() => gate.promise, { store }), await paying(() => 'twice', { store })]
    const first = one.pay()
    await tick()
    const second = other.pay()
    await tick()
    expect(gist(await other.pay({}, { amount: 2 }))).toEqual({
      code: 'IDEMPOTENCY_CONFLICT',
      outcome: 'not-started',
    })
    expect(gist(await other.pay({ timeoutMs: 20 }))).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    gate.resolve('paid')
    expect([gist(await first), gist(await second)]).toEqual([{ value: 'paid' }, { value: 'paid' }])
    expect([one.runs.length, other.runs.length]).toEqual([1, 0])
  })

  it.each<[string, ToolMetadataInit, object, number]>([
    ['has the outcome unknown', {}, { code: 'EXECUTION_FAILED', outcome: 'unknown' }, 0],
    ['runs again where that is safe', { idempotent: true }, { value: 'paid' }, 1],
  ])('that died at work: the repeat %s', async (_, metadata, answer, runs) => {
    let now = 0
    const store = new MemoryStore({ clock: { now: () => now } })
    const dead = await paying(() => new Promise(() => undefined), { store, metadata })
    void dead.pay()
    await tick()
    now = 30_000 // its lease is over, and it has not been renewed
    const alive = await paying(() => 'paid', { store, metadata })
    expect(gist(await alive.pay())).toEqual(answer)
    expect(gist(await alive.pay())).toEqual(answer)
    expect(alive.runs).toHaveLength(runs)
  })

  it('that is only slow keeps its key, for as long as it works', async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    })
    const store = new MemoryStore({ clock: { now: () => performance.now() } })
    const gate = deferred<string>()
    const metadata = { timeoutMs: 600_000 }
    const one = await paying(() => gate.promise, { store, metadata })
    const other = await paying(() => 'twice', { store, metadata })
    const first = one.pay()
    await tick()
    await vi.advanceTimersByTimeAsync(120_000)
    const second = other.pay()
    await vi.advanceTimersByTimeAsync(120_000)
    gate.resolve('paid')
    await first
    await vi.advanceTimersByTimeAsync(1_000)
    expect([gist(await second), other.runs.length]).toEqual([{ value: 'paid' }, 0])
  })
})

describe('a lease', () => {
  it('that is longer than a timer can be is not renewed all the time', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const every = vi.spyOn(globalThis, 'setInterval')
    const gate = deferred<string>()
    const host = await paying(() => gate.promise, { leaseMs: 30_000_000_000 })
    const paid = host.pay()
    await tick()
    expect(every.mock.calls.map(([, ms]) => ms)).toEqual([2 ** 31 - 1])
    gate.resolve('paid')
    expect(gist(await paid)).toEqual({ value: 'paid' })
    every.mockRestore()
  })
})

describe('what it leaves behind', () => {
  it('is nothing: no timer, no listener, however calls end', async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    })
    const listeners = listenersOnSignals()
    const gate = deferred<string>()
    const host = await paying(() => gate.promise)
    const caller = new AbortController()
    const calls = [host.pay(), host.pay({ signal: caller.signal }), host.pay(), host.pay({ timeoutMs: 50 })]
    await tick()
    caller.abort()
    await vi.advanceTimersByTimeAsync(50)
    gate.resolve('paid')
    await Promise.all(calls)
    await host.pay()
    await tick()
    listeners.restore()
    await host.runtime.close()
    // The runtime's own end by themselves.
    await vi.advanceTimersByTimeAsync(60_000)
    expect([vi.getTimerCount(), listeners.open()]).toEqual([0, 0])
  })
})

/** The store, one of whose methods rejects, after it has worked `works` times. */
function failing(
  store: Store,
  method: keyof Store,
  error: () => unknown,
  fails = Number.POSITIVE_INFINITY,
): Store {
  let left = fails
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name === method && left-- > 0) return () => Promise.reject(error())
      return value.bind(target)
    },
  })
}

/** Counts the listeners on abort signals that were added and not removed. */
function listenersOnSignals() {
  const { addEventListener, removeEventListener } = AbortSignal.prototype
  const open = new Set<unknown>()
  AbortSignal.prototype.addEventListener = function (this: AbortSignal, ...args: unknown[]) {
    open.add(args[1])
    return Reflect.apply(addEventListener, this, args)
  }
  AbortSignal.prototype.removeEventListener = function (this: AbortSignal, ...args: unknown[]) {
    open.delete(args[1])
    return Reflect.apply(removeEventListener, this, args)
  }
  return {
    open: () => open.size,
    restore: () => Object.assign(AbortSignal.prototype, { addEventListener, removeEventListener }),
  }
}
