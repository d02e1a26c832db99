import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemoryStore } from '../../../src/interceptors/stores/memory-store.js'
import { StoreFullError } from '../../../src/interceptors/stores/store.js'
import { describeStoreContract } from './store-contract.js'

describeStoreContract('MemoryStore', () => {
  const clock = new FakeClock()
  return { store: new MemoryStore({ clock }), advance: (ms) => clock.advance(ms) }
})

describeStoreContract('MemoryStore on the default clock', () => {
  vi.useFakeTimers()
  return {
    store: new MemoryStore(),
    advance: (ms) => void vi.advanceTimersByTime(ms),
    release: () => void vi.useRealTimers(),
  }
})

describe('a MemoryStore that is full', () => {
  const perSecond = { limit: 5, windowMs: 1_000 }

  it('evicts no live window: a flood of keys is refused and the limit of the others stays', async () => {
    const clock = new FakeClock()
    const store = new MemoryStore({ maxEntries: 2, clock })
    for (let call = 0; call < 5; call++) await store.consume('victim', perSecond)
    await store.consume('other', perSecond)
    clock.advance(100)
    for (let flood = 0; flood < 100; flood++) {
      const refused = await store.consume(`flood ${flood}`, perSecond).catch((error: unknown) => error)
      expect(refused).toEqual(
        new StoreFullError('The store is full: all of its 2 windows are in use', { retryAfterMs: 900 }),
      )
    }
    expect((await store.consume('victim', perSecond)).allowed).toBe(false)
    expect((await store.consume('other', perSecond)).remaining).toBe(3)
  })

  it('has room again when the first entry expires, to the millisecond it named', async () => {
    const clock = new FakeClock()
    const store = new MemoryStore({ maxEntries: 2, clock })
    await store.consume('a', perSecond)
    clock.advance(400)
    await store.consume('b', perSecond)
    clock.advance(599)
    await expect(store.consume('c', perSecond)).rejects.toHaveProperty('retryAfterMs', 1)
    clock.advance(1)
    expect((await store.consume('c', perSecond)).allowed).toBe(true)
    await expect(store.consume('d', perSecond)).rejects.toHaveProperty('retryAfterMs', 400)
  })

  it('counts a window by its last call: one that is in use does not make room', async () => {
    const clock = new FakeClock()
    const store = new MemoryStore({ maxEntries: 1, clock })
    await store.consume('busy', perSecond)
    clock.advance(900)
    await store.consume('busy', perSecond)
    clock.advance(900)
    await expect(store.consume('new', perSecond)).rejects.toHaveProperty('retryAfterMs', 100)
    expect((await store.consume('busy', perSecond)).remaining).toBe(3)
  })

  it('needs no room for a call that is refused', async () => {
    const store = new MemoryStore({ maxEntries: 1, clock: new FakeClock() })
    for (let call = 0; call < 3; call++) {
      const refused = await store.consume(`refused ${call}`, { limit: 0, windowMs: 1_000 })
      expect(refused).toEqual({ allowed: false, remaining: 0, retryAfterMs: 1_000 })
    }
    expect((await store.consume('live', perSecond)).allowed).toBe(true)
    expect((await store.consume('refused', { limit: 0, windowMs: 1_000 })).allowed).toBe(false)
  })

  it('drops no value that was not set as evictable, and changes nothing when it refuses one', async () => {
    const store = new MemoryStore({ maxEntries: 1, clock: new FakeClock() })
    await store.set('kept', 1)
    await store.set('cached', 'before', { evictable: true })
    const refused = await store.set('cached', 'after').catch((error: unknown) => error)
    expect(refused).toEqual(new StoreFullError('The store is full: all of its 1 values are in use'))
    expect([await valueIn(store, 'kept'), await valueIn(store, 'cached')]).toEqual([1, 'before'])
  })

  it('still replaces, deletes and consumes what it has', async () => {
    const store = new MemoryStore({ maxEntries: 1, clock: new FakeClock() })
    await store.set('kept', 1, { ttlMs: 10 })
    await store.set('kept', 2)
    expect(await valueIn(store, 'kept')).toBe(2)
    await store.delete('kept')
    await store.set('next', 3)
    expect(await valueIn(store, 'next')).toBe(3)
  })

  it('has room for a value whose lifetime was shortened', async () => {
    const clock = new FakeClock()
    const store = new MemoryStore({ maxEntries: 1, clock })
    await store.set('kept', 1, { ttlMs: 10_000 })
    await expect(store.set('next', 2)).rejects.toThrow(StoreFullError)
    await store.set('kept', 1, { ttlMs: 10 })
    clock.advance(10)
    expect(await store.set('next', 2)).toBeTypeOf('string')
  })

  it('drops no live lease', async () => {
    const clock = new FakeClock()
    const store = new MemoryStore({ maxEntries: 1, clock })
    const lease = await store.lease('held', { ttlMs: 1_000 })
    await expect(store.lease('next', { ttlMs: 1_000 })).rejects.toThrow(StoreFullError)
    await lease?.release()
    expect(await store.lease('next', { ttlMs: 1_000 })).toBeDefined()
  })

  it('is full for one kind only: a flood of windows leaves room for leases and values', async () => {
    const store = new MemoryStore({ maxEntries: 1, clock: new FakeClock() })
    await store.consume('a', perSecond)
    await expect(store.consume('b', perSecond)).rejects.toThrow(StoreFullError)
    expect(await store.lease('b', { ttlMs: 1_000 })).toBeDefined()
    expect(await store.set('b', 1)).toBeTypeOf('string')
  })

  it('makes room for an evictable value by dropping the least recently used one', async () => {
    const store = new MemoryStore({ maxEntries: 2, clock: new FakeClock() })
    await store.set('a', 1, { evictable: true })
    await store.set('b', 2, { evictable: true })
    await store.get('a')
    await store.set('c', 3, { evictable: true })
    expect([await valueIn(store, 'a'), await valueIn(store, 'b'), await valueIn(store, 'c')]).toEqual([
      1,
      undefined,
      3,
    ])
  })
})

