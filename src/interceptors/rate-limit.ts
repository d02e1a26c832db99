import { AttributeKey } from '../registry/call-attributes.js'
import type { Descriptor } from '../registry/descriptor.js'
import { OverloadedError, RateLimitedError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { ToolInterceptor } from '../registry/tool-interceptor.js'
import type { ToolMetadata } from '../registry/tool-metadata.js'
import { InterceptorOrder } from './interceptor-order.js'
import { requireNumber } from './number-option.js'
import { MemoryStore } from './stores/memory-store.js'
import { type Consumption, retryAfterOf, type Store, storeKey } from './stores/store.js'

export interface RateLimitInterceptorOptions {
  /** Counts the calls. Processes that share one share the quota. Default: a `MemoryStore` of its own. */
  readonly store?: Store
  /** Calls a minute for each caller and definition whose metadata names none; 0 refuses them all. Default 60. */
  readonly defaultPerMinute?: number
  /** Begins every key: two rate limits over one store need two, or each call counts twice. Default `rate-limit`. */
  readonly keyPrefix?: string
  /** Default `InterceptorOrder.rateLimit`. */
  readonly order?: number
}

const WINDOW_MS = 60_000

/**
 * Lets each caller make so many calls of each tool, resource and prompt in any 60 seconds:
 * `metadata.rateLimit.perMinute`, or the default. What is beyond fails with `RATE_LIMITED` before anything of it runs, and
 * does not count. Calls of what does not exist count as calls of one definition of their kind, so that made-up names
 * neither lift the limit nor fill the store.
 *
 * A store that is full or fails refuses with `OVERLOADED`, the reason as `cause`: calls that cannot be counted do not run.
 */
export class RateLimitInterceptor implements ToolInterceptor {
  readonly ring = 'request'
  readonly order: number
  readonly #store: Store
  readonly #keyPrefix: string
  readonly #defaultPerMinute: number
  readonly #counted = new AttributeKey<true>('rate-limit.counted')

  constructor({
    store = new MemoryStore(),
    defaultPerMinute = 60,
    keyPrefix = 'rate-limit',
    order = InterceptorOrder.rateLimit,
  }: RateLimitInterceptorOptions = {}) {
    requireNumber('defaultPerMinute of a rate limit', defaultPerMinute, { min: 0, whole: true })
    this.#store = store
    this.#defaultPerMinute = defaultPerMinute
    this.#keyPrefix = keyPrefix
    this.order = order
  }

  async beforeExecute(ctx: ToolExecutionContext): Promise<void> {
    // One call is counted once: not again when it is resumed with an answer, nor when an outer interceptor repeats it.
    if (ctx.round > 1 || ctx.attributes.has(this.#counted)) return
    const limit = this.#limitOf(ctx.target?.metadata)
    const { allowed, retryAfterMs } = await this.#consume(ctx, limit)
    // No wait helps where nothing is allowed.
    if (!allowed) throw new RateLimitedError(ctx.toolName, retryAfterMs, { retryable: limit > 0 })
    ctx.attributes.set(this.#counted, true)
  }

  explain({ metadata }: Descriptor) {
    return { perMinute: this.#limitOf(metadata) }
  }

  #limitOf(metadata: ToolMetadata | undefined): number {
    return metadata?.rateLimit?.perMinute ?? this.#defaultPerMinute
  }

  async #consume(
    { kind, target, toolName, callerKey }: ToolExecutionContext,
    limit: number,
  ): Promise<Consumption> {
    // Names are unique only within a kind.
    const key = storeKey(this.#keyPrefix, callerKey, kind, target === undefined ? undefined : toolName)
    try {
      return await this.#store.consume(key, { limit, windowMs: WINDOW_MS })
    } catch (cause) {
      throw new OverloadedError(toolName, retryAfterOf(cause), { kind: target?.kind, cause })
    }
  }
}
