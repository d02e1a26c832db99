import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  IdempotencyInterceptor,
  type IdempotencyInterceptorOptions,
} from '../../src/interceptors/idempotency.js'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'
import type { Store } from '../../src/interceptors/stores/store.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolExecutionError, UpstreamError } from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import { deferred, gist, started, tool } from '../runtime/runtime-fixture.js'
import { paying, tick } from './paying.js'

describe('a repeat', () => {
  it('gets the answer again, as frozen JSON that says so, and runs nothing', async () => {
    const host = await paying(() =>
      ToolExecutionResult.success(
        { id: 7, at: ['x'] },
        { content: [{ type: 'text', text: 'paid' }], meta: { a: 1 } },
      ),
    )
    const first = await host.pay()
    const again = await host.pay()
    expect(first).toMatchObject({ ok: true, value: { id: 7, at: ['x'] }, meta: { a: 1 } })
    expect(again).toEqual({
      ...first,
      meta: { a: 1, 'toolwire/replayed': true },
      durationMs: expect.any(Number),
    })
    expect(again.ok && Object.isFrozen(again.value)).toBe(true)
    expect(host.runs).toHaveLength(1)
  })

  it.each([[undefined], [null], [0], [''], [false]])('of a call that gave %s gets that', async (value) => {
    const host = await paying(() => ToolExecutionResult.success(value, { content: [] }))
    await host.pay()
    expect(gist(await host.pay())).toEqual({ value })
    expect(host.runs).toHaveLength(1)
  })

  it('gets what a client saw of what is more than JSON', async () => {
    const host = await paying(() => ({ at: new Date(0) }))
    expect(gist(await host.pay())).toEqual({ value: { at: new Date(0) } })
    expect(gist(await host.pay())).toEqual({ value: { at: '1970-01-01T00:00:00.000Z' } })
  })

  it('runs on its own where there is no key, or another', async () => {
    const host = await paying()
    await host.runtime.call('pay', { amount: 1 })
    await host.runtime.call('pay', { amount: 1 })
    await host.pay({ idempotencyKey: '' })
    await host.pay({ idempotencyKey: '' })
    await host.pay({ idempotencyKey: 'other' })
    expect(host.runs).toHaveLength(4)
  })

  it('is one of the same caller and the same definition', async () => {
    const host = await paying()
    await host.pay({ sessionId: 'a' })
    await host.pay({ sessionId: 'b' })
    await host.pay({ sessionId: 'a' }, { amount: 1 }, 'other')
    await host.pay({ sessionId: 'a' })
    expect(host.runs).toHaveLength(3)
  })

  it('is told apart however long the key is, and whatever is in it', async () => {
    const host = await paying()
    const keys = [
      'x'.repeat(5_000),
      `${'x'.repeat(5_000)}y`,
      `${'x'.repeat(5_000)}\ud800`,
      `${'x'.repeat(5_000)}\udbff`,
    ]
    for (const idempotencyKey of [...keys, ...keys]) await host.pay({ idempotencyKey })
    expect(host.runs).toHaveLength(4)
  })

  it('has a key made of its arguments where the caller gives none', async () => {
    const { runtime, runs } = await paying(() => 'paid', {
      key: ({ args }) => (args as { order?: string }).order,
    })
    for (const order of ['a', 'b', 'a']) await runtime.call('pay', { order })
    await runtime.call('pay', {})
    await runtime.call('pay', {})
    expect(runs).toEqual([{ order: 'a' }, { order: 'b' }, {}, {}])
  })

  it('is refused where the function gives a promise, which would be one key for all', async () => {
    const key = async () => 'a'
    const { runtime, runs } = await paying(() => 'paid', { key: key as never })
    expect(await runtime.call('pay')).toMatchObject({
      ok: false,
      error: { code: 'EXECUTION_FAILED', cause: { message: expect.stringContaining('must be a string') } },
    })
    expect(runs).toEqual([])
  })

  it('runs again when the answer has expired', async () => {
    let now = 0
    const store = new MemoryStore({ clock: { now: () => now } })
    const host = await paying(() => 'paid', { store, ttlMs: 1_000 })
    await host.pay()
    now = 999
    await host.pay()
    expect(host.runs).toHaveLength(1)
    now = 1_000
    await host.pay()
    expect(host.runs).toHaveLength(2)
  })
})

