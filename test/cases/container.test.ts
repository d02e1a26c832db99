import 'reflect-metadata'
import { Container, inject, injectable } from 'inversify'
import { describe, expect, it, vi } from 'vitest'
import { ToolDefinitionProvider } from '../../src/registry/tool-definition-provider.js'
import { ToolRegistry } from '../../src/registry/tool-registry.js'
import { ToolRuntime } from '../../src/runtime/tool-runtime.js'
import { toolRuntimeModule } from '../../src/runtime/tool-runtime-module.js'
import { containerWith, tool } from '../runtime/runtime-fixture.js'

describe('inversify container and start-up', () => {
  it('CON-01: starts with an empty registry when no provider is bound', async () => {
    const container = new Container()
    container.load(toolRuntimeModule({ logLevel: 'error' }))
    const runtime = container.get(ToolRuntime)
    expect(await runtime.start()).toEqual({
      tools: 0,
      resources: 0,
      prompts: 0,
      providers: 0,
      problems: [],
    })
    expect(runtime.registry).toBe(container.get(ToolRegistry))
  })

  it('CON-02: collects synchronous and asynchronous providers together', async () => {
    const { container, runtime } = containerWith({})
    container.bind(ToolDefinitionProvider).toConstantValue({ provide: () => [tool('sync')] })
    container.bind(ToolDefinitionProvider).toDynamicValue(async () => ({ provide: () => [tool('async')] }))
    expect(await runtime.start()).toMatchObject({ tools: 2, providers: 2 })
  })

  it('CON-03: two starts at once make each singleton, and each registration, once', async () => {
    const { container, runtime } = containerWith({})
    const made = vi.fn()
    container
      .bind(ToolDefinitionProvider)
      .toDynamicValue(async () => {
        made()
        await new Promise((resolve) => setTimeout(resolve, 20))
        return { provide: () => [tool('once')] }
      })
      .inSingletonScope()
    const [first, second] = await Promise.all([runtime.start(), runtime.start()])
    expect(first).toBe(second)
    expect(first).toMatchObject({ tools: 1, problems: [] })
    expect(made).toHaveBeenCalledOnce()
  })

  it('CON-06: unbinding removes every tool, lets go once, and a second start gives the same list', async () => {
    const { container, runtime } = containerWith({ tools: [tool('bound')] })
    const provide = vi.fn(() => [tool('provided')])
    container.bind(ToolDefinitionProvider).toConstantValue({ provide })
    const names = () => runtime.registry.list().map(({ name }) => name)
    await runtime.start()
    const before = names()
    await runtime.close()
    expect(names()).toEqual([])
    await runtime.start()
    expect(names()).toEqual(before)
    const close = vi.spyOn(runtime, 'close')
    await container.unbindAllAsync()
    expect(close).toHaveBeenCalledOnce()
    expect(names()).toEqual([])
  })

  it('CON-06: a start that failed half-way leaves nothing behind', async () => {
    const { container, runtime } = containerWith({ tools: [tool('bound')] })
    container.bind(ToolDefinitionProvider).toDynamicValue(() => {
      throw new Error('no')
    })
    await expect(runtime.start()).rejects.toThrow('Cannot construct a ToolDefinitionProvider: no')
    expect(runtime.registry.size).toBe(0)
    await container.unbindAllAsync()
  })

  it('CON-07: a provider may be given the runtime and the registry that need it', async () => {
    @injectable()
    class SelfAware implements ToolDefinitionProvider {
      constructor(
        @inject(ToolRuntime) private readonly runtime: ToolRuntime,
        @inject(ToolRegistry) private readonly registry: ToolRegistry,
      ) {}
      provide() {
        return [
          tool('count', () => this.registry.size),
          tool('nested', async () => {
            const result = await this.runtime.call('count')
            return result.ok && result.value
          }),
        ]
      }
    }
    const { container, runtime } = containerWith({})
    container.bind(ToolDefinitionProvider).to(SelfAware).inSingletonScope()
    await runtime.start()
    expect(await runtime.call('nested')).toMatchObject({ ok: true, value: 2 })
  })

  it('CON-08: names each provider that fails, keeps the tools of the others, and does not wait for ever', async () => {
    const { container, logger, runtime } = containerWith({ options: { provideTimeoutMs: 20 } })
    const bind = (name: string, provide: () => unknown) =>
      // What a provider written in JavaScript may do.
      container.bind(ToolDefinitionProvider).toConstantValue({ name, provide } as ToolDefinitionProvider)
    bind('Ok', () => [tool('fine')])
    bind('Throws', () => {
      throw new Error('boom')
    })
    bind('Nothing', () => undefined)
    bind('Nonsense', () => [null, {}, tool('between')])
    bind('Rejects', () => Promise.reject(new Error('later')))
    bind('Hangs', () => new Promise(() => undefined))
    const { tools, problems } = await runtime.start()
    expect(tools).toBe(2)
    expect(runtime.registry.list().map(({ name }) => name)).toEqual(['between', 'fine'])
    expect(problems.map(({ source, error }) => [source, (error as Error).message])).toEqual([
      ['Throws', 'boom'],
      ['Nothing', 'provide() must return definitions, as an array or an iterable (got undefined)'],
      ['Nonsense', expect.stringContaining('null')],
      ['Nonsense', expect.any(String)],
      ['Rejects', 'later'],
      ['Hangs', 'provide() did not finish within 20 ms'],
    ])
    expect(logger.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields.source)).toEqual(
      problems.map(({ source }) => source),
    )
  })
})
