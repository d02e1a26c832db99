import { afterEach, describe, expect, it, vi } from 'vitest'
import { FallbackInterceptor, type FallbackInterceptorOptions } from '../../src/interceptors/fallback.js'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'
import type { Store } from '../../src/interceptors/stores/store.js'
import { Principal } from '../../src/registry/principal.js'
import {
  type AnyToolError,
  ApprovalDeniedError,
  ApprovalRequiredError,
  CircuitOpenError,
  ForbiddenError,
  IdempotencyConflictError,
  InvalidArgumentsError,
  OverloadedError,
  RateLimitedError,
  ShuttingDownError,
  ToolError,
  ToolExecutionError,
  ToolTimeoutError,
  ToolUnavailableError,
  UnauthenticatedError,
  UpstreamError,
} from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import { accept, form, runRound } from '../runtime/rounds-fixture.js'
import { deferred, prompt, resource, started, tool } from '../runtime/runtime-fixture.js'

afterEach(() => {
  vi.useRealTimers()
})

const away = () => new UpstreamError('The shop is away', { outcome: 'not-started' })
const throwing = (error: () => unknown) => () => {
  throw error()
}

/** A tool with a fallback, and what its executor does each time. */
async function falling(
  options: FallbackInterceptorOptions,
  {
    executor = throwing(away),
    metadata = {},
    others = [],
    inside = [],
  }: {
    executor?: Parameters<typeof tool>[1]
    metadata?: ToolMetadataInit
    others?: ReturnType<typeof tool>[]
    inside?: ToolInterceptor[]
  } = {},
) {
  const fallback = new FallbackInterceptor(options)
  const target = tool('orders', executor, { metadata, interceptors: [fallback, ...inside] })
  const { runtime, logger } = await started({ tools: [target, ...others] })
  return { runtime, logger, fallback }
}

const parts = (result: ToolExecutionResult) => {
  const { durationMs: _, ...rest } = result
  return { ...rest }
}

describe('what stands in', () => {
  it('is a value, marked as degraded', async () => {
    const { runtime } = await falling({ value: { orders: [] } })
    expect(parts(await runtime.call('orders'))).toEqual({
      ok: true,
      toolName: 'orders',
      value: { orders: [] },
      degraded: true,
    })
  })

  it.each([null, 0, '', false])('is also the value %j', async (value) => {
    const { runtime } = await falling({ value })
    expect(await runtime.call('orders')).toMatchObject({ ok: true, value, degraded: true })
  })

  it('is what a function makes of context and error', async () => {
    const value: FallbackInterceptorOptions['value'] = async (
      { toolName }: { toolName: string },
      { code }: AnyToolError,
    ) =>
      ToolExecutionResult.success(null, {
        content: [{ type: 'text', text: `${toolName}: ${code}` }],
        meta: { 'example.test/from': 'function' },
      })
    const { runtime } = await falling({ value })
    expect(parts(await runtime.call('orders'))).toEqual({
      ok: true,
      toolName: 'orders',
      value: null,
      content: [{ type: 'text', text: 'orders: UPSTREAM_FAILED' }],
      meta: { 'example.test/from': 'function' },
      degraded: true,
    })
  })

  it('is another tool, called as the same caller with the same arguments, through its own chain', async () => {
    const seen: unknown[] = []
    const guard: ToolInterceptor = {
      beforeExecute: ({ principal, args }) => void seen.push([principal?.subject, args]),
    }
    const archive = tool('archive', () => 'from the archive', { interceptors: [guard] })
    const { runtime } = await falling({ tool: 'archive' }, { others: [archive] })
    const principal = new Principal({ subject: 'alice' })
    expect(parts(await runtime.call('orders', { id: 7 }, { principal }))).toEqual({
      ok: true,
      toolName: 'orders',
      value: 'from the archive',
      degraded: true,
    })
    expect(seen).toEqual([['alice', { id: 7 }]])
  })

  it('is given the arguments that input makes', async () => {
    const archive = tool('archive', ({ args }) => args)
    const { runtime } = await falling(
      { tool: 'archive', input: ({ args }) => ({ number: (args as { id: number }).id }) },
      { others: [archive] },
    )
    expect(await runtime.call('orders', { id: 7 })).toMatchObject({ value: { number: 7 } })
  })

  it('is the last good result before the tool, and the tool before the value', async () => {
    let isAway = false
    const executor = () => {
      if (isAway) throw away()
      return 'fresh'
    }
    const archive = tool('archive', ({ args }) => {
      if (args.id === 3) throw new ForbiddenError()
      return 'archived'
    })
    const { runtime } = await falling(
      { lastGood: true, tool: 'archive', value: 'nothing' },
      { executor, metadata: { readOnly: true }, others: [archive] },
    )
    await runtime.call('orders', { id: 1 })
    isAway = true
    const answers = await Promise.all([1, 2, 3].map((id) => runtime.call('orders', { id })))
    expect(answers.map((answer) => answer.ok && [answer.value, answer.degraded])).toEqual([
      ['fresh', true],
      ['archived', true],
      ['nothing', true],
    ])
  })

  it('does not run where the tool answers, whose answer is not marked', async () => {
    const value = vi.fn()
    const { runtime } = await falling({ value }, { executor: () => 'fine' })
    expect(parts(await runtime.call('orders'))).toEqual({ ok: true, toolName: 'orders', value: 'fine' })
    expect(value).not.toHaveBeenCalled()
  })
})

