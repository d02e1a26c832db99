import type { Descriptor } from '../registry/descriptor.js'
import { describe } from '../registry/json-value.js'
import { ToolTimeoutError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { Next, ToolInterceptor } from '../registry/tool-interceptor.js'
import { AttemptClock } from './attempt-clock.js'
import { InterceptorOrder } from './interceptor-order.js'

export interface AttemptTimeoutInterceptorOptions {
  /** Of one attempt, in milliseconds, or how to tell it for a call; `Infinity` sets no limit. */
  readonly timeoutMs: number | ((ctx: ToolExecutionContext) => number)
  /** Default `InterceptorOrder.attemptTimeout`. */
  readonly order?: number
}

/**
 * Bounds each attempt inside the deadline of the call, so that a retry has time left. An attempt that takes longer fails
 * with `TIMEOUT`, and its `ctx.signal` aborts with that error; the call goes on. What it gives later
 * is dropped, and whoever holds something for it holds it until it has settled (`ctx.whenWorkSettles`).
 *
 * As the deadline does, the limit stands still while the user is asked. It may then last a quarter of a second longer.
 */
export class AttemptTimeoutInterceptor implements ToolInterceptor {
  readonly order: number
  readonly #timeoutMs: AttemptTimeoutInterceptorOptions['timeoutMs']

  constructor({ timeoutMs, order = InterceptorOrder.attemptTimeout }: AttemptTimeoutInterceptorOptions) {
    if (typeof timeoutMs !== 'function') requireLimit(timeoutMs)
    this.#timeoutMs = timeoutMs
    this.order = order
  }

  async aroundExecute(ctx: ToolExecutionContext, next: Next): Promise<ToolExecutionResult> {
    const timeoutMs = typeof this.#timeoutMs === 'function' ? this.#timeoutMs(ctx) : this.#timeoutMs
    requireLimit(timeoutMs)
    if (timeoutMs === Number.POSITIVE_INFINITY) return next()
    const outer = ctx.signal
    const attempt = new AbortController()
    const follow = () => attempt.abort(outer.reason)
    outer.addEventListener('abort', follow, { once: true })
    if (outer.aborted) follow()
    let clock: AttemptClock | undefined
    const timedOut = new Promise<never>((_, reject) => {
      clock = new AttemptClock(ctx, timeoutMs, () => {
        const error = new ToolTimeoutError(
          ctx.toolName,
          timeoutMs,
          {
            outcome: ctx.outcome,
            kind: ctx.target?.kind,
          },
          'finish an attempt',
        )
        // First of all: work that is aborted may settle at once.
        reject(error)
        attempt.abort(error)
      })
    })
    try {
      return await Promise.race([next(ctx.with({ signal: attempt.signal })), timedOut])
    } finally {
      clock?.stop()
      outer.removeEventListener('abort', follow)
    }
  }

  explain(_target: Descriptor) {
    return { timeoutMs: typeof this.#timeoutMs === 'function' ? 'by call' : this.#timeoutMs }
  }
}

function requireLimit(timeoutMs: unknown): void {
  if (typeof timeoutMs === 'number' && timeoutMs > 0) return
  throw new RangeError(
    `timeoutMs of an attempt must be a positive number of milliseconds (got ${describe(timeoutMs)})`,
  )
}
