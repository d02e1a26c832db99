import { afterEach, describe, expect, it, vi } from 'vitest'
import type { CallOptions } from '../../src/runtime/call-options.js'
import { currentCall } from '../../src/runtime/call-scope.js'
import { deferred, gist, started, tool } from './runtime-fixture.js'

describe('the context', () => {
  it('knows who calls, in the order principal, address, session, agent', async () => {
    const { runtime } = await started({ tools: [tool('who', ({ callerKey }) => callerKey)] })
    const caller = async (options: object) => gist(await runtime.call('who', {}, options))
    expect(await caller({ address: '10.0.0.1', sessionId: 's' })).toEqual({ value: 'address:10.0.0.1' })
    expect(await caller({ sessionId: 's', agentId: 'a' })).toEqual({ value: 'session:s' })
    expect(await caller({ agentId: 'a' })).toEqual({ value: 'agent:a' })
    expect(await caller({})).toEqual({ value: 'anonymous' })
  })

  it('keeps the ids it is given, falsy ones too, and makes up the others', async () => {
    const { runtime } = await started({
      tools: [tool('ids', ({ callId, traceId }) => ({ callId, traceId }))],
    })
    expect(gist(await runtime.call('ids', {}, { callId: 0 }))).toMatchObject({
      value: { callId: 0, traceId: expect.stringMatching(/^[0-9a-f]{32}$/) },
    })
    expect(gist(await runtime.call('ids'))).toMatchObject({
      value: { callId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    })
  })

  it('is there for code that was handed none, in overlapping calls too', async () => {
    const { runtime } = await started({
      tools: [
        tool('deep', async () => {
          await Promise.resolve()
          return currentCall()?.callId
        }),
      ],
    })
    const ids = Array.from({ length: 100 }, (_, i) => i)
    const results = await Promise.all(ids.map((callId) => runtime.call('deep', {}, { callId })))
    expect(results.map(gist)).toEqual(ids.map((value) => ({ value })))
    expect(currentCall()).toBeUndefined()
  })

  it('passes progress and log lines to the caller until the call has ended', async () => {
    const late = deferred()
    const { runtime } = await started({
      tools: [
        tool('work', ({ progress, log }) => {
          progress(0)
          log('info', { step: 1 }, 'worker')
          void late.promise.then(() => progress(1))
          return 'ok'
        }),
      ],
    })
    const onProgress = vi.fn()
    const onLog = vi.fn()
    await runtime.call('work', {}, { onProgress, onLog })
    late.resolve()
    await late.promise
    expect(onProgress.mock.calls).toEqual([[0, undefined, undefined]])
    expect(onLog.mock.calls).toEqual([['info', { step: 1 }, 'worker']])
  })

  it('asks the caller, and says so at once when it cannot', async () => {
    const question = { message: 'Sure?', schema: { type: 'object' } }
    const { runtime } = await started({
      tools: [tool('confirm', async ({ ask }) => (await ask(question)).action)],
    })
    expect(gist(await runtime.call('confirm', {}, { ask: async () => ({ action: 'decline' }) }))).toEqual({
      value: 'decline',
    })
    expect(gist(await runtime.call('confirm'))).toMatchObject({ code: 'ASK_UNSUPPORTED' })
  })

  it('runs a step once under its key', async () => {
    const step = vi.fn(async () => 7)
    const { runtime } = await started({
      tools: [tool('steps', async ({ once }) => (await once('a', step)) + (await once('a', step)))],
    })
    expect(gist(await runtime.call('steps'))).toEqual({ value: 14 })
    expect(step).toHaveBeenCalledOnce()
  })

  it('runs a step again that failed', async () => {
    const step = vi
      .fn(() => 7)
      .mockImplementationOnce(() => {
        throw new Error('once')
      })
    const twice = tool('twice', async ({ once }) => {
      await once('a', step).catch(() => undefined)
      return once('a', step)
    })
    const { runtime } = await started({ tools: [twice] })
    expect(gist(await runtime.call('twice'))).toEqual({ value: 7 })
  })
})

describe('a call that was ended early', () => {
  afterEach(() => vi.useRealTimers())

  it('keeps no timer of its own once it is answered', async () => {
    const controller = new AbortController()
    const { runtime } = await started({
      tools: [
        tool('done'),
        tool('ask', ({ ask }) => ask({ kind: 'roots' })),
        tool('cancel', () => {
          setImmediate(() => controller.abort())
          return new Promise(() => undefined)
        }),
      ],
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await runtime.call('done')
    const shared = vi.getTimerCount()
    const round = { number: 1, answers: {}, steps: {}, supports: () => true }
    await runtime.run({ kind: 'tool', name: 'ask', input: {} }, {}, round)
    await runtime.call('cancel', {}, { signal: controller.signal })
    expect(vi.getTimerCount()).toBe(shared)
  })
})

describe('callers and loggers that misbehave', () => {
  it('hurt neither the tool nor the answer', async () => {
    const work = tool('work', ({ progress, log }) => {
      progress(1)
      log('info', 'half-way')
      return 'done'
    })
    const broken = () => {
      throw new Error('broken')
    }
    const logger = { lines: [], debug: broken, info: broken, warn: broken, error: broken }
    const { runtime } = await started({
      tools: [work, tool('broken', () => Promise.reject(new Error('x')))],
      logger,
    })
    const options = { onProgress: broken, onLog: () => Promise.reject(new Error('later')) }
    expect(gist(await runtime.call('work', {}, options as CallOptions))).toEqual({ value: 'done' })
    expect(gist(await runtime.call('broken'))).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
  })

  it('cannot hang a call whose executor cancels it itself while it starts', async () => {
    const controller = new AbortController()
    const cancel = tool('cancel', () => {
      controller.abort()
      return new Promise(() => undefined)
    })
    const { runtime } = await started({ tools: [cancel] })
    const result = await runtime.call('cancel', {}, { signal: controller.signal })
    expect(gist(result)).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    expect(result.durationMs).toBeLessThan(1_000)
  })

  it.each([
    { signal: {} },
    { signal: 'no signal' },
    { signal: null },
    { idempotencyKey: null },
    { idempotencyKey: 5 },
    { idempotencyKey: {} },
  ])('may not give %j, which would end the process, or be taken for another key', async (options) => {
    const executor = vi.fn(() => 'done')
    const { runtime } = await started({ tools: [tool('quick', executor)] })
    const result = await runtime.call('quick', {}, options as unknown as CallOptions)
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'EXECUTION_FAILED', outcome: 'not-started', cause: expect.any(TypeError) },
    })
    // The signal of a call that goes on is looked at when this turn is over.
    await new Promise(setImmediate)
    expect(executor).not.toHaveBeenCalled()
  })

  it('may give an idempotency key with half a character in it', async () => {
    const { runtime } = await started({ tools: [tool('key', ({ idempotencyKey }) => idempotencyKey)] })
    const keyOf = async (idempotencyKey: string) => {
      const result = await runtime.call('key', {}, { idempotencyKey })
      return result.ok ? result.value : result.error.code
    }
    const [one, same, ...others] = await Promise.all(['\ud800', '\ud800', '\ud801', '\ufffd'].map(keyOf))
    expect(one).toMatch(/^[\w-]{43}$/)
    expect(same).toBe(one)
    expect(new Set([one, ...others]).size).toBe(3)
  })

  it('may give a deadline that is over, or none at all', async () => {
    const executor = vi.fn(() => 'done')
    const { runtime } = await started({ tools: [tool('quick', executor)] })
    expect(gist(await runtime.call('quick', {}, { timeoutMs: 0 }))).toEqual({
      code: 'TIMEOUT',
      outcome: 'not-started',
    })
    expect(executor).not.toHaveBeenCalled()
    expect(gist(await runtime.call('quick', {}, { timeoutMs: Number.NaN }))).toEqual({ value: 'done' })
    expect(gist(await runtime.call('quick', {}, { timeoutMs: Number.POSITIVE_INFINITY }))).toEqual({
      value: 'done',
    })
  })
})
