import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ForbiddenError, ToolExecutionError, UpstreamError } from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { CallOptions } from '../../src/runtime/call-options.js'
import { currentCall } from '../../src/runtime/call-scope.js'
import { deferred, started, tool } from './runtime-fixture.js'

afterEach(() => vi.useRealTimers())

/** What an outcome is about, for whole-value comparison. */
function gist(result: ToolExecutionResult) {
  return result.ok ? { value: result.value } : { code: result.error.code, outcome: result.error.outcome }
}

describe('a call', () => {
  it('answers with a frozen result that names the tool and says how long it took', async () => {
    const { runtime } = await started({ tools: [tool('add', ({ args }) => Number(args.a) + Number(args.b))] })
    const result = await runtime.call('add', { a: 2, b: 3 })
    expect(result).toMatchObject({ ok: true, toolName: 'add', value: 5 })
    expect(result.durationMs).toBeGreaterThanOrEqual(0)
    expect(Object.isFrozen(result)).toBe(true)
  })

  it('takes no input as {}', async () => {
    const { runtime } = await started({ tools: [tool('echo', ({ args }) => args)] })
    expect(gist(await runtime.call('echo'))).toEqual({ value: {} })
  })

  it.each([null, 7, 'x', [1], new Map()])('refuses arguments that are no object: %s', async (input) => {
    const { runtime } = await started({ tools: [tool('echo')] })
    const result = await runtime.call('echo', input)
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'INVALID_ARGUMENTS', issues: [{ path: '', keyword: 'type' }] },
    })
  })

  it('gives the executor a deeply frozen copy and leaves the input alone', async () => {
    let seen: unknown
    const { runtime } = await started({
      tools: [
        tool('keep', ({ args }) => {
          seen = args
        }),
      ],
    })
    const input = { list: [{ n: 1 }], gone: undefined }
    await runtime.call('keep', input)
    expect(seen).toEqual({ list: [{ n: 1 }] })
    expect(seen).not.toBe(input)
    expect(Object.isFrozen((seen as typeof input).list[0])).toBe(true)
    expect(Object.isFrozen(input.list)).toBe(false)
  })

  it('keeps a property called __proto__ a property', async () => {
    let seen: object = {}
    const { runtime } = await started({
      tools: [
        tool('keep', ({ args }) => {
          seen = args
        }),
      ],
    })
    await runtime.call('keep', JSON.parse('{"__proto__":{"admin":true},"n":1}'))
    expect(Object.getPrototypeOf(seen)).toBe(Object.prototype)
    expect(Object.keys(seen)).toEqual(['__proto__', 'n'])
  })

  it.each([
    ['a Date', new Date(0), '/when'],
    ['a function', () => 1, '/when'],
    ['NaN', Number.NaN, '/when'],
    ['a BigInt', 1n, '/when'],
  ])('refuses %s as an argument, with the place', async (_name, value, path) => {
    const { runtime } = await started({ tools: [tool('echo')] })
    expect(await runtime.call('echo', { when: value })).toMatchObject({ error: { issues: [{ path }] } })
  })

  it('refuses arguments nested beyond reason instead of overflowing the stack', async () => {
    const { runtime } = await started({ tools: [tool('echo')] })
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)
    expect(gist(await runtime.call('echo', deep))).toEqual({
      code: 'INVALID_ARGUMENTS',
      outcome: 'not-started',
    })
  })

  it('masks an unknown failure and logs it in full', async () => {
    const cause = new Error('connect postgres://admin:pw@db failed')
    const { runtime, logger } = await started({ tools: [tool('broken', () => Promise.reject(cause))] })
    const result = await runtime.call('broken')
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'EXECUTION_FAILED', message: 'The tool failed', outcome: 'unknown' },
    })
    expect(JSON.stringify(result)).not.toContain('postgres')
    expect(logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { toolName: 'broken', err: { message: expect.stringContaining('connect postgres://') } } },
    ])
  })

  it('passes on an error that the executor threw on purpose', async () => {
    const thrown = new UpstreamError('The weather service answered 503', { status: 503 })
    const { runtime } = await started({ tools: [tool('weather', () => Promise.reject(thrown))] })
    expect(await runtime.call('weather')).toMatchObject({ error: thrown })
  })

  it('takes what the executor returns as a result, content and all', async () => {
    const content = [{ type: 'text', text: 'Sunny' }]
    const { runtime } = await started({
      tools: [
        tool('say', () => ToolExecutionResult.success({ sky: 'clear' }, { content })),
        tool('no', () => ToolExecutionResult.failure(new ForbiddenError())),
      ],
    })
    expect(await runtime.call('say')).toMatchObject({
      ok: true,
      toolName: 'say',
      value: { sky: 'clear' },
      content,
    })
    expect(gist(await runtime.call('no'))).toEqual({ code: 'FORBIDDEN', outcome: 'not-started' })
  })

  it('passes the request ring for an unknown tool too', async () => {
    const seen: unknown[] = []
    const audit: ToolInterceptor = {
      ring: 'request',
      onError: (ctx, error) => void seen.push([ctx.toolName, ctx.tool, error.code]),
    }
    const { runtime } = await started({ interceptors: [audit] })
    expect(gist(await runtime.call('nowhere'))).toEqual({ code: 'TOOL_NOT_FOUND', outcome: 'not-started' })
    expect(seen).toEqual([['nowhere', undefined, 'TOOL_NOT_FOUND']])
  })

  it('lets a request-ring interceptor change the arguments before they are validated', async () => {
    const fill: ToolInterceptor = {
      ring: 'request',
      beforeExecute: (ctx) => ctx.with({ args: { city: '北京' } }),
    }
    const { runtime } = await started({ interceptors: [fill], tools: [tool('echo', ({ args }) => args)] })
    expect(gist(await runtime.call('echo', { city: 'nowhere' }))).toEqual({ value: { city: '北京' } })
  })
})

