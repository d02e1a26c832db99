import { callForeign } from '../../registry/foreign-code.js'
import type { ToolExecutionContext } from '../../registry/tool-execution-context.js'
import type { ToolSuccess } from '../../registry/tool-execution-result.js'
import { requireNumber } from '../number-option.js'
import { MemoryStore } from '../stores/memory-store.js'
import type { Store } from '../stores/store.js'
import { resultKey } from './result-key.js'
import { restoredResult, type StoredResult, storedAsSent } from './stored-result.js'

export interface LastGoodOptions {
  /** Default: a `MemoryStore` of its own, of 1 000 results. */
  readonly store?: Store
  /** How old it may be, in whole milliseconds. Default 300 000. */
  readonly maxAgeMs?: number
  /** Begins every key: two fallbacks over one store need two. Default `fallback`. */
  readonly keyPrefix?: string
}

/**
 * The last result of each call that succeeded: of the same caller, definition and arguments, and only of what is read-only.
 * As JSON, so that what a caller or an executor does to a value later changes none that is kept.
 */
export class LastGoodResults {
  readonly maxAgeMs: number
  readonly #store: Store
  readonly #keyPrefix: string

  constructor({
    store = new MemoryStore({ maxEntries: 1_000 }),
    maxAgeMs = 300_000,
    keyPrefix = 'fallback',
  }: LastGoodOptions = {}) {
    requireNumber('lastGood.maxAgeMs', maxAgeMs, { min: 1, whole: true })
    this.maxAgeMs = maxAgeMs
    this.#store = store
    this.#keyPrefix = keyPrefix
  }

  /** Remembers a result, without anybody waiting for it. What cannot be kept is not there later; nothing fails. */
  keep(ctx: ToolExecutionContext, result: ToolSuccess): void {
    // What was spilled is gone sooner than this, and a stand-in is not good.
    if (result.degraded || result.spilled) return
    callForeign(() => {
      const key = this.#keyOf(ctx)
      const kept = key === undefined ? undefined : storedAsSent(result)
      if (key === undefined || kept === undefined) return undefined
      return this.#store.set(key, kept, { ttlMs: this.maxAgeMs, evictable: true })
    })
  }

  /** Rejects if the store does. */
  async find(ctx: ToolExecutionContext): Promise<ToolSuccess | undefined> {
    const key = this.#keyOf(ctx)
    const entry = key === undefined ? undefined : await this.#store.get(key)
    // Nothing else is kept under these keys.
    return entry && restoredResult(entry.value as StoredResult, {})
  }

  /** What changes something has no result that is still one when it is looked at again. */
  #keyOf(ctx: ToolExecutionContext): string | undefined {
    return ctx.target?.metadata.readOnly ? resultKey(this.#keyPrefix, ctx) : undefined
  }
}
