import { describe, expect, it, vi } from 'vitest'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolDefinitionError } from '../../src/registry/tool-definition-error.js'
import { DuplicateToolError, ToolNotFoundError } from '../../src/registry/tool-error.js'
import { ToolRegistry } from '../../src/registry/tool-registry.js'
import { namedTool, namesIn, registryWith } from './tool-fixture.js'

describe('register() and registerAll()', () => {
  it('make a tool findable in every way', () => {
    const registry = new ToolRegistry()
    const tool = namedTool('lookup')
    registry.register(tool, { name: 'P1' })
    expect(registry.lookup('lookup')).toBe(tool)
    expect(registry.getRequired('lookup')).toBe(tool)
    expect(registry.list()).toEqual([tool])
    expect([registry.contains('lookup'), registry.size]).toEqual([true, 1])
    expect(registry.registered('lookup')).toMatchObject({
      definition: tool,
      source: { name: 'P1' },
      running: 0,
    })
  })

  it('find nothing under another name', () => {
    const registry = registryWith('lookup')
    expect(registry.lookup('Lookup')).toBeUndefined()
    expect(registry.registered('Lookup')).toBeUndefined()
    expect(registry.contains('Lookup')).toBe(false)
    expect(() => registry.getRequired('Lookup')).toThrow(new ToolNotFoundError('Lookup'))
  })

  it('refuse a name that is taken, naming both sources; the first tool stays', () => {
    const registry = new ToolRegistry()
    const first = namedTool('lookup')
    registry.register(first, { name: 'P1' })
    expect(() => registry.register(namedTool('lookup'), { name: 'P2' })).toThrow(
      new DuplicateToolError('lookup', 'P1', 'P2'),
    )
    expect(() => registry.register(first)).toThrow(new DuplicateToolError('lookup', 'P1', 'the application'))
    expect(registry.lookup('lookup')).toBe(first)
  })

  it.each([
    ['a name that is taken', () => [namedTool('a'), namedTool('b'), namedTool('c')], DuplicateToolError],
    [
      'a name that is there twice',
      () => [namedTool('a'), namedTool('c'), namedTool('a')],
      DuplicateToolError,
    ],
    ['a name that is not allowed', () => [namedTool('a'), namedTool('a.b')], ToolDefinitionError],
    ['something that is no tool', () => [namedTool('a'), null as never], TypeError],
    [
      'an iterable that fails half-way',
      function* () {
        yield namedTool('a')
        throw new RangeError('half-way')
      },
      RangeError,
    ],
  ] as const)('register none of a batch with %s, and tell no listener', (_, tools, error) => {
    vi.useFakeTimers()
    const registry = registryWith('b')
    vi.runAllTimers()
    const heard = vi.fn()
    registry.addListener({ onToolRegistered: heard, onChanged: heard })
    expect(() => registry.registerAll(tools())).toThrow(error)
    vi.runAllTimers()
    vi.useRealTimers()
    expect(namesIn(registry)).toEqual(['b'])
    expect(heard).not.toHaveBeenCalled()
  })

  it('take any iterable, and none at all', () => {
    const registry = new ToolRegistry()
    registry.registerAll(new Set([namedTool('a'), namedTool('b')]))
    registry.registerAll([])
    expect(namesIn(registry)).toEqual(['a', 'b'])
  })

  it('refuse the batch when its own iterable has taken one of its names', () => {
    const registry = new ToolRegistry()
    const quick = namedTool('a', 'quick')
    function* tools() {
      yield namedTool('a', 'slow')
      registry.register(quick, { name: 'quick' })
    }
    expect(() => registry.registerAll(tools(), { name: 'slow' })).toThrow(
      new DuplicateToolError('a', 'quick', 'slow'),
    )
    expect(registry.list()).toEqual([quick])
  })

  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [{}, 'an object'],
    [{ ...namedTool('a') }, 'an object'],
    [ToolDefinition, 'a function'],
    [ToolDefinition.builder().name('a'), 'an instance of ToolDefinitionBuilder'],
    ['a', 'a string'],
  ])('refuse what is no ToolDefinition: %o', (value, given) => {
    const registry = registryWith('a')
    const message = `A tool must be a ToolDefinition, made with ToolDefinition.builder() (got ${given})`
    expect(() => registry.register(value as never)).toThrow(new TypeError(message))
    expect(() => registry.replace(value as never)).toThrow(new TypeError(message))
  })

  it('take a definition of another copy of this package', async () => {
    vi.resetModules()
    const other = await import('../../src/registry/tool-definition.js')
    const foreign = other.ToolDefinition.builder()
      .name('foreign')
      .executor(() => 1)
      .build()
    const registry = new ToolRegistry()
    registry.register(foreign as never)
    expect(namesIn(registry)).toEqual(['foreign'])
  })
})

