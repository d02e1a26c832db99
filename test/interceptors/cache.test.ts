import { afterEach, describe, expect, it, vi } from 'vitest'
import { CacheInterceptor, type CacheInterceptorOptions } from '../../src/interceptors/cache.js'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'
import type { Store } from '../../src/interceptors/stores/store.js'
import { UpstreamError } from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import type { CallOptions } from '../../src/runtime/call-options.js'
import { deferred, gist, prompt, resource, started, tool } from '../runtime/runtime-fixture.js'
import { recordingLogger } from './recording-logger.js'

type Executor = (ctx: ToolExecutionContext<Readonly<Record<string, unknown>>>) => unknown

/** A read-only tool `look` behind a cache; `runs` has the arguments of each time that it ran. `pass` lets time pass. */
async function looking(
  executor: Executor = () => 'seen',
  {
    metadata = {},
    inside = [],
    ...options
  }: CacheInterceptorOptions & {
    readonly metadata?: ToolMetadataInit
    readonly inside?: readonly ToolInterceptor[]
  } = {},
) {
  let now = 0
  const store = options.store ?? new MemoryStore({ clock: { now: () => now } })
  const runs: unknown[] = []
  const run: Executor = (ctx) => {
    runs.push(ctx.args)
    return executor(ctx)
  }
  const interceptors = [new CacheInterceptor({ ...options, store }), ...inside]
  const tools = [tool('look', run, { metadata: { readOnly: true, ...metadata } }), tool('write', run)]
  const { runtime } = await started({ interceptors, tools })
  return {
    runs,
    runtime,
    pass: (ms: number) => {
      now += ms
    },
    look: (options: CallOptions = {}, args: unknown = { at: 'x' }, name = 'look') =>
      runtime.call(name, args, options),
  }
}

const tick = () => new Promise(setImmediate)

afterEach(() => {
  vi.useRealTimers()
})

describe('a result', () => {
  it('is given again as frozen JSON, with all that belongs to it, until it expires', async () => {
    const content = [{ type: 'text', text: 'seen' }]
    const host = await looking(() => ToolExecutionResult.success({ n: [1] }, { content, meta: { a: 1 } }), {
      ttlMs: 1_000,
    })
    const first = await host.look()
    host.pass(999)
    const again = await host.look()
    expect(again).toEqual({ ...first, durationMs: expect.any(Number) })
    expect(again.ok && Object.isFrozen(again.value)).toBe(true)
    expect(host.runs).toHaveLength(1)
    host.pass(1)
    await host.look()
    expect(host.runs).toHaveLength(2)
  })

  it('belongs to its caller, its arguments and its tool', async () => {
    const host = await looking(({ callerKey }) => callerKey)
    const answers = []
    for (const sessionId of ['alice', 'bob', 'alice']) answers.push(gist(await host.look({ sessionId })))
    await host.look({ sessionId: 'alice' }, { at: 'y' })
    expect(answers).toEqual([
      { value: 'session:alice' },
      { value: 'session:bob' },
      { value: 'session:alice' },
    ])
    expect(host.runs).toHaveLength(3)
  })

  it('is not that of the definition that is there now, if it has changed', async () => {
    const host = await looking()
    await host.look()
    host.runtime.registry.replace(
      tool('look', () => 'new', { metadata: { readOnly: true, idempotent: false } }),
    )
    expect(gist(await host.look())).toEqual({ value: 'new' })
  })

  it('of a resource and of a prompt is cached too, each for its own', async () => {
    const reads: string[] = []
    const note = (what: string) => {
      reads.push(what)
      return what
    }
    const metadata = { readOnly: true }
    const { runtime } = await started({
      interceptors: [new CacheInterceptor()],
      resources: [resource('note', 'note://{id}', (_, uri) => note(uri), { metadata })],
      prompts: [prompt('ask', ['about'], () => note('prompt'), { metadata })],
    })
    for (const uri of ['note://1', 'note://2', 'note://1']) await runtime.read(uri)
    for (let i = 0; i < 2; i++) await runtime.getPrompt('ask', { about: 'x' })
    expect(reads).toEqual(['note://1', 'note://2', 'prompt'])
  })
})

