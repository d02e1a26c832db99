import { StoreFullError } from './store.js'

/** A bounded map that drops what has expired and never what is live: when it is full of that, it refuses to grow. */
export class ExpiringMap<Entry extends { readonly expiresAt: number }> {
  readonly #entries = new Map<string, Entry>()
  readonly #kind: string
  readonly #max: number
  /** Nothing expires before. While full, saves looking through all entries at each call. */
  #earliestExpiry = Number.POSITIVE_INFINITY

  constructor(kind: string, max: number) {
    this.#kind = kind
    this.#max = max
  }

  get(key: string, now: number): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || now < entry.expiresAt) return entry
    this.#entries.delete(key)
    return undefined
  }

  /** Throws `StoreFullError` if the key is new and all entries are live; nothing has changed then. */
  set(key: string, entry: Entry, now: number): void {
    if (this.#entries.size >= this.#max && !this.#entries.has(key)) this.#makeRoom(now)
    this.#entries.set(key, entry)
    this.#earliestExpiry = Math.min(this.#earliestExpiry, entry.expiresAt)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  #makeRoom(now: number): void {
    if (this.#earliestExpiry <= now) this.#dropExpired(now)
    if (this.#entries.size < this.#max) return
    const waitMs = this.#earliestExpiry - now
    throw new StoreFullError(`The store is full: all of its ${this.#max} ${this.#kind} are in use`, {
      retryAfterMs: Number.isFinite(waitMs) ? waitMs : undefined,
    })
  }

  #dropExpired(now: number): void {
    let earliest = Number.POSITIVE_INFINITY
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt <= now) this.#entries.delete(key)
      else earliest = Math.min(earliest, expiresAt)
    }
    this.#earliestExpiry = earliest
  }
}