describe('other arguments under the same key', () => {
  it('are a conflict, in flight, after a success and after a failure that is kept', async () => {
    const gate = deferred<string>()
    const host = await paying(() => gate.promise)
    const first = host.pay()
    await tick()
    const conflict = { code: 'IDEMPOTENCY_CONFLICT', outcome: 'not-started' }
    expect(gist(await host.pay({}, { amount: 2 }))).toEqual(conflict)
    gate.resolve('paid')
    await first
    expect(gist(await host.pay({}, { amount: 2 }))).toEqual(conflict)
    const failing = await paying(() => Promise.reject(new UpstreamError('reset')))
    await failing.pay()
    expect(gist(await failing.pay({}, { amount: 2 }))).toEqual(conflict)
    expect([host.runs.length, failing.runs.length]).toEqual([1, 1])
  })

  it('are compared beyond JSON, and refused where that cannot be', async () => {
    const runs: unknown[] = []
    const pay = ToolDefinition.builder()
      .name('pay')
      .description('Pays')
      .parameterSchema(
        z.object({
          on: z.string().transform((text) => new Date(text)),
          to: z
            .array(z.string())
            .transform((names) => new Set(names))
            .optional(),
        }),
      )
      .executor(({ args }) => runs.push(args))
      .build()
    const { runtime } = await started({ interceptors: [new IdempotencyInterceptor()], tools: [pay] })
    const call = async (args: unknown) => gist(await runtime.call('pay', args, { idempotencyKey: 'k' }))
    expect([
      await call({ on: '2026-01-01' }),
      await call({ on: '2026-01-01T00:00:00.000Z' }),
      await call({ on: '2026-01-02' }),
      await call({ on: '2026-01-01', to: ['a'] }),
    ]).toEqual([
      { value: 1 },
      { value: 1 },
      { code: 'IDEMPOTENCY_CONFLICT', outcome: 'not-started' },
      { code: 'EXECUTION_FAILED', outcome: 'not-started' },
    ])
    expect(runs).toHaveLength(1)
  })

  it('are the same in another order', async () => {
    const host = await paying()
    await host.pay({}, { a: 1, b: 2 })
    expect(gist(await host.pay({}, { b: 2, a: 1 }))).toEqual({ value: 'paid' })
    expect(host.runs).toHaveLength(1)
  })
})

describe('a failure', () => {
  it('that may have acted is answered again, in full', async () => {
    const host = await paying(() =>
      Promise.reject(new UpstreamError('bad gateway', { status: 502, retryable: true })),
    )
    const first = await host.pay()
    const again = await host.pay()
    expect(!again.ok && again.error).toBeInstanceOf(UpstreamError)
    expect(!again.ok && again.error.toJSON()).toEqual(!first.ok && first.error.toJSON())
    expect(host.runs).toHaveLength(1)
  })

  it('that tells nothing of its cause the first time tells nothing of it the second time', async () => {
    const host = await paying(() => Promise.reject(new Error('postgres://app:pw@db')))
    await host.pay()
    const again = await host.pay()
    expect(!again.ok && [again.error.message, again.error.cause]).toEqual(['The tool failed', undefined])
  })

  it.each<[string, ToolMetadataInit, object]>([
    ['before anything was started', {}, { outcome: 'not-started' }],
    ['of an idempotent tool', { idempotent: true }, {}],
    ['of a tool that forwards the key', { forwardsIdempotencyKey: true }, {}],
  ])('%s frees the key', async (_, metadata, options) => {
    let fails = true
    const host = await paying(
      () => {
        if (fails) throw new ToolExecutionError('down', options)
        return 'paid'
      },
      { metadata },
    )
    expect(gist(await host.pay())).toMatchObject({ code: 'EXECUTION_FAILED' })
    fails = false
    expect(gist(await host.pay())).toEqual({ value: 'paid' })
    expect(gist(await host.pay())).toEqual({ value: 'paid' })
    expect(host.runs).toHaveLength(2)
  })

  it('is not given to a repeat that comes while the key is being freed', async () => {
    const slow = slowStore()
    let fails = true
    const host = await paying(
      () => {
        if (fails) throw new ToolExecutionError('down', { outcome: 'not-started' })
        return 'paid'
      },
      { store: slow },
    )
    await host.pay()
    fails = false
    expect(gist(await host.pay())).toEqual({ value: 'paid' })
  })
})

