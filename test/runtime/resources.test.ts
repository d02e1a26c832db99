import { describe, expect, it, vi } from 'vitest'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { ResourceContents } from '../../src/registry/resource-contents.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { ResourceDefinitionProvider } from '../../src/registry/resource-definition-provider.js'
import { ForbiddenError, ResourceNotFoundError } from '../../src/registry/tool-error.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import {
  containerWith,
  deferred,
  gist,
  prompt,
  recordingInterceptor,
  resource,
  started,
  tool,
} from './runtime-fixture.js'

describe('reading a resource', () => {
  it('gives its contents, whatever its reader returns', async () => {
    const { runtime } = await started({
      resources: [
        resource('text', 'docs://text', () => 'hello'),
        resource('empty', 'docs://empty', () => ''),
        resource('bytes', 'docs://bytes', () => new Uint8Array([1, 2, 3])),
        resource('json', 'docs://json', async () => ({ a: 0 })),
        resource('parts', 'docs://parts', () => [
          ResourceContents.text('one'),
          ResourceContents.text('two', { uri: 'docs://parts/2', mimeType: 'text/plain' }),
        ]),
      ],
    })
    const contents = async (uri: string) => {
      const result = await runtime.read(uri)
      return result.ok ? result.value : result.error.code
    }
    expect(await contents('docs://text')).toEqual([{ uri: 'docs://text', text: 'hello' }])
    expect(await contents('docs://empty')).toEqual([{ uri: 'docs://empty', text: '' }])
    expect(await contents('docs://bytes')).toEqual([{ uri: 'docs://bytes', blob: 'AQID' }])
    expect(await contents('docs://json')).toEqual([
      { uri: 'docs://json', mimeType: 'application/json', text: '{"a":0}' },
    ])
    expect(await contents('docs://parts')).toEqual([
      { uri: 'docs://parts', text: 'one' },
      { uri: 'docs://parts/2', mimeType: 'text/plain', text: 'two' },
    ])
  })

  it('passes both rings, which see the raw and the prepared variables of its template', async () => {
    const request = recordingInterceptor('request')
    const execution = recordingInterceptor('execution')
    const { runtime } = await started({
      interceptors: [request.interceptor, execution.interceptor],
      resources: [
        ResourceDefinition.builder()
          .name('page')
          .description('A page')
          .uriTemplate('docs://{name}{?lang}')
          .parameterSchema({
            type: 'object',
            properties: { name: { type: 'string' }, lang: { type: 'string', default: 'en' } },
            required: ['name'],
          })
          .reader(({ args, uri }) => `${args.name} ${args.lang} ${uri}`)
          .build(),
      ],
    })
    expect(gist(await runtime.read('docs://a%20b'))).toEqual({
      value: [{ uri: 'docs://a%20b', text: 'a b en docs://a%20b' }],
    })
    const base = { kind: 'resource', toolName: 'page', tool: undefined, target: 'page', uri: 'docs://a%20b' }
    expect(request.seen).toEqual([{ ...base, args: { name: 'a b' } }])
    expect(execution.seen).toEqual([{ ...base, args: { name: 'a b', lang: 'en' } }])
  })

  it('refuses variables that break the schema of the template, and says which', async () => {
    const reader = vi.fn(() => 'never')
    const year = ResourceDefinition.builder()
      .name('year')
      .description('A year')
      .uriTemplate('docs://years/{year}')
      .parameterSchema({ type: 'object', properties: { year: { type: 'string', pattern: '^[0-9]{4}$' } } })
      .reader(reader)
      .build()
    const { runtime } = await started({ resources: [year] })
    const result = await runtime.read('docs://years/last')
    expect(result.ok ? result.value : result.error).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      issues: [{ path: '/year', keyword: 'pattern' }],
    })
    expect(gist(await runtime.read('docs://years/2025'))).toEqual({
      value: [{ uri: 'docs://years/2025', text: 'never' }],
    })
    expect(reader).toHaveBeenCalledOnce()
  })

  it('says of a URI with broken escapes what is wrong with it, past the request ring', async () => {
    const { seen, interceptor } = recordingInterceptor()
    const { runtime } = await started({
      interceptors: [interceptor],
      resources: [resource('page', 'docs://{name}')],
    })
    const result = await runtime.read('docs://50%')
    expect(result.ok ? result.value : result.error).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      issues: [{ path: '/uri', keyword: 'format', message: expect.stringContaining('broken escape') }],
    })
    expect(seen).toEqual([
      {
        kind: 'resource',
        toolName: 'docs://50%',
        tool: undefined,
        target: undefined,
        uri: 'docs://50%',
        args: {},
      },
    ])
  })

  it('answers RESOURCE_NOT_FOUND for what is not there, past the request ring, and for what its reader does not find', async () => {
    const { seen, interceptor } = recordingInterceptor()
    const { runtime } = await started({
      interceptors: [interceptor],
      tools: [tool('docs')],
      prompts: [prompt('docs://a')],
      resources: [resource('page', 'docs://pages/{name}', () => undefined)],
    })
    const missing = await runtime.read('docs://a')
    expect(missing).toMatchObject({
      ok: false,
      toolName: 'docs://a',
      error: new ResourceNotFoundError('docs://a'),
    })
    expect(seen).toEqual([
      {
        kind: 'resource',
        toolName: 'docs://a',
        tool: undefined,
        target: undefined,
        uri: 'docs://a',
        args: {},
      },
    ])
    const unread = await runtime.read('docs://pages/a')
    expect(unread.ok ? unread.value : unread.error).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      uri: 'docs://pages/a',
      outcome: 'completed',
    })
    for (const uri of ['', '__proto__', 'docs://pages/', String('x'.repeat(100_000))]) {
      expect(await runtime.read(uri)).toMatchObject({ ok: false, error: { outcome: 'not-started' } })
    }
  })

  it('fails as a call does: refused by an interceptor, thrown by the reader, too late', async () => {
    const refuse: ToolInterceptor = {
      beforeExecute: () => {
        throw new ForbiddenError('not today')
      },
    }
    const broken = () => {
      throw new Error('a secret path')
    }
    const { runtime, logger } = await started({
      resources: [
        resource('shut', 'docs://shut', () => 'never', { interceptors: [refuse] }),
        resource('broken', 'docs://broken', broken),
        resource('slow', 'docs://slow', () => new Promise(() => undefined), { metadata: { timeoutMs: 20 } }),
        resource('odd', 'docs://odd', () => ({ fn: () => 1 })),
      ],
    })
    const [shut, failed, slow, odd] = await Promise.all(
      ['shut', 'broken', 'slow', 'odd'].map((name) => runtime.read(`docs://${name}`)),
    )
    expect(shut && gist(shut)).toEqual({ code: 'FORBIDDEN', outcome: 'not-started' })
    expect(failed).toMatchObject({
      ok: false,
      error: { code: 'EXECUTION_FAILED', message: 'The tool failed' },
    })
    expect(slow).toMatchObject({
      ok: false,
      error: { code: 'TIMEOUT', message: 'Resource "slow" did not finish within 20 ms' },
    })
    expect(odd).toMatchObject({
      ok: false,
      error: {
        code: 'INVALID_RESULT',
        message: 'Resource "odd" returned an invalid result: it holds a function, which JSON cannot carry',
      },
    })
    expect(logger.lines.find(({ message }) => message === 'resource failed')?.fields).toMatchObject({
      kind: 'resource',
      toolName: 'broken',
    })
  })

  it('keeps the quota of a resource apart from those of a tool and a prompt of the same name', async () => {
    const metadata = { rateLimit: { perMinute: 1 } }
    const { runtime } = await started({
      interceptors: [new RateLimitInterceptor()],
      tools: [tool('same', () => 'done', { metadata })],
      resources: [resource('same', 'docs://same', () => 'done', { metadata })],
      prompts: [prompt('same', [], () => 'done', { metadata })],
    })
    const all = async () => [
      (await runtime.call('same')).ok,
      (await runtime.read('docs://same')).ok,
      (await runtime.getPrompt('same')).ok,
    ]
    expect(await all()).toEqual([true, true, true])
    expect(await all()).toEqual([false, false, false])
  })

  it('ends with the resource it began with, while that is replaced and removed', async () => {
    const gate = deferred<string>()
    const { runtime } = await started({ resources: [resource('one', 'docs://a', () => gate.promise)] })
    const running = runtime.read('docs://a')
    runtime.resources.replace(resource('two', 'docs://a'))
    expect(gist(await runtime.read('docs://a'))).toEqual({ value: [{ uri: 'docs://a', text: 'two' }] })
    const gone = vi.fn()
    const removed = runtime.resources.unregister('docs://a').then(gone)
    expect(gist(await runtime.read('docs://a'))).toMatchObject({ code: 'RESOURCE_NOT_FOUND' })
    expect(gone).not.toHaveBeenCalled()
    gate.resolve('one')
    expect(gist(await running)).toEqual({ value: [{ uri: 'docs://a', text: 'one' }] })
    await removed
    expect(gone).toHaveBeenCalledWith(true)
  })

  it('may be asked for by a reader, of another resource and of its own', async () => {
    const { runtime } = await started({
      resources: [
        resource('outer', 'docs://outer', async () => {
          const inner = await runtime.read('docs://inner')
          return inner.ok ? inner.value : inner.error.code
        }),
        resource('inner', 'docs://inner', async () =>
          String(await runtime.resources.unregister('docs://inner')),
        ),
      ],
    })
    expect(gist(await runtime.read('docs://outer'))).toEqual({
      value: [
        { uri: 'docs://outer', mimeType: 'application/json', text: '[{"uri":"docs://inner","text":"true"}]' },
      ],
    })
  })
})