describe('what is not cached', () => {
  const twice = async (host: Awaited<ReturnType<typeof looking>>, name = 'look') => {
    for (let i = 0; i < 2; i++) await host.look({}, {}, name)
    return host.runs.length
  }

  it('is what may write, unless it is said to be cacheable', async () => {
    expect(await twice(await looking(), 'write')).toBe(2)
    expect(await twice(await looking(() => 'x', { cacheable: () => true }), 'write')).toBe(1)
    expect(await twice(await looking(() => 'x', { cacheable: () => false }))).toBe(2)
    const later = (async () => false) as unknown as () => boolean
    expect(await twice(await looking(() => 'x', { cacheable: later }))).toBe(2)
    expect(await twice(await looking(() => 'x', { ttlMs: () => 0 }))).toBe(2)
  })

  it.each<[string, Executor]>([
    ['a failure', () => Promise.reject(new UpstreamError('down'))],
    ['a degraded result', () => ToolExecutionResult.success('old', { degraded: true })],
    ['more than JSON', () => ({ at: new Date(0) })],
    ['too much', () => 'x'.repeat(1_000)],
  ])('is %s', async (_, executor) => {
    expect(await twice(await looking(executor, { maxSize: 500 }))).toBe(2)
  })

  it('is a spilled result', async () => {
    const host = await looking(() => 'x'.repeat(5_000), {
      metadata: { maxResultSize: 1_000, largeResult: 'spill' },
    })
    expect(await host.look()).toMatchObject({ spilled: true })
    expect(await host.look()).toMatchObject({ spilled: true })
    expect(host.runs).toHaveLength(2)
  })
})

describe('calls at the same time', () => {
  it('run once, and cannot change what the others get', async () => {
    const gate = deferred<unknown>()
    const host = await looking(() => gate.promise)
    const calls = Array.from({ length: 50 }, () => host.look())
    await tick()
    gate.resolve({ list: [1] })
    const [first, ...others] = await Promise.all(calls)
    if (first?.ok) (first.value as { list: number[] }).list.push(2)
    expect(others.map(gist)).toEqual(Array.from({ length: 49 }, () => ({ value: { list: [1] } })))
    expect(host.runs).toHaveLength(1)
  })

  it('get content and _meta of their own, which the executor cannot change any more', async () => {
    const gate = deferred<unknown>()
    const host = await looking(() => gate.promise)
    const [first, second] = [host.look(), host.look()]
    await tick()
    const block = { type: 'resource', resource: { uri: 'view://1', text: 'seen' } }
    const meta = { view: { number: 1 } }
    gate.resolve(ToolExecutionResult.success('seen', { content: [block], meta }))
    await Promise.all([first, second])
    block.resource.text = 'changed'
    meta.view.number = 2
    expect(await second).toMatchObject({
      content: [{ type: 'resource', resource: { uri: 'view://1', text: 'seen' } }],
      meta: { view: { number: 1 } },
    })
  })

  it('share a failure, and the next call runs', async () => {
    const gate = deferred<unknown>()
    const host = await looking(() => gate.promise)
    const calls = [host.look(), host.look()]
    await tick()
    gate.reject(new UpstreamError('down'))
    expect((await Promise.all(calls)).map(gist)).toEqual(
      Array.from({ length: 2 }, () => ({ code: 'UPSTREAM_FAILED', outcome: 'unknown' })),
    )
    await host.look()
    expect(host.runs).toHaveLength(2)
  })

  it('go on for whoever stays, and end when the last has left', async () => {
    const reasons: unknown[] = []
    const gate = deferred<string>()
    const host = await looking(({ signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason))
      return gate.promise
    })
    const callers = [new AbortController(), new AbortController()] as const
    const calls = callers.map(({ signal }) => host.look({ signal }))
    await tick()
    callers[0].abort()
    expect(gist(await (calls[0] as (typeof calls)[number]))).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    expect(reasons).toEqual([])
    callers[1].abort('enough')
    await calls[1]
    expect(reasons).toMatchObject([{ code: 'ABORTED', cause: 'enough' }])
    // Work that ignores its end does not stand in the way of who comes next.
    const next = host.look()
    await tick()
    expect(host.runs).toHaveLength(2)
    gate.resolve('seen')
    expect(gist(await next)).toEqual({ value: 'seen' })
  })
})