describe('what is stood in for', () => {
  const notStarted = { outcome: 'not-started' } as const
  it.each<[string, () => unknown]>([
    ['an attempt that timed out', () => new ToolTimeoutError('orders', 10, notStarted)],
    ['an upstream that failed', away],
    ['an upstream that answers 503', () => new UpstreamError('busy', { ...notStarted, status: 503 })],
    ['overload', () => new OverloadedError('orders', 1_000)],
    ['an open circuit', () => new CircuitOpenError('orders', 1_000)],
    ['a tool that is unavailable', () => new ToolUnavailableError('orders', 'away')],
  ])('%s', async (_, error) => {
    const { runtime } = await falling({ value: 'stand-in' }, { executor: throwing(error) })
    expect(await runtime.call('orders')).toMatchObject({ value: 'stand-in' })
  })

  it('an exception of what may be repeated', async () => {
    const { runtime } = await falling(
      { value: 'stand-in' },
      { executor: throwing(() => new Error('reset')), metadata: { idempotent: true } },
    )
    expect(await runtime.call('orders')).toMatchObject({ value: 'stand-in' })
  })

  it.each<[string, AnyToolError]>([
    ['bad arguments', new InvalidArgumentsError('orders', [])],
    ['a refusal', new ForbiddenError()],
    ['a caller who is nobody', new UnauthenticatedError()],
    ['a call that waits for approval', new ApprovalRequiredError('orders', 'a-1')],
    ['a call that was not approved', new ApprovalDeniedError('orders')],
    ['shutting down', new ShuttingDownError()],
    ['a key with other arguments', new IdempotencyConflictError('orders')],
    ['a used-up quota', new RateLimitedError('orders', 1_000)],
    ['an upstream that refuses', new UpstreamError('no', { ...notStarted, status: 403 })],
    ['an error that was thrown on purpose', new ToolExecutionError('The date must be in the future')],
  ])('not %s, whatever when says', async (_, error) => {
    const { runtime } = await falling(
      { value: 'stand-in', when: () => true },
      { executor: throwing(() => error), metadata: { readOnly: true } },
    )
    expect(await runtime.call('orders')).toMatchObject({ ok: false, error })
  })

  it('only what when lets through', async () => {
    const when = vi.fn((error: AnyToolError) => error.message.includes('archive'))
    const { runtime } = await falling({ value: 'stand-in', when })
    expect(await runtime.call('orders')).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
    expect(when).toHaveBeenCalledOnce()
  })
})

describe('a when that cannot tell', () => {
  it.each<[string, () => unknown, string]>([
    ['throws', throwing(() => new Error('no idea')), 'Error: no idea'],
    [
      'promises',
      async () => true,
      'TypeError: when of a fallback must return true or false, at once (got a promise)',
    ],
  ])('says no, and why, where it %s', async (_, when, cause) => {
    const { runtime } = await falling({ value: 'stand-in', when: when as never })
    const result = await runtime.call('orders')
    expect(result).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
    expect(String((result as { error: Error }).error.cause)).toBe(cause)
  })
})

