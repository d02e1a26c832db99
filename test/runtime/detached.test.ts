import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import type { DetachedCall } from '../../src/registry/detached-call.js'
import { OverloadedError, ToolAbortedError, ToolError, UpstreamError } from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { currentCall } from '../../src/runtime/call-scope.js'
import { accept, form } from './rounds-fixture.js'
import { deferred, gist, started, tool } from './runtime-fixture.js'

/** One that all calls share: the first detaches the work, the others wait for the same; each leaves when it is aborted. */
function sharing(order?: number) {
  const begun: DetachedCall[] = []
  const interceptor: ToolInterceptor = {
    name: 'sharing',
    ...(order !== undefined && { order }),
    aroundExecute(ctx, next) {
      const work = begun[0] ?? ctx.detach(next)
      if (begun.length === 0) begun.push(work)
      const left = new Promise<never>((_, reject) => {
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
      })
      return Promise.race([work.result, left])
    },
  }
  return { begun, interceptor }
}

describe('detached work', () => {
  it('goes on for another call when the one that began it is cancelled', async () => {
    const { interceptor } = sharing()
    const work = deferred<string>()
    const seen: ToolExecutionContext[] = []
    const slow = tool(
      'slow',
      (ctx) => {
        seen.push(ctx)
        return work.promise
      },
      { interceptors: [interceptor] },
    )
    const { runtime } = await started({ tools: [slow] })
    const caller = new AbortController()
    const first = runtime.call('slow', { n: 1 }, { signal: caller.signal })
    const second = runtime.call('slow', { n: 1 })
    await turn()
    caller.abort()
    expect(gist(await first)).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    expect(seen[0]?.signal.aborted).toBe(false)
    work.resolve('done')
    expect(gist(await second)).toEqual({ value: 'done' })
    expect(seen).toHaveLength(1)
    await runtime.close()
  })

  it('is the call in everything but signal and deadline, also for code that is handed no context', async () => {
    const { interceptor } = sharing()
    const seen: unknown[] = []
    const look = (ctx: ToolExecutionContext | undefined) => [
      ctx?.callId,
      ctx?.traceId,
      ctx?.sessionId,
      ctx?.principal,
      ctx?.idempotencyKey,
      ctx?.attributes,
      ctx?.args,
    ]
    const before: ToolInterceptor = {
      order: -1,
      beforeExecute: (ctx) => {
        seen.push(look(ctx))
      },
    }
    const looking = tool('looking', (ctx) => void seen.push(look(ctx), look(currentCall())), {
      interceptors: [before, interceptor],
    })
    const { runtime } = await started({ tools: [looking] })
    await runtime.call('looking', { a: 1 }, { callId: 7, sessionId: 's', idempotencyKey: 'k' })
    expect(seen).toHaveLength(3)
    expect(seen[1]).toEqual(seen[0])
    expect(seen[2]).toEqual(seen[0])
    await runtime.close()
  })

  it('is aborted with a reason that reaches the executor and its result', async () => {
    const { begun, interceptor } = sharing()
    const reasons: unknown[] = []
    const slow = tool(
      'slow',
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(reasons.push(signal.reason)))
        }),
      { interceptors: [interceptor] },
    )
    const { runtime } = await started({ tools: [slow] })
    const call = runtime.call('slow')
    await turn()
    const reason = new ToolAbortedError('slow', { outcome: 'unknown' })
    begun[0]?.abort(reason)
    expect(gist(await call)).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    expect(reasons).toEqual([reason])
    await runtime.close()
  })

  it('holds a lease of its own until it has settled', async () => {
    const { interceptor } = sharing()
    const work = deferred<string>()
    const slow = tool('slow', () => work.promise, { interceptors: [interceptor] })
    const { runtime } = await started({ tools: [slow] })
    const caller = new AbortController()
    const call = runtime.call('slow', {}, { signal: caller.signal })
    await turn()
    caller.abort()
    await call
    let isGone = false
    const removed = runtime.registry.unregister('slow').then(() => {
      isGone = true
    })
    await turn()
    expect(isGone).toBe(false)
    work.resolve('late')
    await removed
    await runtime.close()
  })

  it('is checked as every result is', async () => {
    const { begun, interceptor } = sharing()
    const { runtime, logger } = await started({
      tools: [tool('bad', () => 10n, { interceptors: [interceptor] })],
    })
    expect(gist(await runtime.call('bad'))).toEqual({ code: 'INVALID_RESULT', outcome: 'completed' })
    await expect(begun[0]?.result).rejects.toMatchObject({ code: 'INVALID_RESULT' })
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    await runtime.close()
  })

  it('counts as the work of its call: what is not idempotent starts once, whichever way', async () => {
    const starts: number[] = []
    const twice: ToolInterceptor = {
      async aroundExecute(ctx, next) {
        await ctx.detach(next).result.catch(() => undefined)
        return next(ctx)
      },
    }
    const send = tool(
      'send',
      () => {
        starts.push(starts.length)
        throw new UpstreamError('reset')
      },
      { interceptors: [twice] },
    )
    const { runtime } = await started({ tools: [send] })
    expect(gist(await runtime.call('send'))).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
    expect(starts).toEqual([0])
    await runtime.close()
  })

  it('tells each interceptor around it when the work has settled, however often it was detached', async () => {
    const work = deferred<string>()
    const settled: string[] = []
    const holding = (name: string): ToolInterceptor => ({
      name,
      async aroundExecute(ctx, next) {
        const detached = ctx.detach(next)
        const left = new Promise<never>((_, reject) => {
          ctx.signal.addEventListener('abort', () => {
            detached.abort(ToolError.from(ctx.signal.reason))
            reject(ctx.signal.reason)
          })
        })
        try {
          return await Promise.race([detached.result, left])
        } finally {
          ctx.whenWorkSettles(() => settled.push(name))
        }
      },
    })
    const slow = tool('slow', () => work.promise, { interceptors: [holding('outer'), holding('inner')] })
    const { runtime } = await started({ tools: [slow] })
    const caller = new AbortController()
    const call = runtime.call('slow', {}, { signal: caller.signal })
    await turn()
    caller.abort()
    expect(gist(await call)).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    await turn()
    expect(settled).toEqual([])
    work.resolve('late')
    await turn()
    expect(settled.sort()).toEqual(['inner', 'outer'])
    await runtime.close()
  })

  it('asks as its call does, and is told so when the caller that could answer is gone', async () => {
    const { interceptor } = sharing()
    const go = deferred()
    const asking = tool(
      'asking',
      async ({ ask }) => {
        await go.promise
        return ask({ message: 'Sure?', schema: { type: 'object', properties: {} } }).catch(({ code }) => code)
      },
      { interceptors: [interceptor] },
    )
    const { runtime } = await started({ tools: [asking] })
    const caller = new AbortController()
    const ask = async () => ({ action: 'accept' as const, content: {} })
    const first = runtime.call('asking', {}, { signal: caller.signal, ask })
    const second = runtime.call('asking', {}, { ask })
    await turn()
    caller.abort()
    await first
    go.resolve()
    expect(gist(await second)).toEqual({ value: 'TOOL_UNAVAILABLE' })
    await runtime.close()
  })

  it('ends with the runtime', async () => {
    const { begun, interceptor } = sharing()
    const slow = tool('slow', () => new Promise(() => undefined), { interceptors: [interceptor] })
    const { runtime } = await started({ tools: [slow] })
    const caller = new AbortController()
    const call = runtime.call('slow', {}, { signal: caller.signal })
    await turn()
    caller.abort()
    await call
    await runtime.close({ drainMs: 10 })
    await expect(begun[0]?.result).rejects.toMatchObject({ code: 'SHUTTING_DOWN', outcome: 'unknown' })
  })

  it('suspends its call where the answer comes with another request', async () => {
    const { interceptor } = sharing()
    const asking = tool(
      'asking',
      ({ ask }) => ask({ message: 'Sure?', schema: { type: 'object', properties: {} } }),
      {
        interceptors: [interceptor],
      },
    )
    const { runtime } = await started({ tools: [asking] })
    const round = { number: 1, answers: {}, steps: {}, supports: () => true }
    const outcome = await runtime.run({ kind: 'tool', name: 'asking', input: {} }, {}, round)
    expect(outcome).toMatchObject({ name: 'CallSuspension', questions: [{ message: 'Sure?' }] })
    await runtime.close()
  })
})

