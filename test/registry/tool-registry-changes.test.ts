import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RegistryChange } from '../../src/registry/registry-listeners.js'
import { ToolRegistry } from '../../src/registry/tool-registry.js'
import { observed } from './listener-fixture.js'
import { namedTool } from './tool-fixture.js'

const thousand = Array.from({ length: 1000 }, (_, i) => `tool-${i}`)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('onChanged, one a burst', () => {
  it.each([
    [
      'one registerAll',
      (registry: ToolRegistry) => registry.registerAll(thousand.map((name) => namedTool(name))),
    ],
    [
      'a thousand registers',
      (registry: ToolRegistry) => {
        for (const name of thousand) registry.register(namedTool(name))
      },
    ],
  ])('is one event for a thousand tools of %s, sorted by name', (_, register) => {
    const { registry, changes } = observed()
    register(registry)
    expect(changes).toEqual([])
    vi.runAllTimers()
    expect(changes).toEqual([{ registered: [...thousand].sort(), replaced: [], removed: [] }])
  })

  it('is frozen all through', () => {
    const { registry, changes } = observed()
    registry.register(namedTool('a'))
    vi.runAllTimers()
    expect([changes[0], ...Object.values(changes[0] ?? {})].map(Object.isFrozen)).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  it('says what changed on the whole', async () => {
    const { registry, changes } = observed()
    registry.registerAll(['kept', 'gone', 'swapped', 'renewed', 'back'].map((name) => namedTool(name)))
    vi.runAllTimers()
    changes.length = 0
    const back = registry.getRequired('back')
    registry.register(namedTool('fleeting'))
    registry.replace(namedTool('swapped', '2'))
    registry.replace(namedTool('swapped', '3'))
    registry.register(namedTool('b-new'))
    registry.register(namedTool('a-new'))
    await Promise.all(['fleeting', 'gone', 'renewed', 'back'].map((name) => registry.unregister(name)))
    registry.register(namedTool('renewed', '2'))
    registry.register(back)
    vi.runAllTimers()
    expect(changes).toEqual([
      { registered: ['a-new', 'b-new'], replaced: ['renewed', 'swapped'], removed: ['gone'] },
    ])
  })

  it('is silent when all that came went again', async () => {
    const { registry, changes } = observed()
    registry.register(namedTool('a'))
    await registry.unregister('a')
    vi.runAllTimers()
    expect(changes).toEqual([])
  })

  it('comes so long after the first change of a burst, however long the burst goes on', () => {
    const { registry, changes } = observed({ changeDelayMs: 100 })
    for (const name of ['a', 'b', 'c']) {
      registry.register(namedTool(name))
      vi.advanceTimersByTime(40)
    }
    expect(changes.map(({ registered }) => registered)).toEqual([['a', 'b', 'c']])
    registry.register(namedTool('d'))
    vi.advanceTimersByTime(99)
    expect(changes).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(changes.map(({ registered }) => registered)).toEqual([['a', 'b', 'c'], ['d']])
  })

  it('does not keep the process alive, and has no timer while nothing changes', () => {
    vi.useRealTimers()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const registry = new ToolRegistry()
    expect(timers).not.toHaveBeenCalled()
    registry.register(namedTool('a'))
    registry.register(namedTool('b'))
    expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false])
    timers.mockRestore()
  })

  it('tells of a change that a listener makes in the event after', () => {
    const { registry, changes } = observed()
    registry.addListener({
      onChanged: ({ registered }) => {
        if (registered.includes('a')) registry.register(namedTool('b'))
      },
    })
    registry.register(namedTool('a'))
    vi.runAllTimers()
    expect(changes.map(({ registered }) => registered)).toEqual([['a'], ['b']])
  })

  it('does not reach a listener that is added while it is delivered', () => {
    const { registry } = observed()
    const late: RegistryChange[] = []
    const adding = registry.addListener({
      onChanged: () => {
        adding[Symbol.dispose]()
        registry.addListener({ onChanged: (change) => void late.push(change) })
      },
    })
    registry.register(namedTool('a'))
    vi.runAllTimers()
    expect(late).toEqual([])
    registry.register(namedTool('b'))
    vi.runAllTimers()
    expect(late.map(({ registered }) => registered)).toEqual([['b']])
  })

  it('reaches the others, and comes again, when one listener throws', () => {
    const reported: unknown[] = []
    const registry = new ToolRegistry({ onListenerError: (error) => void reported.push(error) })
    const fault = new Error('first')
    registry.addListener({
      onChanged: () => {
        throw fault
      },
    })
    const changes: RegistryChange[] = []
    registry.addListener({ onChanged: (change) => void changes.push(change) })
    for (const name of ['a', 'b']) {
      registry.register(namedTool(name))
      vi.runAllTimers()
    }
    expect(changes.map(({ registered }) => registered)).toEqual([['a'], ['b']])
    expect(reported).toEqual([fault, fault])
  })
})