describe('an answer that is not kept', () => {
  const standIn: ToolInterceptor = {
    order: 1,
    onError: () => ToolExecutionResult.success('stand-in', { degraded: true }),
  }

  it('is a degraded one: the repeat runs, where that is safe', async () => {
    let fails = true
    const host = await paying(
      () => {
        if (fails) throw new ToolExecutionError('down', { outcome: 'not-started' })
        return 'paid'
      },
      { inside: [standIn] },
    )
    expect(await host.pay()).toMatchObject({ value: 'stand-in', degraded: true })
    fails = false
    expect(gist(await host.pay())).toEqual({ value: 'paid' })
  })

  it('is a degraded one: the repeat fails, where the tool may have acted', async () => {
    const host = await paying(() => Promise.reject(new UpstreamError('reset')), { inside: [standIn] })
    expect(await host.pay()).toMatchObject({ value: 'stand-in', degraded: true })
    expect(gist(await host.pay())).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
    expect(host.runs).toHaveLength(1)
  })

  it('is one with too much in it: the repeat hears that the tool has run', async () => {
    const host = await paying(() => Array.from({ length: 100_001 }, () => 0))
    expect(await host.pay()).toMatchObject({ ok: true })
    expect(gist(await host.pay())).toEqual({ code: 'EXECUTION_FAILED', outcome: 'completed' })
    expect(host.runs).toHaveLength(1)
  })
})

describe('the keys of one caller', () => {
  it('are so many, and do not take the room of others', async () => {
    const host = await paying(undefined, { maxKeysPerCaller: 2 })
    const ann = { sessionId: 'ann' }
    for (const idempotencyKey of ['1', '2']) await host.pay({ ...ann, idempotencyKey })
    expect(await host.pay({ ...ann, idempotencyKey: '3' })).toMatchObject({
      error: { code: 'OVERLOADED', outcome: 'not-started', retryAfterMs: expect.any(Number) },
    })
    expect(gist(await host.pay({ ...ann, idempotencyKey: '2' }))).toEqual({ value: 'paid' })
    expect(gist(await host.pay({ sessionId: 'bob', idempotencyKey: '3' }))).toEqual({ value: 'paid' })
    expect(host.runs).toHaveLength(3)
  })
})

describe('its settings', () => {
  it.each<[IdempotencyInterceptorOptions, string]>([
    [{ ttlMs: 0 }, 'ttlMs must be a whole number from 1'],
    [{ waitingMs: 1.5 }, 'waitingMs must be a whole number from 1'],
    [{ leaseMs: Number.NaN }, 'leaseMs must be a whole number from 1'],
    [{ key: 'order' as never }, 'key must be a function of the context (got a string)'],
  ])('%o are refused', (options, message) => {
    expect(() => new IdempotencyInterceptor(options)).toThrow(message)
  })

  it('are explained for each definition', () => {
    const interceptor = new IdempotencyInterceptor({ ttlMs: 5_000 })
    expect([
      interceptor.explain(tool('a')),
      interceptor.explain(tool('b', () => 'x', { metadata: { idempotent: true } })),
    ]).toEqual([
      { ttlMs: 5_000, afterFailure: 'fails again' },
      { ttlMs: 5_000, afterFailure: 'runs again' },
    ])
  })
})

/** Each of its steps takes a turn of the event loop. */
function slowStore(): Store {
  const store = new MemoryStore()
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        await tick()
        return value.apply(target, args)
      }
    },
  })
}