describe('resources of the container', () => {
  it('come from providers of every pace, which are named where they fail, and from bindings', async () => {
    const { container, runtime, logger } = containerWith({ resources: [resource('bound', 'docs://bound')] })
    const provide = (name: string, definitions: () => ReturnType<ResourceDefinitionProvider['provide']>) =>
      container.bind(ResourceDefinitionProvider).toConstantValue({ name, provide: definitions })
    provide('sync', () => [resource('sync', 'docs://sync')])
    provide('async', async () => [resource('async', 'docs://async')])
    provide('stream', async function* () {
      yield resource('stream', 'docs://{stream}')
    })
    const fault = new Error('no disk')
    provide('failing', () => Promise.reject(fault))
    provide('doubling', () => [resource('again', 'docs://bound'), resource('more', 'docs://more')])
    const report = await runtime.start()
    expect(report).toEqual({
      tools: 0,
      resources: 5,
      prompts: 0,
      providers: 5,
      problems: [
        { source: 'failing', error: fault },
        { source: 'doubling', toolName: 'again', error: expect.any(Error) },
      ],
    })
    expect(String(report.problems[1]?.error)).toContain('of doubling is already registered by container')
    expect(runtime.resources.list().map((one) => runtime.resources.keyOf(one))).toEqual([
      'docs://async',
      'docs://bound',
      'docs://more',
      'docs://sync',
      'docs://{stream}',
    ])
    expect(logger.lines.filter(({ message }) => message === 'left out')).toHaveLength(2)
  })

  it('have the interceptors of their provider around them, and need the mandatory ones', async () => {
    const audit: ToolInterceptor = { name: 'audit' }
    const { container, runtime } = containerWith({ options: { mandatoryInterceptors: ['audit'] } })
    container
      .bind(ResourceDefinitionProvider)
      .toConstantValue({ name: 'bare', provide: () => [resource('bare', 'docs://bare')] })
    container.bind(ResourceDefinitionProvider).toConstantValue({
      name: 'audited',
      interceptors: [audit],
      provide: () => [resource('audited', 'docs://audited')],
    })
    const { problems } = await runtime.start()
    expect(problems.map(({ source, error }) => `${source}: ${error}`)).toEqual([
      expect.stringContaining('the mandatory audit is missing'),
    ])
    expect(String(problems[0]?.error)).toContain('Resource "bare"')
    expect(() => runtime.resources.register(resource('later', 'docs://later'))).toThrow('audit is missing')
    expect(() => runtime.resources.replace(resource('audited', 'docs://audited'), { name: 'x' })).toThrow(
      'audit is missing',
    )
    expect((await runtime.read('docs://audited')).ok).toBe(true)
  })

  it('register nothing when a provider of another kind cannot be constructed, now or later', async () => {
    const gate = deferred()
    const { container, runtime } = containerWith({ tools: [tool('bound')] })
    let isBroken = true
    container.bind(ResourceDefinitionProvider).toConstantValue({
      provide: async () => {
        await gate.promise
        return [resource('late', 'docs://late')]
      },
    })
    class Fragile implements ResourceDefinitionProvider {
      constructor() {
        if (isBroken) throw new Error('no database')
      }
      provide = () => [resource('fragile', 'docs://fragile')]
    }
    container.bind(ResourceDefinitionProvider).toDynamicValue(() => new Fragile())
    await expect(runtime.start()).rejects.toThrow(
      'Cannot construct a ResourceDefinitionProvider (Fragile): no database',
    )
    gate.resolve()
    await new Promise(setImmediate)
    expect([runtime.registry.size, runtime.resources.size]).toEqual([0, 0])
    isBroken = false
    expect(await runtime.start()).toMatchObject({ tools: 1, resources: 2, problems: [] })
  })

  it('are removed by close(), and there again after a start', async () => {
    const { runtime } = await started({ resources: [resource('a', 'docs://a'), resource('b', 'docs://{b}')] })
    runtime.resources.register(resource('hot', 'docs://hot'))
    expect((await runtime.read('docs://hot')).ok).toBe(true)
    await runtime.close()
    expect(runtime.resources.size).toBe(0)
    expect(gist(await runtime.read('docs://a'))).toEqual({ code: 'SHUTTING_DOWN', outcome: 'not-started' })
    expect(await runtime.start()).toMatchObject({ resources: 2 })
    expect((await runtime.read('docs://a')).ok).toBe(true)
    expect(gist(await runtime.read('docs://c/d'))).toMatchObject({ code: 'RESOURCE_NOT_FOUND' })
  })

  it('are refused before the start, under their own URI', async () => {
    const { runtime } = containerWith({ resources: [resource('a', 'docs://a')] })
    expect(await runtime.read('docs://a')).toMatchObject({
      ok: false,
      toolName: 'docs://a',
      error: {
        code: 'TOOL_UNAVAILABLE',
        message: 'Resource "docs://a" is unavailable: the runtime has not been started',
      },
    })
  })

  it('warn of a missing description and of a quota that nothing enforces', async () => {
    const mute = ResourceDefinition.builder()
      .name('mute')
      .uri('docs://mute')
      .metadata({ rateLimit: { perMinute: 1 } })
      .reader(() => '')
      .build()
    const { logger } = await started({ resources: [mute] })
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        fields: { toolName: 'mute' },
        message: 'resource has no description: a model cannot know when to use it',
      },
      {
        level: 'warn',
        fields: { toolName: 'mute' },
        message: 'metadata.rateLimit has no effect: no RateLimitInterceptor guards the resource',
      },
    ])
  })

  it('answer a read of whatever it is given', async () => {
    const { runtime } = await started({ resources: [resource('a', 'docs://a')] })
    for (const given of [undefined, null, 7, {}, Symbol('x')] as unknown as string[]) {
      expect(gist(await runtime.read(given))).toMatchObject({ code: 'RESOURCE_NOT_FOUND' })
    }
  })
})
