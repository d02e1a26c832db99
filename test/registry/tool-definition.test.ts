import { describe, expect, it, vi } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolDefinitionError } from '../../src/registry/tool-definition-error.js'
import { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { toolCall } from '../interceptors/tool-call-fixture.js'
import { completeTool, namedTool, partsOf, unfrozenIn } from './tool-fixture.js'

const noArgs = new ToolExecutionContext(toolCall(), {})

describe('a definition', () => {
  it('is deeply frozen, the interceptors themselves apart', () => {
    const { definition } = completeTool()
    expect(Object.isFrozen(definition)).toBe(true)
    expect(Object.isFrozen(definition.interceptors)).toBe(true)
    const { interceptors: _, ...data } = partsOf(definition)
    expect(Object.values(data).flatMap((part) => unfrozenIn(part))).toEqual([])
  })

  it('neither changes nor freezes what it was made from', () => {
    const { given } = completeTool()
    const before = structuredClone(given)
    const builder = ToolDefinition.builder()
      .name('x')
      .executor(() => 1)
    builder.annotations(given.annotations).icons(given.icon).meta(given.meta).metadata(given.metadata).build()
    builder.withInterceptor(...given.interceptors).build()
    const { metadata, ...rest } = given
    const objects = [
      ...Object.values(rest),
      metadata,
      metadata.tags,
      metadata.links,
      ...given.interceptors,
      given.icon.sizes,
    ]
    expect(objects.filter((object) => Object.isFrozen(object))).toEqual([])
    expect(given).toEqual(before)
  })

  it('does not follow when what it was made from changes, nor does a copy of it', () => {
    const { definition, given } = completeTool()
    const before = structuredClone({ ...partsOf(definition), interceptors: [] })
    given.annotations.readOnlyHint = false
    given.icon.sizes.push('any')
    given.meta['example.test/order'].rank = 2
    given.metadata.tags.push('late')
    given.metadata.links.runbook = 'https://evil.test'
    given.interceptors.length = 0
    const interceptors = [{ name: 'first' }, { name: 'second' }]
    expect(partsOf(definition)).toEqual({ ...before, interceptors })
    expect(partsOf(definition.with({ name: 'copy' }))).toEqual({ ...before, interceptors })
  })

  it('reads tags once, whatever gives them, for every tool of a shared builder and every copy', () => {
    const tags = new Set(['a', 'b']).values()
    const shared = ToolDefinition.builder()
      .metadata({ tags })
      .executor(() => 1)
    const tools = [shared.name('one').build(), shared.name('two').build()]
    expect(
      [...tools, ...tools.map((tool) => tool.with({ title: 'T' }))].map(({ metadata }) => metadata.tags),
    ).toEqual(Array(4).fill(['a', 'b']))
  })

  it('runs its executor with the context it is given', () => {
    const executor = vi.fn(() => 'done')
    expect(ToolDefinition.builder().name('run').executor(executor).build().execute(noArgs)).toBe('done')
    expect(executor.mock.calls).toEqual([[noArgs]])
  })
})

describe('with()', () => {
  it('keeps every part but the one that changes, the executor too', async () => {
    const { definition } = completeTool()
    const renamed = definition.with({ name: 'svc_get_weather' })
    expect(renamed.name).toBe('svc_get_weather')
    expect(partsOf(renamed)).toEqual(partsOf(definition))
    expect(renamed.parameters).toBe(definition.parameters)
    expect(renamed.interceptors.map((one, i) => one === definition.interceptors[i])).toEqual([true, true])
    expect(await renamed.execute(new ToolExecutionContext(toolCall(), { city: 'Oslo' }))).toEqual({
      celsius: 21,
    })
    expect(Object.isFrozen(renamed)).toBe(true)
    expect(definition.name).toBe('get_weather')
  })

  it('derives metadata from new annotations as the builder does', () => {
    const { metadata } = namedTool('wipe').with({ annotations: { readOnlyHint: true } })
    expect(metadata).toEqual({ tags: [], readOnly: true, destructive: false, idempotent: true })
  })

  it('keeps earlier changes in a copy of a copy', () => {
    const copy = completeTool().definition.with({ title: 'Wetter' }).with({ name: 'wetter' })
    expect([copy.name, copy.title, copy.description]).toEqual([
      'wetter',
      'Wetter',
      'Current weather of a city',
    ])
  })

  it('refuses what the builder refuses', () => {
    expect(() => namedTool('ok').with({ name: 'not ok' })).toThrow(ToolDefinitionError)
    expect(() => namedTool('ok').with({ metadata: { timeoutMs: -1 } })).toThrow('metadata.timeoutMs')
  })

  it('cannot change the schemas, which the executor relies on', () => {
    const { definition } = completeTool()
    // @ts-expect-error The parameters are settled.
    expect(definition.with({ parameters: JsonSchema.empty() }).parameters).toBe(definition.parameters)
  })
})

describe('ToolDefinition as a class', () => {
  class Clock extends ToolDefinition {
    constructor(name: string) {
      super({ name, parameters: JsonSchema.empty(), interceptors: [] })
    }
    execute() {
      return 'noon'
    }
    with(): Clock {
      return this
    }
  }

  it('can be extended, under the same rules', () => {
    expect(new Clock('clock').inputSchema).toEqual({ type: 'object', additionalProperties: false })
    expect(() => new Clock('no clock')).toThrow(ToolDefinitionError)
  })

  it('recognises its own, also those of another copy of the module, and no look-alike', async () => {
    vi.resetModules()
    const other = await import('../../src/registry/tool-definition.js')
    expect(other.ToolDefinition).not.toBe(ToolDefinition)
    const foreign = other.ToolDefinition.builder()
      .name('foreign')
      .executor(() => 1)
      .build()
    expect([foreign, namedTool('own'), new Clock('clock')].map(ToolDefinition.is)).toEqual([true, true, true])
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const lookAlikes = [
      null,
      undefined,
      'own',
      {},
      { ...namedTool('own') },
      ToolDefinition,
      ToolDefinition.builder(),
      proxy,
    ]
    expect(lookAlikes.map(ToolDefinition.is)).toEqual(lookAlikes.map(() => false))
  })
})