describe('work that may have acted', () => {
  const acting = { executor: throwing(() => new UpstreamError('reset')) }

  it('is not hidden behind a stand-in', async () => {
    const archive = vi.fn(() => 'archived')
    const { runtime } = await falling(
      { lastGood: true, tool: 'archive', value: 'nothing' },
      { ...acting, others: [tool('archive', archive)] },
    )
    expect(await runtime.call('orders')).toMatchObject({
      ok: false,
      error: { code: 'UPSTREAM_FAILED', outcome: 'unknown' },
    })
    expect(archive).not.toHaveBeenCalled()
  })

  it.each([{ idempotent: true }, { readOnly: true, idempotent: false }])(
    'unless it is %j',
    async (metadata) => {
      const { runtime } = await falling({ value: 'stand-in' }, { ...acting, metadata })
      expect(await runtime.call('orders')).toMatchObject({ ok: true, value: 'stand-in', degraded: true })
    },
  )

  it('counts also if it was an earlier attempt that may have, and the last one did nothing', async () => {
    let attempts = 0
    const executor = () => {
      throw ++attempts === 1 ? new UpstreamError('reset') : away()
    }
    const again: ToolInterceptor = { aroundExecute: (_, next) => next().catch(() => next()) }
    const { runtime } = await falling(
      { value: 'stand-in' },
      { executor, metadata: { forwardsIdempotencyKey: true }, inside: [again] },
    )
    expect(await runtime.call('orders')).toMatchObject({
      ok: false,
      error: { code: 'UPSTREAM_FAILED', outcome: 'unknown' },
    })
    expect(attempts).toBe(2)
  })
})

describe('a stand-in that fails', () => {
  it('leaves the first error, with the others as its cause', async () => {
    const { runtime } = await falling(
      { tool: 'archive', value: throwing(() => new Error('no value')) },
      {
        others: [
          tool(
            'archive',
            throwing(() => new ToolExecutionError('The archive is locked')),
            { metadata: { readOnly: true } },
          ),
        ],
      },
    )
    const result = await runtime.call('orders')
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'UPSTREAM_FAILED', message: 'The shop is away', outcome: 'not-started' },
    })
    const { cause } = (result as { error: Error }).error
    expect((cause as AggregateError).errors.map(String)).toEqual([
      'ToolExecutionError: The archive is locked',
      'Error: no value',
    ])
  })

  it('leaves the cause of the first error in its place, also in the log', async () => {
    const { runtime, logger } = await falling(
      { value: throwing(() => new Error('no value')) },
      { executor: throwing(() => new Error('reset')), metadata: { readOnly: true } },
    )
    expect(await runtime.call('orders')).toMatchObject({ ok: false, error: { message: 'The tool failed' } })
    const [line] = logger.lines.filter(({ level }) => level === 'error')
    expect(line?.fields.err).toMatchObject({ errors: [{ message: 'reset' }, { message: 'no value' }] })
  })

  it.each<[string, unknown]>([
    ['a failure that is returned', ToolExecutionResult.failure(new ForbiddenError('not you'))],
    ['an error that is returned', new ForbiddenError('not you')],
  ])('counts %s as one', async (_, value) => {
    const { runtime } = await falling({ value: () => value })
    const result = await runtime.call('orders')
    expect(result).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
    expect(String((result as { error: Error }).error.cause)).toBe('ForbiddenError: not you')
  })

  it('does not change an error that other calls share', async () => {
    const shared = Object.freeze(away())
    const { runtime } = await falling(
      { value: throwing(() => new Error('no value')) },
      { executor: throwing(() => shared) },
    )
    const result = await runtime.call('orders')
    expect(ToolError.is(!result.ok && result.error)).toBe(true)
    expect(shared.cause).toBeUndefined()
  })

  it('is not called by the tool that it calls: neither stands in for itself', async () => {
    const calls: string[] = []
    const failing = (name: string, other: string) =>
      tool(
        name,
        () => {
          calls.push(name)
          throw away()
        },
        { interceptors: [new FallbackInterceptor({ tool: other })] },
      )
    const { runtime } = await started({ tools: [failing('a', 'b'), failing('b', 'a'), failing('c', 'c')] })
    expect(await runtime.call('a')).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
    expect(await runtime.call('c')).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
    expect(calls).toEqual(['a', 'b', 'c'])
  })

  it('is not called again by way of the tool that failed, which it calls itself', async () => {
    const calls: string[] = []
    const failing = tool(
      'a',
      () => {
        calls.push('a')
        throw away()
      },
      { interceptors: [new FallbackInterceptor({ tool: 'b' })] },
    )
    const asking = tool('b', async ({ call }) => {
      calls.push('b')
      return call('a', {})
    })
    const { runtime } = await started({ tools: [failing, asking] })
    expect(await runtime.call('a')).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
    expect(calls).toEqual(['a', 'b', 'a'])
  })
})