describe('what is easily got wrong', () => {
  it('freezes what a schema library made, also below what that froze itself', async () => {
    let tags: readonly string[] = []
    const tagged = ToolDefinition.builder()
      .name('tagged')
      .description('Takes tags')
      .parameterSchema(z.object({ tags: z.array(z.string()) }).readonly())
      .executor(({ args }) => {
        tags = args.tags
      })
      .build()
    const { runtime } = await started({ tools: [tagged] })
    await runtime.call(tagged, { tags: ['a'] })
    expect(Object.isFrozen(tags)).toBe(true)
  })

  it('takes an error that the executor returns as one that it throws', async () => {
    const { runtime } = await started({ tools: [tool('no', () => new ForbiddenError())] })
    expect(gist(await runtime.call('no'))).toMatchObject({ code: 'FORBIDDEN' })
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

describe('the result check', () => {
  it.each([
    ['a BigInt', { n: 1n }, '/n'],
    ['NaN', { list: [Number.NaN] }, '/list/0'],
    ['a Map', new Map(), 'the value'],
    ['a function', { f: () => 1 }, '/f'],
  ])('refuses %s', async (_name, value, place) => {
    const { runtime } = await started({ tools: [tool('bad', () => value)] })
    const result = await runtime.call('bad')
    expect(gist(result)).toEqual({ code: 'INVALID_RESULT', outcome: 'completed' })
    expect(!result.ok && result.error.message).toContain(place)
  })

  it('refuses a cycle', async () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    const { runtime } = await started({ tools: [tool('bad', () => cycle)] })
    expect(gist(await runtime.call('bad'))).toEqual({ code: 'INVALID_RESULT', outcome: 'completed' })
  })

  it('lets dates and classes through, as JSON writes them, and nothing at all', async () => {
    class Point {
      constructor(readonly x: number) {}
    }
    const value = { at: new Date(0), point: new Point(1), none: undefined }
    const { runtime } = await started({ tools: [tool('good', () => value), tool('void', () => undefined)] })
    expect(gist(await runtime.call('good'))).toEqual({ value })
    expect(gist(await runtime.call('void'))).toEqual({ value: undefined })
  })

  it('refuses a result that is too large, and says how to get less', async () => {
    const { runtime } = await started({
      tools: [tool('big', () => 'x'.repeat(200))],
      options: { maxResultSize: 100 },
    })
    expect(await runtime.call('big')).toMatchObject({
      error: { code: 'RESULT_TOO_LARGE', message: expect.stringContaining('ask for less') },
    })
  })

  it('holds the value to the output schema, also one that an interceptor put in its place', async () => {
    const typed = ToolDefinition.builder()
      .name('typed')
      .description('Promises a number')
      .outputSchema({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] })
      .executor(({ callId }) => (callId === 'good' ? { n: 1 } : { n: 'one' }))
      .build()
    const replace: ToolInterceptor = {
      ring: 'request',
      afterExecute: (ctx) =>
        ctx.sessionId === 'replaced' ? ToolExecutionResult.success({ wrong: true }) : undefined,
    }
    const { runtime } = await started({ tools: [typed], interceptors: [replace] })
    expect(gist(await runtime.call('typed', {}, { callId: 'good' }))).toEqual({ value: { n: 1 } })
    expect(gist(await runtime.call('typed'))).toEqual({ code: 'INVALID_RESULT', outcome: 'completed' })
    const replaced = await runtime.call('typed', {}, { callId: 'good', sessionId: 'replaced' })
    expect(gist(replaced)).toEqual({ code: 'INVALID_RESULT', outcome: 'completed' })
  })
})

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
    await Promise.resolve()
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
})