describe('the deadline of detached work', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("is the definition's, from when the work began", async () => {
    const { begun, interceptor } = sharing()
    const slow = tool('slow', () => new Promise(() => undefined), {
      interceptors: [interceptor],
      metadata: { timeoutMs: 1_000 },
    })
    const { runtime } = await started({ tools: [slow] })
    const first = runtime.call('slow', {}, { timeoutMs: 100 })
    await vi.advanceTimersByTimeAsync(600)
    expect(gist(await first)).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    const second = runtime.call('slow')
    await vi.advanceTimersByTimeAsync(500)
    await expect(begun[0]?.result).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(await second).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
  })
})

describe('a tool that calls another', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('does so as the same caller, in the time that is left, past all that stands around the other', async () => {
    const seen: unknown[] = []
    const inner = tool(
      'inner',
      ({ callerKey, traceId, sessionId, deadline, args }) => {
        seen.push({ callerKey, traceId, sessionId, inTime: deadline <= outerDeadline + 1, args })
        return 'inner'
      },
      { interceptors: [{ name: 'guard', beforeExecute: () => void seen.push('guarded') }] },
    )
    let outerDeadline = 0
    const outer = tool('outer', async ({ call, deadline }) => {
      outerDeadline = deadline
      const result = await call(inner, { n: 1 })
      return result.ok ? `outer of ${result.value}` : result.error.code
    })
    const { runtime } = await started({ tools: [inner, outer] })
    const options = { sessionId: 's', traceId: 'a'.repeat(32), timeoutMs: 500 }
    expect(gist(await runtime.call('outer', {}, options))).toEqual({ value: 'outer of inner' })
    expect(seen).toEqual([
      'guarded',
      { callerKey: 'session:s', traceId: 'a'.repeat(32), sessionId: 's', inTime: true, args: { n: 1 } },
    ])
    await runtime.close()
  })

  it('takes the other along when it is cancelled', async () => {
    const ended: unknown[] = []
    const inner = tool(
      'inner',
      ({ signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(ended.push('inner')))),
    )
    const outer = tool('outer', async ({ call }) => {
      const result = await call('inner')
      ended.push(result.ok ? 'ok' : result.error.code)
      return ToolExecutionResult.success(1)
    })
    const { runtime } = await started({ tools: [inner, outer] })
    const caller = new AbortController()
    const call = runtime.call('outer', {}, { signal: caller.signal })
    await turn()
    caller.abort()
    expect(gist(await call)).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    await turn()
    expect(ended).toEqual(['inner', 'ABORTED'])
    await runtime.close()
  })

  it('has as much time after the other has asked the user as before', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const metadata = { timeoutMs: 200 }
    const inner = tool('inner', async ({ ask }) => ask(form('sure')), { metadata })
    const outer = tool(
      'outer',
      async ({ call }) => {
        const asked = await call('inner')
        await new Promise((resolve) => setTimeout(resolve, 150))
        return asked.ok ? 'asked' : asked.error.code
      },
      { metadata },
    )
    const { runtime } = await started({ tools: [inner, outer] })
    const answer = deferred<typeof accept>()
    const call = runtime.call('outer', {}, { ask: () => answer.promise })
    await vi.advanceTimersByTimeAsync(60_000)
    answer.resolve(accept)
    await vi.advanceTimersByTimeAsync(150)
    expect(gist(await call)).toEqual({ value: 'asked' })
    // An answer that never comes does not keep the deadline from passing for good.
    const late = runtime.call('outer', {}, { ask: () => new Promise(() => undefined) })
    await vi.advanceTimersByTimeAsync(300_000 + 150)
    expect(gist(await late)).toEqual({ value: 'TIMEOUT' })
  })

  it.each<[string, (failed: ToolExecutionResult) => unknown]>([
    ['throws', (failed) => Promise.reject(failed.ok ? new Error('it has not failed') : failed.error)],
    ['returns', (failed) => failed],
  ])('and %s its failure does not say that nothing was started', async (_, passOn) => {
    const did: string[] = []
    const busy = tool('busy', () => {
      throw new OverloadedError('busy', 1)
    })
    const pay = tool('pay', async ({ call }) => {
      did.push('paid')
      return passOn(await call('busy'))
    })
    const { runtime } = await started({ tools: [busy, pay], interceptors: [new RetryInterceptor()] })
    expect(gist(await runtime.call('pay'))).toEqual({ code: 'OVERLOADED', outcome: 'unknown' })
    expect(did).toEqual(['paid'])
  })

  it('and itself without end is stopped, before the stack is used up', async () => {
    const runs: unknown[] = []
    const endless = tool('endless', async ({ call }) => {
      runs.push('endless')
      return call('endless')
    })
    const { runtime } = await started({ tools: [endless] })
    expect(await runtime.call('endless')).toMatchObject({
      ok: false,
      error: {
        code: 'EXECUTION_FAILED',
        message: 'Calls within calls are nested more than 32 deep: "endless" is not run',
      },
    })
    expect(runs).toHaveLength(32)
  })

  it('may call many, and begin anew when it has ended, as often as it likes', async () => {
    const results: string[] = []
    const leaf = tool('leaf', () => 'leaf')
    const again = tool('again', async ({ call, args }) => {
      const all = await Promise.all(Array.from({ length: 100 }, () => call(leaf, {})))
      results.push(all.every(({ ok }) => ok) ? 'ok' : 'failed')
      const n = Number(args.n)
      if (n > 0) setImmediate(() => void runtime.call('again', { n: n - 1 }))
    })
    const { runtime } = await started({ tools: [leaf, again] })
    await runtime.call('again', { n: 50 })
    await vi.waitFor(() => expect(results).toHaveLength(51))
    expect(new Set(results)).toEqual(new Set(['ok']))
  })
})
