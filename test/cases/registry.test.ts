import { afterEach, describe, expect, it, vi } from 'vitest'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolDefinitionError } from '../../src/registry/tool-definition-error.js'
import { ToolDefinitionProvider } from '../../src/registry/tool-definition-provider.js'
import { DuplicateToolError } from '../../src/registry/tool-error.js'
import { ToolRegistry } from '../../src/registry/tool-registry.js'
import { namedTool, namesIn } from '../registry/tool-fixture.js'
import { containerWith, started } from '../runtime/runtime-fixture.js'

afterEach(() => void vi.useRealTimers())

describe('registry', () => {
  it('REG-01: a duplicate is refused alike from synchronous and asynchronous providers, naming the tool and both', async () => {
    for (const later of [(tools: ToolDefinition[]) => tools, async (tools: ToolDefinition[]) => tools]) {
      const { container, runtime } = containerWith({})
      const first = namedTool('lookup')
      container.bind(ToolDefinitionProvider).toConstantValue({ name: 'P1', provide: () => [first] })
      container
        .bind(ToolDefinitionProvider)
        .toConstantValue({ name: 'P2', provide: () => later([namedTool('lookup')]) })
      const error = new DuplicateToolError('lookup', 'P1', 'P2')
      expect(error.message).toBe('Tool "lookup" of P2 is already registered by P1')
      expect(await runtime.start()).toEqual({
        tools: 1,
        resources: 0,
        prompts: 0,
        providers: 2,
        problems: [{ source: 'P2', toolName: 'lookup', error }],
      })
      expect(await runtime.call('lookup', {})).toMatchObject({ ok: true, value: 'lookup' })
      expect(runtime.registry.lookup('lookup')).toBe(first)
      await runtime.close()
    }
  })

  it('REG-02: a batch that fails half-way registers nothing and tells no listener', () => {
    vi.useFakeTimers()
    const registry = new ToolRegistry()
    registry.register(namedTool('b'), { name: 'P1' })
    vi.runAllTimers()
    const heard = vi.fn()
    registry.addListener({
      onToolRegistered: heard,
      onToolReplaced: heard,
      onToolRemoved: heard,
      onChanged: heard,
    })
    const batch = ['a', 'b', 'c'].map((name) => namedTool(name))
    expect(() => registry.registerAll(batch, { name: 'P2' })).toThrow(new DuplicateToolError('b', 'P1', 'P2'))
    vi.runAllTimers()
    expect(namesIn(registry)).toEqual(['b'])
    expect(heard).not.toHaveBeenCalled()
  })

  it('REG-05: a listener that throws, and one that leaves and registers, hurt neither the change nor the others', async () => {
    const reported: unknown[] = []
    const registry = new ToolRegistry({ onListenerError: (error) => void reported.push(error) })
    const [thrown, rejected] = [new Error('l1'), new Error('l4')]
    registry.addListener({
      onToolRegistered: ({ name }) => {
        if (name === 'x') throw thrown
      },
    })
    const second = registry.addListener({
      onToolRegistered: () => {
        second[Symbol.dispose]()
        registry.register(namedTool('y'))
      },
    })
    const third: string[] = []
    registry.addListener({ onToolRegistered: ({ name }) => void third.push(name) })
    registry.addListener({
      onToolRegistered: async ({ name }) => {
        if (name === 'x') throw rejected
      },
    })
    registry.register(namedTool('x'))
    await Promise.resolve()
    expect(namesIn(registry)).toEqual(['x', 'y'])
    expect(third).toEqual(['x', 'y'])
    expect(reported).toEqual([thrown, rejected])
  })

  it('REG-07: long names are kept with names: mcp and refused otherwise, never cut', () => {
    const [get, remove] = ['get', 'delete'].map(
      (verb) => `svc_${verb}_repos_owner_repo_environments_environment_name_secrets_secret_name`,
    ) as [string, string]
    const longest = 'x'.repeat(128)
    const mcp = new ToolRegistry({ names: 'mcp' })
    mcp.registerAll([get, remove, longest].map((name) => namedTool(name)))
    expect(namesIn(mcp)).toEqual([remove, get, longest])
    expect([get, remove].map((name) => mcp.getRequired(name).name)).toEqual([get, remove])
    const portable = new ToolRegistry()
    for (const name of [get, remove])
      expect(() => portable.register(namedTool(name))).toThrow(ToolDefinitionError)
    expect(portable.size).toBe(0)
    expect(() => namedTool(`${longest}x`)).toThrow(ToolDefinitionError)
  })

  it('REG-08: a dot is kept with names: mcp, apart from what looks like it, and refused otherwise, never replaced', async () => {
    const names = ['admin.users', 'admin_users', 'admin-users']
    const mcp = new ToolRegistry({ names: 'mcp' })
    mcp.registerAll(names.map((name) => namedTool(name)))
    expect(names.map((name) => mcp.getRequired(name).name)).toEqual(names)
    const portable = new ToolRegistry()
    expect(() => portable.register(namedTool('admin.users'))).toThrow(ToolDefinitionError)
    portable.registerAll(['admin_users', 'admin-users'].map((name) => namedTool(name)))
    expect(portable.size).toBe(2)
  })

  it('REG-10: every view of a tool has all its parts', async () => {
    const guard = { name: 'guard' }
    const original = ToolDefinition.builder()
      .name('write')
      .title('Write')
      .description('Writes')
      .parameterSchema({ type: 'object', properties: { text: { type: 'string' } } })
      .outputSchema({ type: 'string' })
      .annotations({ destructiveHint: true })
      .icons({ src: 'https://example.test/icon.png' })
      .meta({ 'example.test/auth': { scope: 'write' } })
      .metadata({ owner: 'team', timeoutMs: 50, tags: ['guarded'], rateLimit: { perMinute: 1 } })
      .withInterceptor(guard)
      .executor(() => 'written')
      .build()
    const source = { name: 'P1', interceptors: [{ name: 'of-provider' }] }
    const registry = new ToolRegistry()
    const heard: ToolDefinition[] = []
    registry.addListener({ onToolRegistered: (tool) => void heard.push(tool) })
    const prefixed = original.with({ name: 'svc_write' })
    registry.registerAll([original, prefixed], source)
    const views = [
      original,
      prefixed,
      prefixed.with({ name: 'write' }),
      ...registry.list(),
      ...heard,
      registry.lookup('write'),
      registry.getRequired('svc_write'),
      registry.registered('write')?.definition,
    ]
    const { inputSchema, outputSchema, metadata } = original
    for (const view of views) {
      expect(view).toMatchObject({
        title: 'Write',
        description: 'Writes',
        annotations: { destructiveHint: true },
        icons: [{ src: 'https://example.test/icon.png' }],
        meta: { 'example.test/auth': { scope: 'write' } },
      })
      expect(view?.inputSchema).toEqual(inputSchema)
      expect(view?.outputSchema).toEqual(outputSchema)
      expect(view?.metadata).toEqual(metadata)
      expect(view?.interceptors).toEqual([guard])
      expect(view?.interceptors[0]).toBe(guard)
    }
    expect(registry.registered('svc_write')?.source).toEqual(source)
  })

  it('REG-10: a derived tool is guarded by the interceptors of the first', async () => {
    const refuse = { name: 'guard', beforeExecute: () => Promise.reject(new Error('refused')) }
    const guarded = ToolDefinition.builder()
      .name('write')
      .withInterceptor(refuse)
      .executor(() => 'written')
      .build()
    const { runtime } = await started({ tools: [guarded, guarded.with({ name: 'svc_write' })] })
    const results = await Promise.all(['write', 'svc_write'].map((name) => runtime.call(name, {})))
    expect(results.map(({ ok }) => ok)).toEqual([false, false])
    await runtime.close()
  })

  it('REG-11: the list is in the same order whoever is first', async () => {
    const orders = new Set<string>()
    const delays = [
      [0, 2, 4],
      [4, 2, 0],
      [2, 4, 0],
      [0, 0, 0],
    ]
    for (const delay of Array.from({ length: 20 }, (_, i) => delays[i % delays.length])) {
      const { container, runtime } = containerWith({})
      for (const [i, name] of ['c', 'a', 'b'].entries()) {
        container.bind(ToolDefinitionProvider).toConstantValue({
          provide: async () => {
            await new Promise((resolve) => setTimeout(resolve, delay?.[i]))
            return [namedTool(name)]
          },
        })
      }
      await runtime.start()
      orders.add(namesIn(runtime.registry).join())
      await runtime.close()
    }
    expect([...orders]).toEqual(['a,b,c'])
  })

  it('REG-12: a schema that is changed later, on either side, changes no tool', async () => {
    const schema = { type: 'object', properties: { m: { enum: ['a'] } } }
    const definition = ToolDefinition.builder()
      .name('t')
      .parameterSchema(schema)
      .executor(({ args }) => args.m)
      .build()
    const { runtime } = await started({ tools: [definition] })
    schema.properties.m.enum.push('b')
    const listed = runtime.registry.lookup('t')?.inputSchema as typeof schema
    expect(() => listed.properties.m.enum.push('c')).toThrow(TypeError)
    const codes = await Promise.all(
      ['a', 'b', 'c'].map(async (m) => {
        const result = await runtime.call('t', { m })
        return result.ok ? result.value : result.error.code
      }),
    )
    expect(codes).toEqual(['a', 'INVALID_ARGUMENTS', 'INVALID_ARGUMENTS'])
    expect(runtime.registry.lookup('t')?.inputSchema).toEqual({
      type: 'object',
      properties: { m: { enum: ['a'] } },
    })
    await runtime.close()
  })
})
