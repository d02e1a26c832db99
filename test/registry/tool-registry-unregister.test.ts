import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ToolRegistry } from '../../src/registry/tool-registry.js'
import { namedTool, namesIn, registryWith } from './tool-fixture.js'

describe('unregister()', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('removes the tool at once and resolves to true where no call runs', async () => {
    const registry = registryWith('a', 'b')
    const removed = registry.unregister('a')
    expect(namesIn(registry)).toEqual(['b'])
    expect(await removed).toBe(true)
  })

  it('resolves to false for a name that is not there', async () => {
    expect(await registryWith('a').unregister('b')).toBe(false)
  })

  it('waits for the calls that run; the name is free meanwhile', async () => {
    const registry = registryWith('a')
    const running = registry.registered('a')
    running?.acquire()
    let drained: boolean | undefined
    void registry.unregister('a').then((value) => {
      drained = value
    })
    registry.register(namedTool('a', 'the next'))
    registry.registered('a')?.acquire()
    await vi.advanceTimersByTimeAsync(29_999)
    expect(drained).toBeUndefined()
    running?.release()
    await vi.advanceTimersByTimeAsync(0)
    expect(drained).toBe(true)
  })

  it.each([
    [undefined, 30_000],
    [500, 500],
  ])('with drainMs %s gives up after %d ms', async (drainMs, boundMs) => {
    const registry = registryWith('a')
    registry.registered('a')?.acquire()
    let drained: boolean | undefined
    void registry.unregister('a', drainMs === undefined ? {} : { drainMs }).then((value) => {
      drained = value
    })
    await vi.advanceTimersByTimeAsync(boundMs - 1)
    expect(drained).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(drained).toBe(false)
  })

  it('with drainMs 0 waits for nobody', async () => {
    const registry = registryWith('a', 'b')
    registry.registered('a')?.acquire()
    const removed = ['a', 'b'].map((name) => registry.unregister(name, { drainMs: 0 }))
    await vi.advanceTimersByTimeAsync(1)
    expect(await Promise.all(removed)).toEqual([false, true])
  })

  it('does not wait for the leases that the caller holds itself, but for all others', async () => {
    const registry = new ToolRegistry({
      ownLeases:
        () =>
        ({ definition }) =>
          definition.name === 'own' ? 1 : 0,
    })
    registry.registerAll(['own', 'shared'].map((name) => namedTool(name)))
    registry.registered('own')?.acquire()
    const shared = registry.registered('shared')
    shared?.acquire()
    expect(await registry.unregister('own', { drainMs: 1000 })).toBe(true)
    const waiting = registry.unregister('shared', { drainMs: 1000 })
    await vi.advanceTimersByTimeAsync(1000)
    expect(await waiting).toBe(false)
  })
})
