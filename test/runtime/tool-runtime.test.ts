import { afterEach, describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../src/interceptors/attempt-timeout.js'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolDefinitionProvider } from '../../src/registry/tool-definition-provider.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { SchemaCompileError, SchemaValidator } from '../../src/runtime/schema/schema-validator.js'
import { containerWith, deferred, started, tool } from './runtime-fixture.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const code = async (call: Promise<{ ok: boolean; error?: { code: string } }>) => {
  const result = await call
  return result.ok ? 'ok' : result.error?.code
}

describe('start', () => {
  it('registers what is bound, says how much, and does nothing a second time', async () => {
    const { container, logger, runtime } = containerWith({ tools: [tool('a')] })
    const provide = vi.fn(() => [tool('c'), tool('b')])
    container.bind(ToolDefinitionProvider).toConstantValue({ name: 'letters', provide })
    expect(await runtime.start()).toEqual({
      tools: 3,
      resources: 0,
      prompts: 0,
      providers: 1,
      problems: [],
    })
    await runtime.start()
    expect(provide).toHaveBeenCalledOnce()
    expect(runtime.registry.list().map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(logger.lines).toContainEqual({
      level: 'info',
      fields: { tools: 3, resources: 0, prompts: 0, providers: 1, problems: 0 },
      message: '3 tools from 1 providers',
    })
  })

  it('refuses calls before it, as a result', async () => {
    const { runtime } = containerWith({ tools: [tool('a')] })
    expect(await code(runtime.call('a'))).toBe('TOOL_UNAVAILABLE')
    expect(() => runtime.explain('a')).toThrow('has not been started')
  })

  it('takes arrays, iterables, promises and async iterables of definitions', async () => {
    const { container, runtime } = containerWith({})
    const provide = (definitions: () => ReturnType<ToolDefinitionProvider['provide']>) =>
      container.bind(ToolDefinitionProvider).toConstantValue({ provide: definitions })
    provide(() => [tool('array')])
    provide(() => new Set([tool('set')]))
    provide(async () => [tool('promise')])
    provide(async function* () {
      yield tool('one')
      yield tool('two')
    })
    await runtime.start()
    expect(runtime.registry.list().map(({ name }) => name)).toEqual(['array', 'one', 'promise', 'set', 'two'])
  })

  it('can be repeated after a failure, and registers nothing twice', async () => {
    const { container, runtime } = containerWith({ tools: [tool('a')] })
    let broken = true
    class Fragile implements ToolDefinitionProvider {
      constructor() {
        if (broken) throw new Error('no database')
      }
      provide = () => [tool('b')]
    }
    container.bind(ToolDefinitionProvider).toDynamicValue(() => new Fragile())
    await expect(runtime.start()).rejects.toThrow(
      'Cannot construct a ToolDefinitionProvider (Fragile): no database',
    )
    expect(runtime.registry.size).toBe(0)
    broken = false
    expect(await runtime.start()).toMatchObject({ tools: 2, problems: [] })
  })

  it('warns of a tool without a description', async () => {
    const mute = ToolDefinition.builder()
      .name('mute')
      .executor(() => 1)
      .build()
    const { logger } = await started({ tools: [mute] })
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { toolName: 'mute' } }),
    )
  })

  it('warns of a rate limit that nothing enforces', async () => {
    const limits = { metadata: { rateLimit: { perMinute: 1 } } }
    const guarded = { ...limits, interceptors: [new RateLimitInterceptor()] }
    const { logger } = await started({
      tools: [tool('free', () => 1, limits), tool('guarded', () => 1, guarded)],
    })
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { toolName: 'free' } },
    ])
  })

  it('leaves out a tool whose schema breaks the rules, naming the place', async () => {
    const remote = ToolDefinition.builder()
      .name('remote')
      .description('Refers to the network')
      .parameterSchema({ type: 'object', properties: { x: { $ref: 'https://example.test/x.json' } } })
      .executor(() => 1)
      .build()
    const { report } = await started({ tools: [remote, tool('fine')] })
    expect(report).toMatchObject({ tools: 1, problems: [{ source: 'container', toolName: 'remote' }] })
    expect(String(report.problems[0]?.error)).toContain('inputSchema/properties/x')
  })
})

describe('interceptors out of order', () => {
  const fallback = new FallbackInterceptor({ value: 'stand-in' })
  const limit = new AttemptTimeoutInterceptor({ timeoutMs: 100 })

  it('are told of: those of a tool are inside the shared ones', async () => {
    const { logger } = await started({
      tools: [tool('asks', () => 'x', { interceptors: [fallback] })],
      interceptors: [limit],
    })
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        fields: {
          kind: 'tool',
          name: 'asks',
          order: ['AttemptTimeoutInterceptor (shared)', 'FallbackInterceptor (tool)'],
        },
        message: 'interceptors are out of order: give them one scope',
      },
    ])
  })

  it('are not where they have one scope, nor where the wider one is the outer', async () => {
    const { logger } = await started({
      tools: [
        tool('asks', () => 'x', { interceptors: [limit, fallback] }),
        tool('b', () => 'x', { interceptors: [limit] }),
      ],
      interceptors: [fallback],
    })
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([])
  })
})

