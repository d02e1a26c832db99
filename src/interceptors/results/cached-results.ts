import type { Logger } from '../logger.js'
import { type Store, storeKey } from '../stores/store.js'
import type { StoredResult } from './stored-result.js'

export interface CachedResultsOptions {
  readonly store: Store
  /** In characters of JSON. */
  readonly maxSize: number
  readonly logger: Logger | undefined
}

interface Cached {
  readonly result: StoredResult
  readonly isFresh: boolean
}

/**
 * Results in a store, each for as long as it is fresh and a while longer. How old one is, only the clock of the store knows:
 * an entry beside it lives for as long as it is fresh.
 */
export class CachedResults {
  readonly #store: Store
  readonly #maxSize: number
  readonly #logger: Logger | undefined

  constructor({ store, maxSize, logger }: CachedResultsOptions) {
    this.#store = store
    this.#maxSize = maxSize
    this.#logger = logger
  }

  /** `unreadable` if the store fails. */
  async read(
    key: string,
    { mayBeStale }: { readonly mayBeStale: boolean },
  ): Promise<Cached | undefined | 'unreadable'> {
    try {
      const [entry, fresh] = await Promise.all([
        this.#store.get(key),
        mayBeStale ? this.#store.get(freshKey(key)) : true,
      ])
      // Nothing else is kept under these keys.
      return entry && { result: entry.value as StoredResult, isFresh: fresh !== undefined }
    } catch (err) {
      this.#logger?.warn({ err }, 'the cache cannot be read: the call runs')
      return 'unreadable'
    }
  }

  /** Never fails. */
  async keep(
    key: string,
    result: StoredResult | undefined,
    { freshMs, staleMs }: { readonly freshMs: number; readonly staleMs: number },
  ): Promise<void> {
    if (result === undefined || JSON.stringify(result).length > this.#maxSize) return
    try {
      const lifetime = { ttlMs: freshMs + staleMs, evictable: true }
      await this.#store.set(key, result, lifetime)
      if (staleMs > 0) await this.#store.set(freshKey(key), true, { ...lifetime, ttlMs: freshMs })
    } catch (err) {
      this.#logger?.warn({ err }, 'a result cannot be cached')
    }
  }
}

function freshKey(key: string): string {
  return storeKey('fresh', key)
}
