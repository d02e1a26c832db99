import { describe, expect, it, vi } from 'vitest'
import { CallSuspension } from '../../src/registry/call-suspension.js'
import { ForbiddenError, UpstreamError } from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { deferred, gist, started, tool } from './runtime-fixture.js'

describe('a call', () => {
  it('answers with a frozen result that names the tool and says how long it took', async () => {
    const { runtime } = await started({ tools: [tool('add', ({ args }) => Number(args.a) + Number(args.b))] })
    const result = await runtime.call('add', { a: 2, b: 3 })
    expect(result).toMatchObject({ ok: true, toolName: 'add', value: 5 })
    expect(result.durationMs).toBeGreaterThanOrEqual(0)
    expect(Object.isFrozen(result)).toBe(true)
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
    const thrown = new UpstreamError('The weather service answered 400', { status: 400 })
    const { runtime } = await started({ tools: [tool('weather', () => Promise.reject(thrown))] })
    expect(await runtime.call('weather')).toMatchObject({ error: thrown })
  })

  it('says that a call may be repeated only where that does no harm', async () => {
    const down = () => Promise.reject(new UpstreamError('The service answered 503', { status: 503 }))
    const tools = [
      tool('pay', down),
      tool('put', down, { metadata: { idempotent: true } }),
      tool('get', down, { metadata: { readOnly: true } }),
      tool('busy', () => 'never', {
        interceptors: [
          { beforeExecute: () => Promise.reject(new UpstreamError('no', { outcome: 'not-started' })) },
        ],
      }),
    ]
    const { runtime } = await started({ tools })
    const told = async (name: string) => {
      const result = await runtime.call(name)
      return !result.ok && [name, result.error.retryable, result.mayHaveActed]
    }
    expect(await Promise.all(tools.map(({ name }) => told(name)))).toEqual([
      ['pay', false, true],
      ['put', true, undefined],
      ['get', true, undefined],
      ['busy', true, undefined],
    ])
  })

  it('names the trace of a failure, under which the log has its cause', async () => {
    const fails = tool('fails', () => Promise.reject(new Error('secret')))
    const { runtime, logger } = await started({ tools: [fails] })
    const result = await runtime.call('fails')
    const { traceId } = result as { readonly traceId: string }
    expect(traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ level: 'error', fields: expect.objectContaining({ traceId }) }),
    )
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
describe('work that outlives its answer', () => {
  const lines = (logger: { readonly lines: readonly { readonly message: string }[] }) =>
    logger.lines.map(({ message }) => message).filter((message) => message.includes('work'))
  const turn = () => new Promise(setImmediate)

  it('is logged, and its end as well', async () => {
    const stubborn = deferred()
    const { runtime, logger } = await started({ tools: [tool('work', () => stubborn.promise)] })
    expect(gist(await runtime.call('work', {}, { timeoutMs: 1 }))).toEqual({
      code: 'TIMEOUT',
      outcome: 'unknown',
    })
    await turn()
    expect(lines(logger)).toEqual(['answered while the tool is still working'])
    stubborn.resolve()
    await turn()
    expect(lines(logger)).toEqual([
      'answered while the tool is still working',
      'the work of an answered call has ended',
    ])
  })

  it('is not that of a tool that waits for an answer, or that heeds its signal', async () => {
    const { runtime, logger } = await started({
      tools: [
        tool('ask', async ({ ask }) => await ask({ kind: 'roots' })),
        tool('heed', ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject))),
      ],
    })
    const round = { number: 1, answers: {}, steps: {}, supports: () => true }
    const waiting = await runtime.run({ kind: 'tool', name: 'ask', input: {} }, {}, round)
    expect(CallSuspension.is(waiting)).toBe(true)
    await runtime.call('heed', {}, { timeoutMs: 1 })
    await turn()
    expect(lines(logger)).toEqual([])
  })
})

describe('calls from JavaScript', () => {
  it.each([[null], [5], [undefined]])('answer whatever the name is: %s', async (name) => {
    const { runtime } = await started({ tools: [tool('a')] })
    expect(await runtime.call(name as never, {}, null as never)).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND' },
    })
  })
})