describe('the last good result', () => {
  /** Read-only, and away whenever it is told to be. */
  async function remembering(
    lastGood: FallbackInterceptorOptions['lastGood'],
    metadata: ToolMetadataInit = {},
  ) {
    const shop = { isAway: false, answer: (args: unknown): unknown => ({ args }) }
    const made = await falling(
      { lastGood: lastGood ?? true },
      {
        executor: ({ args }) => {
          if (shop.isAway) throw away()
          return shop.answer(args)
        },
        metadata: { readOnly: true, ...metadata },
      },
    )
    return { ...made, shop }
  }
  const alice = { principal: new Principal({ subject: 'alice' }) }
  const bob = { principal: new Principal({ subject: 'bob' }) }

  it('is given to the same caller for the same arguments, in whatever order, and to no other', async () => {
    const { runtime, shop } = await remembering(true)
    await runtime.call('orders', { a: 1, b: 2 }, alice)
    shop.isAway = true
    expect(await runtime.call('orders', { b: 2, a: 1 }, alice)).toMatchObject({
      value: { args: { a: 1, b: 2 } },
      degraded: true,
    })
    expect(await runtime.call('orders', { a: 1, b: 2 }, bob)).toMatchObject({ ok: false })
    expect(await runtime.call('orders', { a: 1, b: 3 }, alice)).toMatchObject({ ok: false })
  })

  it('is not that of a definition that has been replaced by another', async () => {
    const { runtime, shop } = await remembering(true)
    await runtime.call('orders')
    shop.isAway = true
    runtime.registry.replace(runtime.registry.getRequired('orders').with({ description: 'Other orders' }))
    expect(await runtime.call('orders')).toMatchObject({ ok: false })
  })

  it('is gone at its age', async () => {
    let now = 0
    const store = new MemoryStore({ clock: { now: () => now } })
    const { runtime, shop } = await remembering({ store, maxAgeMs: 1_000 })
    await runtime.call('orders')
    shop.isAway = true
    now = 999
    expect(await runtime.call('orders')).toMatchObject({ ok: true, degraded: true })
    now = 1_000
    expect(await runtime.call('orders')).toMatchObject({ ok: false })
  })

  it('is a copy: what happens to the value later does not change it', async () => {
    const { runtime, shop } = await remembering(true)
    const live = { orders: ['a'] }
    shop.answer = () => live
    await runtime.call('orders')
    live.orders.push('b')
    shop.isAway = true
    expect(await runtime.call('orders')).toMatchObject({ value: { orders: ['a'] } })
  })

  it('is kept with its content and _meta', async () => {
    const { runtime, shop } = await remembering(true)
    const result = { content: [{ type: 'text', text: 'two orders' }], meta: { 'example.test/n': 2 } }
    shop.answer = () => ToolExecutionResult.success(undefined, result)
    await runtime.call('orders')
    shop.isAway = true
    expect(parts(await runtime.call('orders'))).toEqual({
      ok: true,
      toolName: 'orders',
      value: undefined,
      ...result,
      degraded: true,
    })
  })

  it('is not one of a tool that changes something', async () => {
    const { runtime, shop } = await remembering(true, { readOnly: false, idempotent: true })
    await runtime.call('orders')
    shop.isAway = true
    expect(await runtime.call('orders')).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
  })

  it('is not one that was degraded itself', async () => {
    let hasGuess = true
    const guess: ToolInterceptor = {
      onError: () => (hasGuess ? ToolExecutionResult.success('a guess', { degraded: true }) : undefined),
    }
    const { runtime } = await falling({ lastGood: true }, { metadata: { readOnly: true }, inside: [guess] })
    expect(await runtime.call('orders')).toMatchObject({ value: 'a guess', degraded: true })
    hasGuess = false
    expect(await runtime.call('orders')).toMatchObject({ ok: false })
  })

  it('makes room for the next', async () => {
    const { runtime, shop } = await remembering({ store: new MemoryStore({ maxEntries: 2 }) })
    for (const id of [1, 2, 3]) await runtime.call('orders', { id })
    shop.isAway = true
    const answers = await Promise.all([1, 2, 3].map((id) => runtime.call('orders', { id })))
    expect(answers.map(({ ok }) => ok)).toEqual([false, true, true])
  })

  it('is of one resource, prompt or address each', async () => {
    let isAway = false
    const reader = (_: unknown, uri: string) => {
      if (isAway) throw away()
      return uri
    }
    const fallback = new FallbackInterceptor({ lastGood: true })
    const { runtime } = await started({
      interceptors: [fallback],
      resources: [resource('page', 'shop://{page}', reader)],
      prompts: [prompt('page', [], () => (isAway ? throwing(away)() : 'said'))],
    })
    const before = [await runtime.read('shop://a'), await runtime.getPrompt('page')]
    isAway = true
    const after = [await runtime.read('shop://a'), await runtime.getPrompt('page')]
    expect(after.map((result) => result.ok && [result.value, result.degraded])).toEqual(
      before.map((result) => result.ok && [result.value, true]),
    )
    expect(await runtime.read('shop://b')).toMatchObject({ ok: false })
  })

  it('costs no call anything when its store fails', async () => {
    const broken = {
      set: throwing(() => new Error('full')),
      get: async () => throwing(() => new Error('gone'))(),
    }
    const { runtime, shop } = await remembering({ store: broken as unknown as Store })
    expect(await runtime.call('orders')).toMatchObject({ ok: true })
    shop.isAway = true
    const result = await runtime.call('orders')
    expect(result).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
    expect(String((result as { error: Error }).error.cause)).toBe('Error: gone')
  })
})

