import { afterEach, describe, expect, it, vi } from 'vitest'
import { Principal } from '../../src/registry/principal.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import type { CallOptions } from '../../src/runtime/call-options.js'
import type { ToolRuntime } from '../../src/runtime/tool-runtime.js'
import { gist, prompt, resource, started, tool } from './runtime-fixture.js'

afterEach(() => vi.useRealTimers())

const ann = { principal: new Principal({ subject: 'ann' }) }
const bob = { principal: new Principal({ subject: 'bob' }) }
const TEMPLATE = 'toolwire://results/{id}'
const URI = /^toolwire:\/\/results\/[0-9a-f-]{36}$/

const spills = { largeResult: 'spill', maxResultSize: 100 } as const
const large = ['x'.repeat(200), 'é', 0, null, { '': false }]

/** A tool that gives this, and spills it if it is large. */
function giving(value: unknown, metadata: ToolMetadataInit = spills, interceptors: ToolInterceptor[] = []) {
  return tool('big', () => value, { metadata, interceptors })
}

/** Where the result of a call was spilled to. */
async function spilled(runtime: ToolRuntime, options: CallOptions = ann): Promise<string> {
  const result = await runtime.call('big', {}, options)
  if (!result.ok) throw result.error
  return (result.value as { uri: string }).uri
}

async function read(runtime: ToolRuntime, uri: string, options: CallOptions) {
  const result = await runtime.read(uri, options)
  return result.ok ? JSON.parse((result.value[0] as { text: string }).text) : result.error.code
}

/** Which of them can still be read. */
function kept(runtime: ToolRuntime, uris: readonly string[], options: CallOptions = ann) {
  return Promise.all(uris.map(async (uri) => (await runtime.read(uri, options)).ok))
}