describe('names', () => {
  it.each(['a', 'A-1_b', 'x'.repeat(64), 'constructor', '__proto__', 'toString'])(
    'take %s everywhere',
    (name) => {
      for (const names of ['portable', 'mcp'] as const) {
        const registry = new ToolRegistry({ names })
        expect(registry.contains(name)).toBe(false)
        registry.register(namedTool(name))
        expect([namesIn(registry), registry.lookup(name)?.name]).toEqual([[name], name])
      }
    },
  )

  it.each(['x'.repeat(65), 'x'.repeat(128), 'admin.users', '.'])('take %s with names: mcp alone', (name) => {
    const registry = new ToolRegistry({ names: 'mcp' })
    registry.register(namedTool(name))
    expect(namesIn(registry)).toEqual([name])
    expect(() => new ToolRegistry().register(namedTool(name))).toThrow(ToolDefinitionError)
    expect(() => new ToolRegistry().register(namedTool(name))).toThrow(
      "name: must match /^[A-Za-z0-9_-]{1,64}$/; the option names: 'mcp' allows all that MCP does",
    )
  })

  it('find nothing under the names that every object has', () => {
    const registry = new ToolRegistry()
    expect(['constructor', '__proto__', 'toString'].map((name) => registry.lookup(name))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('list()', () => {
  it('is sorted by name, whatever the order of registration', () => {
    expect(namesIn(registryWith('b', 'a2', 'Z', 'a10', '_', 'a'))).toEqual(['Z', '_', 'a', 'a10', 'a2', 'b'])
  })

  it('is the same frozen array until something changes', async () => {
    const registry = registryWith('b')
    const seen = [registry.list()]
    expect(registry.list()).toBe(seen[0])
    expect(seen[0]).toSatisfy(Object.isFrozen)
    registry.register(namedTool('a'))
    seen.push(registry.list())
    registry.replace(namedTool('a'))
    seen.push(registry.list())
    await registry.unregister('a')
    seen.push(registry.list())
    expect(new Set(seen).size).toBe(4)
    expect(seen.map((list) => list.map(({ name }) => name))).toEqual([['b'], ['a', 'b'], ['a', 'b'], ['b']])
  })

  it('stays the same when a change is refused', () => {
    const registry = registryWith('a')
    const before = registry.list()
    expect(() => registry.registerAll([namedTool('b'), namedTool('a')])).toThrow()
    expect(registry.list()).toBe(before)
  })
})

describe('replace()', () => {
  it('swaps the tool, while a call that runs keeps the old one', () => {
    const registry = registryWith('lookup')
    const running = registry.registered('lookup')
    running?.acquire()
    const next = namedTool('lookup', 'new')
    registry.replace(next)
    expect(registry.lookup('lookup')).toBe(next)
    expect(registry.registered('lookup')).toMatchObject({ running: 0, source: { name: 'P1' } })
    expect(running).toMatchObject({ running: 1, definition: { description: 'Runs lookup' } })
  })

  it('takes a new source where one is given', () => {
    const registry = registryWith('lookup')
    registry.replace(namedTool('lookup'), { name: 'P2' })
    expect(registry.registered('lookup')?.source).toEqual({ name: 'P2' })
  })

  it('throws for a name that is not there, and registers nothing', () => {
    const registry = registryWith('a')
    expect(() => registry.replace(namedTool('b'))).toThrow(new ToolNotFoundError('b'))
    expect(namesIn(registry)).toEqual(['a'])
  })

  it('keeps the old tool when the new one is refused', () => {
    const registry = registryWith('a')
    const before = registry.lookup('a')
    registry.addAdmission(({ description }) => {
      if (description === 'bad') throw new Error('refused')
    })
    expect(() => registry.replace(namedTool('a', 'bad'))).toThrow('refused')
    expect(registry.lookup('a')).toBe(before)
  })
})
