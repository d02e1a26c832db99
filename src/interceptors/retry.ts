import {
  decorrelatedJitterGenerator,
  ExponentialBackoff,
  fullJitterGenerator,
  type IBackoffFactory,
} from 'cockatiel'
import { CallSuspension } from '../registry/call-suspension.js'
import type { Descriptor } from '../registry/descriptor.js'
import { callForeign } from '../registry/foreign-code.js'
import { LONGEST_TIMER_MS } from '../registry/idle-wait.js'
import { describe } from '../registry/json-value.js'
import { type AnyToolError, ToolError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { Next, ToolInterceptor } from '../registry/tool-interceptor.js'
import { isRepeatable } from '../registry/tool-metadata.js'
import { isFinal, isTransient } from './failures/transient-error.js'
import { InterceptorOrder } from './interceptor-order.js'
import { requireNumber } from './number-option.js'
import { pause } from './pause.js'
import { RetryBudget, type RetryBudgetOptions } from './retry-budget.js'

export interface RetryInterceptorOptions {
  /** Of one call, the first one included. Default 3. */
  readonly maxAttempts?: number
  /** About the first wait; the others double, with jitter. Default 200. */
  readonly initialDelayMs?: number
  /** The longest wait. An error that asks for a longer one (`retryAfterMs`) is not waited for, so that an open circuit fails fast. Default 2 000. */
  readonly maxDelayMs?: number
  /**
   * `decorrelated` (default) keeps waits around the exponential curve; `full` picks anything between 0 and it, which spreads
   * many callers most.
   */
  readonly jitter?: 'decorrelated' | 'full'
  /**
   * Which errors may pass with time. Default: those that are `retryable`, `UPSTREAM_FAILED` without a status or with 408,
   * 425, 429 or 5xx, and exceptions that the executor did not expect. Refusals, bad arguments, cancelling and shutting down
   * are never asked about, and whatever it answers, only what is safe is repeated.
   */
  readonly retryOn?: (error: AnyToolError, ctx: ToolExecutionContext) => boolean
  /** Keeps retries from making an outage worse. `false`: no budget. */
  readonly budget?: RetryBudgetOptions | false
  /** Hears of each attempt that failed and is repeated after `delayMs`. What it throws is dropped. */
  readonly onRetry?: (event: RetryEvent) => void
  /** Default `InterceptorOrder.retry`. */
  readonly order?: number
}

export interface RetryEvent {
  readonly ctx: ToolExecutionContext
  readonly error: AnyToolError
  /** The attempt that failed; the first one is 1. */
  readonly attempt: number
  readonly delayMs: number
}

/**
 * Repeats what failed for a reason that may pass, where a repeat does no harm: nothing was started (`outcome` is
 * `not-started`), or the definition is `idempotent`, or it `forwardsIdempotencyKey`.
 *
 * It waits with exponential backoff and jitter, at least as long as the error asks for, and never beyond the deadline:
 * where the wait would not end in time, is longer than `maxDelayMs`, or the budget is used up, the call fails at once with
 * the error it has. Aborting the call ends the wait. A call that waits for an answer of the user has not failed.
 */
export class RetryInterceptor implements ToolInterceptor {
  readonly order: number
  readonly #maxAttempts: number
  readonly #maxDelayMs: number
  readonly #retryOn: (error: AnyToolError, ctx: ToolExecutionContext) => boolean
  readonly #onRetry: RetryInterceptorOptions['onRetry']
  readonly #backoff: IBackoffFactory<unknown>
  readonly #budget: RetryBudget | undefined

  constructor({
    maxAttempts = 3,
    initialDelayMs = 200,
    maxDelayMs = 2_000,
    jitter = 'decorrelated',
    retryOn = isTransient,
    budget = {},
    onRetry,
    order = InterceptorOrder.retry,
  }: RetryInterceptorOptions = {}) {
    requireNumber('maxAttempts', maxAttempts, { min: 1, whole: true })
    requireNumber('maxDelayMs', maxDelayMs, { min: 0, max: LONGEST_TIMER_MS })
    requireNumber('initialDelayMs', initialDelayMs, { min: 0, max: maxDelayMs })
    this.#maxAttempts = maxAttempts
    this.#maxDelayMs = maxDelayMs
    this.#retryOn = retryOn
    this.#onRetry = onRetry
    this.#backoff = backoffWith(jitter, { initialDelay: initialDelayMs, maxDelay: maxDelayMs })
    this.#budget = budget === false ? undefined : new RetryBudget(budget)
    this.order = order
  }

  async aroundExecute(ctx: ToolExecutionContext, next: Next): Promise<ToolExecutionResult> {
    this.#budget?.earn(ctx)
    let backoff = this.#backoff.next(ctx)
    for (let attempt = 1; ; attempt++, backoff = backoff.next(ctx)) {
      try {
        const result = await next()
        if (attempt > 1) this.#budget?.giveBack(ctx)
        return result
      } catch (thrown) {
        if (CallSuspension.is(thrown)) throw thrown
        const error = ToolError.from(thrown)
        if (attempt >= this.#maxAttempts || !this.#mayRepeat(error, ctx)) throw error
        const delayMs = this.#delayMs(error, backoff.duration)
        if (delayMs >= remainingMs(ctx)) throw error
        if (this.#budget?.spend(ctx) === false) throw error
        callForeign(() => this.#onRetry?.({ ctx, error, attempt, delayMs }))
        await pause(delayMs, ctx)
      }
    }
  }

  explain({ kind, name, metadata }: Descriptor) {
    return {
      maxAttempts: this.#maxAttempts,
      maxDelayMs: this.#maxDelayMs,
      repeats: isRepeatable(metadata) ? 'what is transient' : 'not-started',
      ...(this.#budget !== undefined && { retriesLeft: this.#budget.retriesLeft(kind, name) }),
    }
  }

  #mayRepeat(error: AnyToolError, ctx: ToolExecutionContext): boolean {
    return !isFinal(error) && isSafe(error, ctx) && !ctx.signal.aborted && this.#retryOn(error, ctx) === true
  }

  /**
   * In whole milliseconds, since a timer drops the rest; infinite where it would be too long. What everybody is told to wait
   * is spread by the backoff on top, so that they do not come back all at once.
   */
  #delayMs(error: AnyToolError, backoffMs: number): number {
    const askedMs = 'retryAfterMs' in error ? error.retryAfterMs : 0
    if (!(askedMs <= this.#maxDelayMs)) return Number.POSITIVE_INFINITY
    return Math.ceil(Math.min(askedMs + backoffMs, this.#maxDelayMs))
  }
}

function backoffWith(
  jitter: unknown,
  bounds: { readonly initialDelay: number; readonly maxDelay: number },
): IBackoffFactory<unknown> {
  if (jitter === 'full') return new ExponentialBackoff({ generator: fullJitterGenerator, ...bounds })
  if (jitter === 'decorrelated')
    return new ExponentialBackoff({ generator: decorrelatedJitterGenerator, ...bounds })
  throw new TypeError(`jitter must be 'decorrelated' or 'full' (got ${describe(jitter)})`)
}

/** The router holds every interceptor to the same rule. An error that comes after the work may not know of it. */
function isSafe(error: AnyToolError, { outcome, target }: ToolExecutionContext): boolean {
  if (error.outcome === 'not-started' && outcome === 'not-started') return true
  return target !== undefined && isRepeatable(target.metadata)
}

function remainingMs({ deadline }: ToolExecutionContext): number {
  return deadline - performance.timeOrigin - performance.now()
}