describe('mandatory interceptors', () => {
  class Audit implements ToolInterceptor {}

  it.each([
    ['by class', Audit],
    ['by name', 'Audit'],
  ])('refuse a tool that would run without one, %s', async (_how, mandatory) => {
    const { runtime, report } = await started({
      options: { mandatoryInterceptors: [mandatory] },
      tools: [tool('bare'), tool('audited', () => 1, { interceptors: [new Audit()] })],
    })
    expect(report.problems).toMatchObject([
      { toolName: 'bare', error: { message: expect.stringContaining('Audit is missing') } },
    ])
    expect(() => runtime.registry.register(tool('later'))).toThrow('the mandatory Audit is missing')
    expect(await code(runtime.call('audited'))).toBe('ok')
  })

  it('are satisfied by a shared one', async () => {
    const { report } = await started({
      options: { mandatoryInterceptors: [Audit] },
      interceptors: [new Audit()],
      tools: [tool('bare')],
    })
    expect(report.problems).toEqual([])
  })
})

describe('explain', () => {
  it('lists the effective chain, outermost first', async () => {
    const shared: ToolInterceptor = { name: 'shared' }
    const request: ToolInterceptor = { name: 'request', ring: 'request' }
    const own: ToolInterceptor = { name: 'own', order: -5 }
    const ofProvider: ToolInterceptor = { name: 'provider' }
    const { container, runtime } = containerWith({ interceptors: [shared, request] })
    container.bind(ToolDefinitionProvider).toConstantValue({
      interceptors: [ofProvider, shared],
      provide: () => [tool('t', () => 1, { interceptors: [own] })],
    })
    await runtime.start()
    expect(runtime.explain('t').interceptors.map(({ ring, scope, name }) => [ring, scope, name])).toEqual([
      ['request', 'shared', 'request'],
      ['execution', 'shared', 'shared'],
      ['execution', 'provider', 'provider'],
      ['execution', 'tool', 'own'],
    ])
    expect(() => runtime.explain('nowhere')).toThrow('Unknown tool "nowhere"')
  })
})

describe('close', () => {
  it('lets the running call end, refuses new ones, and removes every tool', async () => {
    const gate = deferred<string>()
    const { runtime } = await started({ tools: [tool('slow', () => gate.promise)] })
    const running = runtime.call('slow')
    const closed = runtime.close()
    expect(await code(runtime.call('slow'))).toBe('SHUTTING_DOWN')
    gate.resolve('in time')
    expect(await running).toMatchObject({ ok: true, value: 'in time' })
    await closed
    expect(runtime.registry.size).toBe(0)
    expect(await code(runtime.call('slow'))).toBe('SHUTTING_DOWN')
  })

  it('aborts what is still running after the drain time', async () => {
    vi.useFakeTimers()
    let reason: unknown
    const hang = tool('hang', ({ signal }) => {
      signal.addEventListener('abort', () => (reason = signal.reason))
      return new Promise(() => undefined)
    })
    const { runtime } = await started({ tools: [hang] })
    const running = runtime.call('hang')
    const closed = runtime.close({ drainMs: 100 })
    await vi.advanceTimersByTimeAsync(101)
    expect(await running).toMatchObject({ ok: false, error: { code: 'SHUTTING_DOWN', outcome: 'unknown' } })
    expect(reason).toMatchObject({ code: 'SHUTTING_DOWN' })
    await closed
  })

  it('waits for a start that is under way, and start works again after it', async () => {
    const gate = deferred()
    const { container, runtime } = containerWith({})
    container.bind(ToolDefinitionProvider).toConstantValue({
      provide: async () => {
        await gate.promise
        return [tool('a')]
      },
    })
    const starting = runtime.start()
    const closing = runtime.close()
    gate.resolve()
    await starting
    await closing
    expect(runtime.registry.size).toBe(0)
    expect(await runtime.start()).toMatchObject({ tools: 1 })
    expect(await code(runtime.call('a'))).toBe('ok')
  })

  it('comes with `await using`, and is harmless when it was never started', async () => {
    const { runtime } = containerWith({ tools: [tool('a')] })
    {
      await using used = runtime
      await used.start()
    }
    expect(runtime.registry.size).toBe(0)
    await containerWith({}).runtime.close()
  })
})

describe('warmUp', () => {
  it('finds nothing wrong with good schemas', async () => {
    const { runtime } = await started({ tools: [tool('a'), tool('b')] })
    expect(runtime.warmUp()).toEqual([])
  })

  it('finds the tool whose output schema does not compile, which would not run either', async () => {
    const executor = vi.fn(() => ({ n: 1 }))
    const broken = ToolDefinition.builder()
      .name('broken')
      .description('Its output schema is fine until it is compiled')
      .outputSchema({ type: 'object' })
      .executor(executor)
      .build()
    vi.spyOn(SchemaValidator.prototype, 'compile').mockImplementation(function (
      this: SchemaValidator,
      schema,
    ) {
      if (schema === broken.outputSchema) throw new SchemaCompileError('planted')
      return () => []
    })
    const { runtime } = await started({ tools: [broken, tool('fine')] })
    expect(runtime.warmUp().map(({ message }) => message)).toEqual([
      'Tool "broken" is unavailable: its schema does not compile',
    ])
    expect(await code(runtime.call('broken'))).toBe('TOOL_UNAVAILABLE')
    expect(executor).not.toHaveBeenCalled()
    expect(await code(runtime.call('fine'))).toBe('ok')
  })
})

describe('a runtime that is closing', () => {
  it('starts anew when it is asked to, and is running then', async () => {
    const { runtime } = await started({ tools: [tool('a')] })
    const closing = runtime.close()
    expect(await runtime.start()).toMatchObject({ tools: 1 })
    await closing
    expect(runtime.isStarted).toBe(true)
    expect(await runtime.call('a')).toMatchObject({ ok: true })
  })
})
