import { LRUCache } from 'lru-cache'
import { copyJson } from '../../registry/json-value.js'
import { ExpiringMap } from './expiring-map.js'
import { SlidingWindow } from './sliding-window.js'
import type { Consumption, Lease, Quota, SetOptions, Store, StoreEntry } from './store.js'

export interface MemoryStoreOptions {
  /**
   * Most entries of each kind: windows, leases, values, and evictable values, of which the least recently used makes
   * room for the next. The other kinds refuse to grow, each on its own: a flood of one does not block another.
   * Default 50 000.
   */
  readonly maxEntries?: number
  /** Tells the time in ms; running backwards counts as standing still. Default `performance`, which is monotonic. */
  readonly clock?: { now(): number }
}

interface StoredValue extends StoreEntry {
  readonly expiresAt: number
}

interface StoredLease {
  readonly token: number
  readonly expiresAt: number
}

/** The {@link Store} of one process. It has no timers: what has expired is dropped when its key or its room is needed. */
export class MemoryStore implements Store {
  readonly #windows: ExpiringMap<SlidingWindow>
  readonly #leases: ExpiringMap<StoredLease>
  readonly #values: ExpiringMap<StoredValue>
  // The expiry is ours here too: lru-cache's own starts a timer, is off by one ms, and off altogether at time 0.
  readonly #evictable: LRUCache<string, StoredValue>
  readonly #clock: { now(): number }
  #lastReading = Number.NEGATIVE_INFINITY
  #setBack = 0
  #serial = 0

  constructor({ maxEntries = 50_000, clock = performance }: MemoryStoreOptions = {}) {
    requireWhole('maxEntries', maxEntries, 1)
    this.#windows = new ExpiringMap('windows', maxEntries)
    this.#leases = new ExpiringMap('leases', maxEntries)
    this.#values = new ExpiringMap('values', maxEntries)
    this.#evictable = new LRUCache({ max: maxEntries })
    this.#clock = clock
  }

  async get(key: string): Promise<StoreEntry | undefined> {
    requireKey(key)
    const stored = this.#live(key, this.#now())
    return stored && { value: stored.value, version: stored.version }
  }

  async set(
    key: string,
    value: unknown,
    options: SetOptions & { readonly ifAbsent?: boolean } = {},
  ): Promise<string | undefined> {
    requireKey(key)
    return this.#put(key, value, options, (current) => !options.ifAbsent || current === undefined)
  }

  async compareAndSet(
    key: string,
    version: string,
    value: unknown,
    options: SetOptions = {},
  ): Promise<string | undefined> {
    requireKey(key)
    return this.#put(key, value, options, (current) => current !== undefined && current.version === version)
  }

  async delete(key: string): Promise<boolean> {
    requireKey(key)
    return this.#remove(key, () => true)
  }

  async compareAndDelete(key: string, version: string): Promise<boolean> {
    requireKey(key)
    return this.#remove(key, (current) => current.version === version)
  }

  async consume(key: string, quota: Quota): Promise<Consumption> {
    requireKey(key)
    requireWhole('limit', quota.limit, 0)
    requireWhole('windowMs', quota.windowMs, 1)
    requireWhole('cost', quota.cost ?? 1, 1)
    const now = this.#now()
    const window = this.#windows.get(key, now) ?? new SlidingWindow()
    const consumption = window.consume(now, quota)
    if (consumption.allowed) this.#windows.set(key, window, now)
    return consumption
  }

  async lease(key: string, { ttlMs }: { readonly ttlMs: number }): Promise<Lease | undefined> {
    requireKey(key)
    requireWhole('ttlMs', ttlMs, 1)
    const now = this.#now()
    if (this.#leases.get(key, now) !== undefined) return undefined
    const token = ++this.#serial
    this.#leases.set(key, { token, expiresAt: now + ttlMs }, now)
    return this.#handle(key, token, ttlMs)
  }

  #handle(key: string, token: number, ttlMs: number): Lease {
    const release = async () => {
      if (this.#leases.get(key, this.#now())?.token !== token) return false
      this.#leases.delete(key)
      return true
    }
    const renew = async (renewedMs = ttlMs) => {
      requireWhole('ttlMs', renewedMs, 1)
      const now = this.#now()
      if (this.#leases.get(key, now)?.token !== token) return false
      this.#leases.set(key, { token, expiresAt: now + renewedMs }, now)
      return true
    }
    const dispose = async () => void (await release())
    return Object.freeze({ key, token, renew, release, [Symbol.asyncDispose]: dispose })
  }

  #put(
    key: string,
    value: unknown,
    { ttlMs, evictable = false }: SetOptions,
    accepts: (current: StoredValue | undefined) => boolean,
  ): string | undefined {
    if (ttlMs !== undefined) requireWhole('ttlMs', ttlMs, 1)
    const copy = copyJson(value, 'A stored value')
    const now = this.#now()
    if (!accepts(this.#live(key, now))) return undefined
    const version = String(++this.#serial)
    const stored = {
      value: copy,
      version,
      expiresAt: ttlMs === undefined ? Number.POSITIVE_INFINITY : now + ttlMs,
    }
    if (evictable) {
      this.#evictable.set(key, stored)
      this.#values.delete(key)
    } else {
      this.#values.set(key, stored, now)
      this.#evictable.delete(key)
    }
    return version
  }

  #remove(key: string, accepts: (current: StoredValue) => boolean): boolean {
    const current = this.#live(key, this.#now())
    if (current === undefined || !accepts(current)) return false
    this.#values.delete(key)
    this.#evictable.delete(key)
    return true
  }

  #live(key: string, now: number): StoredValue | undefined {
    const kept = this.#values.get(key, now)
    if (kept !== undefined) return kept
    const evictable = this.#evictable.get(key)
    if (evictable === undefined || now < evictable.expiresAt) return evictable
    this.#evictable.delete(key)
    return undefined
  }

  /** Whole ms that never run backwards: what the clock was set back is added from then on. */
  #now(): number {
    const reading = this.#clock.now()
    if (reading < this.#lastReading) this.#setBack += this.#lastReading - reading
    this.#lastReading = reading
    return Math.floor(reading + this.#setBack)
  }
}

/** A missing key would be one shared by everybody. */
function requireKey(key: unknown): void {
  if (typeof key === 'string' && key !== '') return
  throw new TypeError(
    `A store key must be a string that is not empty, not ${key === '' ? 'an empty one' : typeof key}`,
  )
}

function requireWhole(name: string, value: number, atLeast: number): void {
  if (Number.isSafeInteger(value) && value >= atLeast) return
  throw new RangeError(`${name} must be a whole number of at least ${atLeast}, not ${value}`)
}