describe('the end of the call', () => {
  it('is its end: nothing stands in after the deadline', async () => {
    const value = vi.fn()
    const { runtime } = await falling(
      { value },
      {
        executor: ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        metadata: { readOnly: true, timeoutMs: 20 },
      },
    )
    expect(await runtime.call('orders')).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
    expect(value).not.toHaveBeenCalled()
  })

  it('ends a stand-in that is still at work', async () => {
    const caller = new AbortController()
    const begun = deferred()
    const aborted = deferred()
    const archive = tool('archive', ({ signal }) => {
      begun.resolve()
      signal.addEventListener('abort', () => aborted.resolve())
      return new Promise(() => undefined)
    })
    const { runtime } = await falling({ tool: 'archive' }, { others: [archive] })
    const call = runtime.call('orders', {}, { signal: caller.signal })
    await begun.promise
    caller.abort()
    await aborted.promise
    expect(await call).toMatchObject({ ok: false })
  })

  it('is not a question: what waits for an answer has not failed', async () => {
    const value = vi.fn()
    const { runtime } = await started({
      tools: [
        tool('asks', async ({ ask }) => (await ask(form('a'))).action, {
          metadata: { readOnly: true },
          interceptors: [new FallbackInterceptor({ value })],
        }),
      ],
    })
    expect(await runRound(runtime)).toEqual({ asked: ['a'], steps: {} })
    expect(value).not.toHaveBeenCalled()
  })

  it('is not where a stand-in asks: its question is that of the call', async () => {
    const value: FallbackInterceptorOptions['value'] = (async ({ ask }: ToolExecutionContext) =>
      (await ask(form('b'))).action) as never
    const { runtime } = await started({
      tools: [tool('asks', throwing(away), { interceptors: [new FallbackInterceptor({ value })] })],
    })
    expect(await runRound(runtime)).toEqual({ asked: ['b'], steps: {} })
    expect(await runRound(runtime, { number: 2, answers: { b: accept } })).toEqual({ value: 'accept' })
  })
})

describe('options', () => {
  it.each<[string, FallbackInterceptorOptions]>([
    ['needs something that stands in', {}],
    ['needs something that stands in', { lastGood: false }],
    ['tool of a fallback must be the name of a tool (got an object)', { tool: {} as string }],
    [
      'lastGood of a fallback must be true or { maxAgeMs } (got null)',
      { lastGood: null as unknown as boolean },
    ],
    [
      'when of a fallback must be a function of error and context (got a boolean)',
      { value: 1, when: true as never },
    ],
    [
      'input of a fallback must be a function of the context (got an object)',
      { tool: 'a', input: {} as never },
    ],
    ['lastGood.maxAgeMs must be a whole number from 1 (got 0)', { lastGood: { maxAgeMs: 0 } }],
  ])('%s', (message, options) => {
    expect(() => new FallbackInterceptor(options)).toThrow(message)
  })

  it('explains what stands in for a definition', () => {
    const fallback = new FallbackInterceptor({ lastGood: true, tool: 'archive', value: () => 1 })
    const reads = tool('reads', () => 1, { metadata: { readOnly: true } })
    expect(fallback.explain(reads)).toEqual({ lastGood: { maxAgeMs: 300_000 }, tool: 'archive', value: true })
    expect(fallback.explain(tool('writes'))).toEqual({ tool: 'archive', value: true })
  })
})