describe('a large result that is spilled', () => {
  it('is answered with a link and a note, and is there, whole, as JSON', async () => {
    const { runtime } = await started({ tools: [giving(large)] })
    const result = await runtime.call('big', {}, ann)
    const text = JSON.stringify(large)
    const { uri } = (result as { value: { uri: string } }).value
    expect(uri).toMatch(URI)
    expect(result).toMatchObject({
      ok: true,
      toolName: 'big',
      value: { uri, size: text.length },
      content: [
        {
          type: 'text',
          text: `The result is too large to be shown: ${text.length} characters of JSON. Read the resource ${uri}, which is kept for up to ten minutes, or ask for less.`,
        },
        {
          type: 'resource_link',
          uri,
          name: 'large_result',
          mimeType: 'application/json',
          size: text.length + 1,
        },
      ],
    })
    expect(gist(await runtime.read(uri, ann))).toEqual({
      value: [{ uri, mimeType: 'application/json', text }],
    })
    expect(await read(runtime, uri, ann)).toEqual(large)
  })

  it('is one that is larger than the tool’s own size, or else the runtime’s', async () => {
    const metadata = { largeResult: 'spill' } as const
    const { runtime } = await started({
      options: { maxResultSize: 100 },
      tools: [
        giving('x'.repeat(90), metadata),
        tool('roomy', () => large, { metadata: { maxResultSize: 500 } }),
      ],
    })
    expect(gist(await runtime.call('big', {}, ann))).toEqual({ value: 'x'.repeat(90) })
    runtime.registry.replace(giving('x'.repeat(101), metadata))
    expect(await spilled(runtime)).toMatch(URI)
    expect(gist(await runtime.call('roomy'))).toEqual({ value: large })
  })

  it('is refused unless the tool says so', async () => {
    const { runtime } = await started({ tools: [giving(large, { maxResultSize: 100 })] })
    expect(gist(await runtime.call('big', {}, ann))).toEqual({
      code: 'RESULT_TOO_LARGE',
      outcome: 'completed',
    })
    expect(runtime.resources.size).toBe(0)
  })

  it('may come from a hook, a class with toJSON, or a fallback, and stays what it is', async () => {
    const degraded: ToolInterceptor = {
      afterExecute: () => ToolExecutionResult.success(large, { degraded: true, meta: { 'a.test/x': 1 } }),
    }
    const { runtime } = await started({ tools: [giving('small', spills, [degraded])] })
    const result = await runtime.call('big', {}, ann)
    expect(result).toMatchObject({ ok: true, degraded: true, meta: { 'a.test/x': 1 } })
    const late: ToolInterceptor = { ...degraded, ring: 'request' }
    runtime.registry.replace(giving('small', spills, [late]))
    expect(await read(runtime, await spilled(runtime), ann)).toEqual(large)
    runtime.registry.replace(giving([new Date(0), ...large]))
    expect(await read(runtime, await spilled(runtime), ann)).toEqual(['1970-01-01T00:00:00.000Z', ...large])
  })

  it.each<[string, unknown]>([
    ['an output schema', 'schema'],
    ['content of its own', ToolExecutionResult.success(large, { content: [{ type: 'text', text: 'x' }] })],
    ['a large _meta', ToolExecutionResult.success(large, { meta: { m: 'x'.repeat(20_000) } })],
  ])('is refused where the result has %s', async (_what, value) => {
    const base = giving(value)
    const withSchema = ToolDefinition.builder()
      .name('big')
      .description('Big')
      .outputSchema({ type: 'array' })
      .metadata(spills)
      .executor(() => large)
      .build()
    const { runtime } = await started({ tools: [value === 'schema' ? withSchema : base] })
    expect(gist(await runtime.call('big', {}, ann))).toMatchObject({ code: 'RESULT_TOO_LARGE' })
  })

  it.each<[string, unknown, string]>([
    ['a BigInt', [...large, 1n], '/5 is a bigint'],
    ['a cycle', cycle(), 'contains itself'],
    ['a function', [...large, () => 1], '/5 is a function'],
    ['NaN', [...large, Number.NaN], '/5 is NaN'],
    ['a Map', [...large, new Map()], '/5 is an instance of Map'],
  ])('is refused when it holds %s, however late', async (_what, value, reason) => {
    const { runtime } = await started({ tools: [giving(value)] })
    const result = await runtime.call('big', {}, ann)
    expect(gist(result)).toEqual({ code: 'INVALID_RESULT', outcome: 'completed' })
    expect(result.ok || result.error.message).toContain(reason)
  })

  it('is not for resources and prompts, whose results are of a form of their own', async () => {
    const long = () => 'x'.repeat(1_000)
    const { runtime } = await started({
      tools: [giving(large)],
      resources: [resource('big', 'docs://big', long, { metadata: spills })],
      prompts: [prompt('big', [], long, { metadata: spills })],
    })
    expect(gist(await runtime.read('docs://big', ann))).toMatchObject({ code: 'RESULT_TOO_LARGE' })
    expect(gist(await runtime.getPrompt('big', {}, ann))).toMatchObject({ code: 'RESULT_TOO_LARGE' })
  })
})