describe('running the executor again', () => {
  const again: ToolInterceptor = {
    async aroundExecute(_ctx, next) {
      try {
        return await next()
      } catch {
        return await next()
      }
    },
  }

  it('is refused after a failure that may have acted', async () => {
    const executor = vi.fn(() => Promise.reject(new Error('reset')))
    const { runtime } = await started({ tools: [tool('pay', executor, { interceptors: [again] })] })
    expect(gist(await runtime.call('pay'))).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
    expect(executor).toHaveBeenCalledOnce()
  })

  it('is allowed for an idempotent tool', async () => {
    const executor = vi.fn().mockRejectedValueOnce(new Error('reset')).mockResolvedValueOnce('ok')
    const { runtime } = await started({
      tools: [tool('read', executor, { metadata: { idempotent: true }, interceptors: [again] })],
    })
    expect(gist(await runtime.call('read'))).toEqual({ value: 'ok' })
  })

  it('is allowed when nothing was started', async () => {
    const busy = new ToolExecutionError('busy', { outcome: 'not-started' })
    const executor = vi.fn().mockRejectedValueOnce(busy).mockResolvedValueOnce('ok')
    const { runtime } = await started({ tools: [tool('pay', executor, { interceptors: [again] })] })
    expect(gist(await runtime.call('pay'))).toEqual({ value: 'ok' })
  })

  it('does not become safe because a hook fails after the work: the outcome stays honest', async () => {
    const veto: ToolInterceptor = {
      afterExecute: () => {
        throw new ForbiddenError()
      },
    }
    const { runtime } = await started({ tools: [tool('pay', () => 'paid', { interceptors: [veto] })] })
    expect(gist(await runtime.call('pay'))).toEqual({ code: 'FORBIDDEN', outcome: 'completed' })
  })
})

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

describe('leases', () => {
  it('lets a tool remove itself without waiting for its own call', async () => {
    const { runtime } = await started({
      tools: [tool('suicide', async () => runtime.registry.unregister('suicide', { drainMs: 60_000 }))],
    })
    expect(gist(await runtime.call('suicide'))).toEqual({ value: true })
  })

  it('lets a nested call remove the tool around it', async () => {
    const { runtime } = await started({
      tools: [
        tool('outer', async () => (await runtime.call('inner')).ok),
        tool('inner', () => runtime.registry.unregister('outer', { drainMs: 60_000 })),
      ],
    })
    expect(gist(await runtime.call('outer'))).toEqual({ value: true })
  })

  it('ends a running call with the definition it started with when that is replaced', async () => {
    const gate = deferred<string>()
    const { runtime } = await started({ tools: [tool('swap', () => gate.promise)] })
    const old = runtime.call('swap')
    await Promise.resolve()
    runtime.registry.replace(tool('swap', () => 'new'))
    expect(gist(await runtime.call('swap'))).toEqual({ value: 'new' })
    gate.resolve('old')
    expect(gist(await old)).toEqual({ value: 'old' })
  })

  it('is waited for when its tool was replaced and is then removed', async () => {
    const gate = deferred<string>()
    const { runtime } = await started({ tools: [tool('swap', () => gate.promise)] })
    const old = runtime.call('swap')
    await Promise.resolve()
    runtime.registry.replace(tool('swap', () => 'new'))
    expect(await runtime.registry.unregister('swap', { drainMs: 1 })).toBe(false)
    gate.resolve('old')
    expect(gist(await old)).toEqual({ value: 'old' })
  })

  it('counts another call as another’s once the one that removed the tool has ended', async () => {
    const gate = deferred<string>()
    const removed: Promise<boolean>[] = []
    const { runtime } = await started({
      tools: [
        tool('both', ({ args }) => {
          if (args.wait) return gate.promise
          removed.push(runtime.registry.unregister('both', { drainMs: 60_000 }))
          return 'removed'
        }),
      ],
    })
    const other = runtime.call('both', { wait: true })
    await Promise.resolve()
    expect(gist(await runtime.call('both'))).toEqual({ value: 'removed' })
    const isRemoved = vi.fn()
    void removed[0]?.then(isRemoved)
    await new Promise(setImmediate)
    expect(isRemoved).not.toHaveBeenCalled()
    gate.resolve('ended')
    await other
    expect(await removed[0]).toBe(true)
  })
})
