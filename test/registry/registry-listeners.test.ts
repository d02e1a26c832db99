import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ToolRegistry } from '../../src/registry/tool-registry.js'
import { recorder } from './listener-fixture.js'
import { namedTool } from './tool-fixture.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('events, one a change', () => {
  it('come at once, in order, with the definitions', async () => {
    const registry = new ToolRegistry()
    const heard: unknown[] = []
    registry.addListener({
      onToolRegistered: (...args) => void heard.push(['registered', ...args]),
      onToolReplaced: (...args) => void heard.push(['replaced', ...args]),
      onToolRemoved: (...args) => void heard.push(['removed', ...args]),
    })
    const [one, two] = [namedTool('a', 'one'), namedTool('a', 'two')]
    registry.register(one)
    registry.replace(two)
    const removed = registry.unregister('a')
    expect(heard).toEqual([
      ['registered', one],
      ['replaced', two, one],
      ['removed', two],
    ])
    await removed
  })

  it('come after the change is made, the whole batch at once', () => {
    const registry = new ToolRegistry()
    const seen: (readonly string[])[] = []
    registry.addListener({ onToolRegistered: () => void seen.push(registry.list().map(({ name }) => name)) })
    registry.registerAll([namedTool('b'), namedTool('a')])
    expect(seen).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
  })

  it('reach every listener in the order of the changes, also those that a listener makes', () => {
    const registry = new ToolRegistry()
    const events: string[] = []
    registry.addListener({
      onToolRegistered: ({ name }) => {
        if (name === 'a') void registry.unregister('b')
        if (name === 'b') registry.register(namedTool('c'))
      },
      onToolRemoved: ({ name }) => registry.replace(namedTool('a', `after ${name}`)),
    })
    registry.addListener(recorder(events))
    registry.registerAll([namedTool('a'), namedTool('b')])
    expect(events).toEqual(['registered a', 'registered b', 'removed b', 'registered c', 'replaced a'])
  })

  it('reach the other listeners when one throws, rejects or is no function, and the fault is reported', async () => {
    const reported: unknown[] = []
    const registry = new ToolRegistry({ onListenerError: (error) => void reported.push(error) })
    const thrown = new Error('thrown')
    const rejected = new Error('rejected')
    const thenable = new Error('thenable')
    registry.addListener({
      onToolRegistered: () => {
        throw thrown
      },
    })
    registry.addListener({ onToolRegistered: () => Promise.reject(rejected) })
    registry.addListener({
      // biome-ignore lint/suspicious/noThenProperty: a promise of another library.
      onToolRegistered: () => ({ then: (_: unknown, no: (error: Error) => void) => no(thenable) }) as never,
    })
    registry.addListener({ onToolRegistered: 'no function' as never })
    const last = recorder()
    registry.addListener(last)
    registry.register(namedTool('a'))
    registry.register(namedTool('b'))
    await vi.advanceTimersByTimeAsync(0)
    expect(last.events).toEqual(['registered a', 'registered b'])
    expect(registry.size).toBe(2)
    expect(reported.filter((error) => error === thrown)).toHaveLength(2)
    expect(reported.filter((error) => error === rejected)).toHaveLength(2)
    expect(reported.filter((error) => error === thenable)).toHaveLength(2)
    expect(reported.filter((error) => error instanceof TypeError)).toHaveLength(2)
    expect(reported).toHaveLength(8)
  })

  it('are still delivered when the report itself throws', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const registry = new ToolRegistry({
      onListenerError: () => {
        throw new Error('the log is full')
      },
    })
    registry.addListener({
      onToolRegistered: () => {
        throw new Error('first')
      },
    })
    const last = recorder()
    registry.addListener(last)
    registry.register(namedTool('a'))
    registry.register(namedTool('b'))
    expect(last.events).toEqual(['registered a', 'registered b'])
    expect(warned).toHaveBeenCalledTimes(2)
    warned.mockRestore()
  })

  it('put what a listener threw into a process warning by default, whatever it is', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const registry = new ToolRegistry()
    registry.addListener({
      onToolRegistered: () => {
        throw Object.create(null)
      },
    })
    registry.register(namedTool('a'))
    expect(warned.mock.calls).toEqual([
      ['A registry listener failed', { detail: '[Object: null prototype] {}' }],
    ])
    warned.mockRestore()
  })

  it('end for a listener that is let go, also in the middle of a delivery', () => {
    const registry = new ToolRegistry()
    const last = recorder()
    const first = registry.addListener({
      onToolRegistered: () => {
        first[Symbol.dispose]()
        second[Symbol.dispose]()
      },
    })
    const dismissed = recorder()
    const second = registry.addListener(dismissed)
    registry.addListener(last)
    registry.register(namedTool('a'))
    registry.register(namedTool('b'))
    expect([dismissed.events, last.events]).toEqual([[], ['registered a', 'registered b']])
  })

  it('reach the same listener twice if it was added twice, each addition let go by itself', () => {
    const registry = new ToolRegistry()
    const listener = recorder()
    const first = registry.addListener(listener)
    registry.addListener(listener)
    registry.register(namedTool('a'))
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    registry.register(namedTool('b'))
    expect(listener.events).toEqual(['registered a', 'registered a', 'registered b'])
  })

  it('reach a listener that is added during a delivery from the next change on', () => {
    const registry = new ToolRegistry()
    const late = recorder()
    const adding = registry.addListener({
      onToolRegistered: () => {
        adding[Symbol.dispose]()
        registry.addListener(late)
        registry.register(namedTool('later'))
      },
    })
    registry.registerAll([namedTool('a'), namedTool('b')])
    expect(late.events).toEqual(['registered later'])
  })

  it('call a listener as the object that it is', () => {
    class Counter {
      registered = 0
      onToolRegistered() {
        this.registered++
      }
    }
    const registry = new ToolRegistry()
    const counter = new Counter()
    registry.addListener(counter)
    registry.register(namedTool('a'))
    expect(counter.registered).toBe(1)
  })
})