describe('a spilled result', () => {
  it('is there for its caller alone; everybody else is told what is told of an unknown one', async () => {
    const { runtime } = await started({ tools: [giving(large)] })
    const unknown = TEMPLATE.replace('{id}', '0'.repeat(36))
    const callers: Record<string, CallOptions> = {
      ann,
      'ann elsewhere': { ...ann, address: '10.0.0.9', sessionId: 's' },
      'ann of a tenant': { principal: new Principal({ subject: 'ann', tenant: 't' }) },
      bob,
      'an address': { address: '10.0.0.1' },
      'another address': { address: '10.0.0.2' },
      'a session': { sessionId: 's' },
      nobody: {},
    }
    const readers = async (uri: string) => {
      const able = []
      for (const [name, options] of Object.entries(callers)) {
        const known = await runtime.read(uri, options)
        if (known.ok) able.push(name)
        else {
          const none = await runtime.read(unknown, options)
          const told = ({ durationMs, ...result }: ToolExecutionResult) =>
            JSON.stringify({ ...result, took: durationMs >= 0, traceId: 'its own' })
          expect(told(known).replaceAll(uri, 'URI')).toBe(told(none).replaceAll(unknown, 'URI'))
        }
      }
      return able
    }
    expect(await readers(await spilled(runtime, ann))).toEqual(['ann', 'ann elsewhere'])
    expect(await readers(await spilled(runtime, { address: '10.0.0.1' }))).toEqual(['an address'])
    expect(await readers(await spilled(runtime, { sessionId: 's' }))).toEqual(['a session'])
    expect(await readers(await spilled(runtime, {}))).toEqual(['nobody'])
  })

  it('is there for ten minutes, and then gone, with its timer', async () => {
    vi.useFakeTimers()
    const { runtime } = await started({ tools: [giving(large)] })
    // On a clock at 0 nothing would expire.
    await vi.advanceTimersByTimeAsync(1)
    const uri = await spilled(runtime)
    await vi.advanceTimersByTimeAsync(599_000)
    expect(await read(runtime, uri, ann)).toEqual(large)
    await vi.advanceTimersByTimeAsync(1_500)
    expect(await read(runtime, uri, ann)).toBe('RESOURCE_NOT_FOUND')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('makes room for the next of its owner, the oldest first, whatever was read since', async () => {
    const { runtime } = await started({ tools: [giving('x'.repeat(7 * 1024 * 1024))] })
    const uris = [await spilled(runtime), await spilled(runtime)]
    expect(await kept(runtime, uris)).toEqual([true, true])
    uris.push(await spilled(runtime))
    expect(await kept(runtime, uris)).toEqual([false, true, true])
    uris.push(await spilled(runtime))
    expect(await kept(runtime, uris)).toEqual([false, false, true, true])
  })

  it('is not pushed out by another caller, who has no more than a quarter of the room', async () => {
    const { runtime } = await started({ tools: [giving('x'.repeat(4 * 1024 * 1024 - 2))] })
    const ofAnn = [await spilled(runtime, ann)]
    const ofBob = []
    for (let i = 0; i < 40; i++) ofBob.push(await spilled(runtime, bob))
    expect(await kept(runtime, ofAnn, ann)).toEqual([true])
    expect(await kept(runtime, ofBob, bob)).toEqual([...Array(36).fill(false), ...Array(4).fill(true)])
  })

  it('makes room for anybody when all is taken by callers who are within their shares', async () => {
    const { runtime } = await started({ tools: [giving('x'.repeat(16 * 1024 * 1024 - 2))] })
    const callers = Array.from({ length: 5 }, (_, i) => ({ address: `10.0.0.${i}` }))
    const uris: string[] = []
    for (const caller of callers) uris.push(await spilled(runtime, caller))
    const found = await Promise.all(callers.map((caller, i) => kept(runtime, uris.slice(i, i + 1), caller)))
    expect(found.flat()).toEqual([false, true, true, true, true])
  })

  it('leaves its part of the share when it is gone', async () => {
    vi.useFakeTimers()
    const { runtime } = await started({ tools: [giving('x'.repeat(7 * 1024 * 1024))] })
    await vi.advanceTimersByTimeAsync(1)
    await spilled(runtime)
    await vi.advanceTimersByTimeAsync(300_000)
    const uris = [await spilled(runtime)]
    await vi.advanceTimersByTimeAsync(301_000)
    uris.push(await spilled(runtime))
    expect(await kept(runtime, uris)).toEqual([true, true])
  })

  it('is refused if it is larger than the share of a caller', async () => {
    const { runtime } = await started({ tools: [giving('x'.repeat(17 * 1024 * 1024))] })
    expect(gist(await runtime.call('big', {}, ann))).toMatchObject({ code: 'RESULT_TOO_LARGE' })
  })

  it('is gone when the runtime is closed', async () => {
    const { runtime } = await started({ tools: [giving(large)] })
    const uri = await spilled(runtime)
    await runtime.close()
    await runtime.start()
    expect(runtime.resources.list().map(({ name }) => name)).toEqual(['large_result'])
    expect(await read(runtime, uri, ann)).toBe('RESOURCE_NOT_FOUND')
    expect(await read(runtime, await spilled(runtime), ann)).toEqual(large)
  })

  it('is readable through a part of the runtime that does not expose its resource', async () => {
    const { runtime } = await started({ tools: [giving(large)] })
    const options = { ...ann, exposes: ({ name }: { name: string }) => name === 'big' }
    expect(await read(runtime, await spilled(runtime, options), options)).toEqual(large)
    expect(runtime.catalog.list(runtime.resources, options).map(({ name }) => name)).toEqual(['large_result'])
  })
})

describe('the resource of spilled results', () => {
  it('is there once a tool may spill: bound, registered before the start, later, or by replacement', async () => {
    const templates = (runtime: ToolRuntime) => runtime.resources.list().map(({ uriTemplate }) => uriTemplate)
    const bound = await started({ tools: [giving(large)] })
    expect(templates(bound.runtime)).toEqual([TEMPLATE])
    const { runtime } = await started({ tools: [giving(large, {})] })
    expect(templates(runtime)).toEqual([])
    runtime.registry.replace(giving(large))
    expect(templates(runtime)).toEqual([TEMPLATE])
    await runtime.close()
    runtime.registry.register(tool('early', () => large, { metadata: spills }))
    await runtime.start()
    expect(templates(runtime)).toEqual([TEMPLATE])
    expect((await runtime.call('early', {}, ann)).ok).toBe(true)
  })

  it('is not used where its caller could not read it: the result is refused as before', async () => {
    const hidden = await started({
      options: { visibility: ({ kind }) => kind === 'tool' },
      tools: [giving(large)],
    })
    expect(gist(await hidden.runtime.call('big', {}, ann))).toMatchObject({ code: 'RESULT_TOO_LARGE' })

    const audit: ToolInterceptor = { name: 'audit' }
    const unaudited = await started({
      options: { mandatoryInterceptors: ['audit'] },
      tools: [giving(large, spills, [audit])],
    })
    expect(gist(await unaudited.runtime.call('big', {}, ann))).toMatchObject({ code: 'RESULT_TOO_LARGE' })
    expect(unaudited.logger.lines.map(({ message }) => message)).toContain('registry listener failed')

    const taken = await started({ tools: [giving(large)], resources: [resource('mine', TEMPLATE)] })
    const uri = await spilled(taken.runtime).catch((error) => error.code)
    await taken.runtime.resources.unregister(TEMPLATE)
    expect([uri, gist(await taken.runtime.call('big', {}, ann))]).toEqual([
      expect.stringMatching(URI),
      { code: 'RESULT_TOO_LARGE', outcome: 'completed' },
    ])
  })

  it('passes the chain like any other', async () => {
    const seen: unknown[] = []
    const { runtime } = await started({
      interceptors: [{ beforeExecute: ({ kind, toolName }) => void seen.push([kind, toolName]) }],
      tools: [giving(large)],
    })
    await read(runtime, await spilled(runtime), ann)
    expect(seen).toEqual([
      ['tool', 'big'],
      ['resource', 'large_result'],
    ])
  })

  it('has no result under an id of a prototype', async () => {
    const { runtime } = await started({ tools: [giving(large)] })
    for (const id of ['__proto__', 'constructor', '%2e%2e', 'a%2Fb'])
      expect(await read(runtime, TEMPLATE.replace('{id}', id), ann)).toBe('RESOURCE_NOT_FOUND')
  })
})

function cycle() {
  const value: unknown[] = ['x'.repeat(200)]
  value.push(value)
  return value
}
