import type { Descriptor } from '../registry/descriptor.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { Next, ToolInterceptor } from '../registry/tool-interceptor.js'
import { unfailing } from './guarded-logger.js'
import { InterceptorOrder } from './interceptor-order.js'
import type { Logger } from './logger.js'
import { requireNumber } from './number-option.js'
import { CachedResults } from './results/cached-results.js'
import { resultKey } from './results/result-key.js'
import { leavingReason, type SharedAnswer, SharedWork, sharedAnswer } from './results/shared-work.js'
import { restoredResult, type StoredResult, storedResult } from './results/stored-result.js'
import { MemoryStore } from './stores/memory-store.js'
import type { Store } from './stores/store.js'

export interface CacheInterceptorOptions {
  /** Keeps the results, as what it may drop when it needs the room. Default: a `MemoryStore` of its own. */
  readonly store?: Store
  /** How long a result counts as fresh, in whole milliseconds, or for which definition how long; 0: not at all. Default 60 000. */
  readonly ttlMs?: number | ((target: Descriptor) => number)
  /**
   * How much longer it is given out while a new one is fetched, in whole milliseconds. What fails to be fetched leaves the
   * old one until then. Default 0: not at all.
   */
  readonly staleWhileRevalidateMs?: number
  /** Which definitions may be cached. Default: those whose metadata says `readOnly`. */
  readonly cacheable?: (target: Descriptor) => boolean
  /** Larger results are not kept; in characters of JSON. Default 1 000 000. */
  readonly maxSize?: number
  /** Hears of a store that fails. */
  readonly logger?: Logger
  /** Begins every key. Default `cache`. */
  readonly keyPrefix?: string
  /** Default `InterceptorOrder.cache`. */
  readonly order?: number
}

/**
 * Gives a caller the result of an equal call that it has made before. Equal: of the same caller, definition (as it was then:
 * see `fingerprint`) and arguments; a tool whose answer hangs on more than these, such as one that asks the user, should
 * not be cached. Calls that come at the same time run once; the work is aborted when the last of them has left.
 *
 * Only a success that is plain JSON is kept: no failure, nothing degraded or spilled, nothing of a call of several rounds,
 * nothing that comes after everybody has left. The call that fetched a result has it as the executor made it; everybody else
 * gets a frozen copy. A store that fails costs the cache, never the call.
 */
export class CacheInterceptor implements ToolInterceptor {
  readonly order: number
  readonly #results: CachedResults
  readonly #ttlMs: number | ((target: Descriptor) => number)
  readonly #staleMs: number
  readonly #cacheable: (target: Descriptor) => boolean
  readonly #keyPrefix: string
  /** What is being fetched, by key. */
  readonly #fetches = new Map<string, SharedWork>()

  constructor({
    store = new MemoryStore(),
    ttlMs = 60_000,
    staleWhileRevalidateMs = 0,
    cacheable = ({ metadata }) => metadata.readOnly,
    maxSize = 1_000_000,
    logger,
    keyPrefix = 'cache',
    order = InterceptorOrder.cache,
  }: CacheInterceptorOptions = {}) {
    if (typeof ttlMs !== 'function') requireTime('ttlMs', ttlMs)
    requireTime('staleWhileRevalidateMs', staleWhileRevalidateMs)
    requireNumber('maxSize', maxSize, { min: 0, max: Number.POSITIVE_INFINITY })
    this.#results = new CachedResults({ store, maxSize, logger: logger && unfailing(logger) })
    this.#ttlMs = ttlMs
    this.#staleMs = staleWhileRevalidateMs
    this.#cacheable = cacheable
    this.#keyPrefix = keyPrefix
    this.order = order
  }

  aroundExecute(ctx: ToolExecutionContext, next: Next): Promise<ToolExecutionResult> {
    const { target, round } = ctx
    // In a later round the answers of the user count as well.
    if (target === undefined || round > 1) return next(ctx)
    const freshMs = this.#freshMs(target)
    const key = freshMs > 0 ? resultKey(this.#keyPrefix, ctx) : undefined
    return key === undefined ? next(ctx) : this.#cached({ ctx, next, key, freshMs })
  }

  explain(target: Descriptor): Readonly<Record<string, unknown>> {
    const ttlMs = this.#freshMs(target)
    return ttlMs === 0 ? { caches: false } : { caches: true, ttlMs, staleWhileRevalidateMs: this.#staleMs }
  }

  #freshMs(target: Descriptor): number {
    // A promise is no yes.
    if (this.#cacheable(target) !== true) return 0
    if (typeof this.#ttlMs === 'number') return this.#ttlMs
    const ttlMs = this.#ttlMs(target)
    requireTime(`ttlMs of ${target.name}`, ttlMs)
    return ttlMs
  }

  async #cached(call: CacheableCall): Promise<ToolExecutionResult> {
    const { ctx, next, key } = call
    const startedAt = performance.now()
    const found = await this.#results.read(key, { mayBeStale: this.#staleMs > 0 })
    if (found === 'unreadable') return next(ctx)
    if (ctx.signal.aborted) throw leavingReason(ctx, 'not-started')
    const running = this.#fetches.get(key)
    const fetching = running?.isOpen ? running : undefined
    if (found !== undefined) {
      if (!found.isFresh && fetching === undefined) this.#fetch(call, { endures: true })
      const durationMs = performance.now() - startedAt
      return restoredResult(found.result, { toolName: ctx.toolName, durationMs })
    }
    const answer = await (fetching ?? this.#fetch(call, { endures: false })).join(ctx)
    // It waits for an answer to a question, which another call has to bring.
    return answer ?? next(ctx)
  }

  #fetch({ ctx, next, key, freshMs }: CacheableCall, { endures }: { readonly endures: boolean }): SharedWork {
    const work = ctx.detach(next)
    const fetched = work.result.then(answerOf)
    const shared = new SharedWork({ starter: ctx, work, answer: fetched, endures })
    this.#fetches.set(key, shared)
    const lifetime = { freshMs, staleMs: this.#staleMs }
    const kept = fetched.then(({ stored }) => this.#results.keep(key, stored, lifetime))
    const forget = () => {
      // What everybody has left may have been followed by another.
      if (this.#fetches.get(key) === shared) this.#fetches.delete(key)
    }
    kept.then(forget, forget)
    return shared
  }
}

interface CacheableCall {
  readonly ctx: ToolExecutionContext
  readonly next: Next
  readonly key: string
  readonly freshMs: number
}

/** `stored` is what may be kept of it. */
type FetchedAnswer = SharedAnswer & { readonly stored: StoredResult | undefined }

function answerOf(result: ToolExecutionResult): FetchedAnswer {
  if (!result.ok) throw result.error
  const stored = storedResult(result)
  const isKept = !result.degraded && !result.spilled
  return { ...sharedAnswer(result, stored), stored: isKept ? stored : undefined }
}

function requireTime(option: string, value: number): void {
  requireNumber(option, value, { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true })
}