describe('the time of a MemoryStore', () => {
  afterEach(() => void vi.useRealTimers())

  it('stands still while the clock is set back, and goes on from there', async () => {
    const clock = new FakeClock(10_000)
    const store = new MemoryStore({ clock })
    const quota = { limit: 1, windowMs: 1_000 }
    await store.consume('k', quota)
    await store.set('k', 'value', { ttlMs: 1_000 })
    clock.advance(400)
    await store.get('k')
    clock.advance(-8_000)
    expect(await store.consume('k', quota)).toEqual({ allowed: false, remaining: 0, retryAfterMs: 600 })
    clock.advance(599)
    expect(await store.consume('k', quota)).toEqual({ allowed: false, remaining: 0, retryAfterMs: 1 })
    expect(await valueIn(store, 'k')).toBe('value')
    clock.advance(1)
    expect(await store.consume('k', quota)).toEqual({ allowed: true, remaining: 0, retryAfterMs: 0 })
    expect(await store.get('k')).toBeUndefined()
  })

  it('is in whole ms: waiting as long as it says is enough on a clock with fractions', async () => {
    const clock = new FakeClock(0.9)
    const store = new MemoryStore({ clock })
    const quota = { limit: 1, windowMs: 1_000 }
    await store.consume('k', quota)
    clock.advance(0.3)
    const { retryAfterMs } = await store.consume('k', quota)
    expect(retryAfterMs).toBe(999)
    clock.advance(retryAfterMs)
    expect((await store.consume('k', quota)).allowed).toBe(true)
  })

  it('takes no timers', async () => {
    vi.useFakeTimers()
    const store = new MemoryStore()
    await store.set('k', 1, { ttlMs: 1_000 })
    await store.set('cached', 1, { ttlMs: 1_000, evictable: true })
    await store.get('cached')
    await store.consume('k', { limit: 1, windowMs: 1_000 })
    await store.lease('k', { ttlMs: 1_000 })
    expect(vi.getTimerCount()).toBe(0)
  })
})

it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s as maxEntries', (maxEntries) => {
  expect(() => new MemoryStore({ maxEntries })).toThrow(
    new RangeError(`maxEntries must be a whole number of at least 1, not ${maxEntries}`),
  )
})

class FakeClock {
  #now: number

  constructor(now = 0) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  advance(ms: number): void {
    this.#now += ms
  }
}

async function valueIn(store: MemoryStore, key: string): Promise<unknown> {
  return (await store.get(key))?.value
}