describe('stale results', () => {
  it('are given at once, while one call fetches a new one', async () => {
    const answers = [Promise.resolve('old')]
    const host = await looking(() => answers.at(-1), { ttlMs: 1_000, staleWhileRevalidateMs: 1_000 })
    await host.look()
    host.pass(1_500)
    const gate = deferred<string>()
    answers.push(gate.promise)
    expect([gist(await host.look()), gist(await host.look())]).toEqual([{ value: 'old' }, { value: 'old' }])
    expect(host.runs).toHaveLength(2)
    gate.resolve('new')
    await tick()
    expect(gist(await host.look())).toEqual({ value: 'new' })
    host.pass(999)
    expect(gist(await host.look())).toEqual({ value: 'new' })
    expect(host.runs).toHaveLength(2)
  })

  it('stay until they end when a new one cannot be fetched', async () => {
    let fails = false
    const host = await looking(() => (fails ? Promise.reject(new UpstreamError('down')) : 'old'), {
      ttlMs: 1_000,
      staleWhileRevalidateMs: 1_000,
    })
    await host.look()
    fails = true
    host.pass(1_000)
    expect([gist(await host.look()), gist(await host.look())]).toEqual([{ value: 'old' }, { value: 'old' }])
    await tick()
    host.pass(1_000)
    expect(gist(await host.look())).toMatchObject({ code: 'UPSTREAM_FAILED' })
  })

  it('are fetched to the end when who waits for the new one leaves', async () => {
    const answers: unknown[] = ['old']
    const host = await looking(() => answers.at(-1), { ttlMs: 1_000, staleWhileRevalidateMs: 1_000 })
    await host.look()
    host.pass(1_500)
    const gate = deferred<string>()
    answers.push(gate.promise)
    await host.look()
    host.pass(500)
    const caller = new AbortController()
    const waits = host.look({ signal: caller.signal })
    await tick()
    caller.abort()
    expect(gist(await waits)).toMatchObject({ code: 'ABORTED' })
    gate.resolve('new')
    await tick()
    expect(gist(await host.look())).toEqual({ value: 'new' })
    expect(host.runs).toHaveLength(2)
  })
})

describe('a store that fails', () => {
  it.each(['get', 'set'] as const)('at %s costs the cache and not the call', async (method) => {
    const logger = recordingLogger()
    const store: Store = new Proxy(new MemoryStore(), {
      get(target, name) {
        if (name === method) return () => Promise.reject(new Error('gone'))
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const host = await looking(() => 'seen', { store, logger })
    expect([gist(await host.look()), gist(await host.look())]).toEqual([{ value: 'seen' }, { value: 'seen' }])
    expect([host.runs.length, logger.lines.map(({ level }) => level)]).toEqual([2, ['warn', 'warn']])
  })
})

describe('its settings', () => {
  it.each<[CacheInterceptorOptions, string]>([
    [{ ttlMs: -1 }, 'ttlMs must be a whole number from 0'],
    [{ staleWhileRevalidateMs: 0.5 }, 'staleWhileRevalidateMs must be a whole number from 0'],
    [{ maxSize: Number.NaN }, 'maxSize must be a number from 0'],
  ])('%o are refused', (options, message) => {
    expect(() => new CacheInterceptor(options)).toThrow(message)
  })

  it('are explained for each definition', () => {
    const cache = new CacheInterceptor({
      ttlMs: ({ name }) => name.length * 1_000,
      staleWhileRevalidateMs: 5,
    })
    expect([
      cache.explain(tool('abc', () => 'x', { metadata: { readOnly: true } })),
      cache.explain(tool('b')),
    ]).toEqual([{ caches: true, ttlMs: 3_000, staleWhileRevalidateMs: 5 }, { caches: false }])
  })
})
