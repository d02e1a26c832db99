import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RegisteredDefinition } from '../../src/registry/registered-definition.js'
import { namedTool } from './tool-fixture.js'

const registered = () => new RegisteredDefinition(namedTool('lookup'), { name: 'P1' })

/** Notes what a promise settles to. */
function watch(promise: Promise<boolean>): { drained?: boolean } {
  const seen: { drained?: boolean } = {}
  void promise.then((drained) => {
    seen.drained = drained
  })
  return seen
}

describe('RegisteredDefinition', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('counts the calls that hold a lease', () => {
    const tool = registered()
    tool.acquire()
    tool.acquire()
    tool.release()
    expect(tool.running).toBe(1)
  })

  it('is drained at once when nobody holds a lease, and leaves no timer behind', async () => {
    expect(await registered().drained(1000)).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is drained when the last lease is released, and leaves no timer behind', async () => {
    const tool = registered()
    tool.acquire()
    tool.acquire()
    const seen = watch(tool.drained(1000))
    tool.release()
    await vi.advanceTimersByTimeAsync(10)
    expect(seen).toEqual({})
    tool.release()
    await vi.advanceTimersByTimeAsync(0)
    expect(seen).toEqual({ drained: true })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gives up after the bound', async () => {
    const tool = registered()
    tool.acquire()
    const seen = watch(tool.drained(1000))
    await vi.advanceTimersByTimeAsync(999)
    expect(seen).toEqual({})
    await vi.advanceTimersByTimeAsync(1)
    expect(seen).toEqual({ drained: false })
    tool.release()
    expect(tool.running).toBe(0)
  })

  it('wakes everyone who waits, each by its own bound and its own leases', async () => {
    const tool = registered()
    for (let i = 0; i < 3; i++) tool.acquire()
    const impatient = watch(tool.drained(100))
    const owner = watch(tool.drained(1000, () => 1))
    const patient = watch(tool.drained(1000))
    await vi.advanceTimersByTimeAsync(100)
    expect([impatient, owner, patient]).toEqual([{ drained: false }, {}, {}])
    tool.release()
    tool.release()
    await vi.advanceTimersByTimeAsync(0)
    expect([owner, patient]).toEqual([{ drained: true }, {}])
    tool.release()
    await vi.advanceTimersByTimeAsync(0)
    expect(patient).toEqual({ drained: true })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('waits without end when the bound is infinite, which a timer cannot be', async () => {
    const tool = registered()
    tool.acquire()
    const seen = watch(tool.drained(Infinity))
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(seen).toEqual({})
    tool.release()
    await vi.advanceTimersByTimeAsync(0)
    expect(seen).toEqual({ drained: true })
  })

  it('keeps the source it was registered with, whatever becomes of the list of interceptors', () => {
    const [first, second] = [{ name: 'first' }, { name: 'second' }]
    const interceptors = [first]
    const source = { name: 'P1', interceptors }
    const tool = new RegisteredDefinition(namedTool('lookup'), source)
    interceptors.push(second)
    source.name = 'P2'
    expect(tool.source).toEqual({ name: 'P1', interceptors: [first] })
    expect(tool.source.interceptors?.[0]).toBe(first)
    expect([tool.source, tool.source.interceptors].map(Object.isFrozen)).toEqual([true, true])
    expect([interceptors, source, first].map(Object.isFrozen)).toEqual([false, false, false])
  })
})
