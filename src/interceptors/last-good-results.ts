import { digest, fingerprint } from '../registry/fingerprint.js'
import { callForeign } from '../registry/foreign-code.js'
import { isObject } from '../registry/json-value.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import {
  ToolExecutionResult,
  type ToolSuccess,
  type ToolSuccessParts,
} from '../registry/tool-execution-result.js'
import { type Store, storeKey } from './stores/store.js'

/**
 * The last result of each call that succeeded: of the same caller, definition and arguments. As JSON, so that what a caller
 * or an executor does to a value later changes none that is kept.
 */
export class LastGoodResults {
  readonly #store: Store
  readonly #maxAgeMs: number
  readonly #keyPrefix: string

  constructor({ store, maxAgeMs, keyPrefix }: LastGoodResultsOptions) {
    this.#store = store
    this.#maxAgeMs = maxAgeMs
    this.#keyPrefix = keyPrefix
  }

  /** Remembers a result, without anybody waiting for it. What cannot be kept is not there later; nothing fails. */
  keep(ctx: ToolExecutionContext, { value, content, meta, degraded, spilled }: ToolSuccess): void {
    // What was spilled is gone sooner than this, and a stand-in is not good.
    if (degraded || spilled) return
    callForeign(() => {
      const key = this.#keyOf(ctx)
      if (key === undefined) return undefined
      const kept: unknown = JSON.parse(JSON.stringify({ value, content, meta }))
      return this.#store.set(key, kept, { ttlMs: this.#maxAgeMs, evictable: true })
    })
  }

  /** Rejects if the store does. */
  async find(ctx: ToolExecutionContext): Promise<ToolExecutionResult | undefined> {
    const key = this.#keyOf(ctx)
    const kept = key === undefined ? undefined : (await this.#store.get(key))?.value
    if (!isObject(kept)) return undefined
    // As `keep` put it together.
    const { value, ...parts } = kept as { readonly value?: unknown } & ToolSuccessParts
    return ToolExecutionResult.success(value, parts)
  }

  /**
   * Only what changes nothing has a result that is still one when it is looked at again. The argument of a completion is
   * not among the arguments.
   */
  #keyOf({ kind, target, toolName, callerKey, uri, args }: ToolExecutionContext): string | undefined {
    if (target === undefined || !target.metadata.readOnly || kind === 'completion') return undefined
    return storeKey(this.#keyPrefix, callerKey, kind, toolName, uri, fingerprint(target), digest(args))
  }
}

export interface LastGoodResultsOptions {
  readonly store: Store
  readonly maxAgeMs: number
  readonly keyPrefix: string
}
