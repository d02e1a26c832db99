import type { Descriptor } from '../registry/descriptor.js'
import { LONGEST_TIMER_MS } from '../registry/idle-wait.js'
import { OverloadedError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { Next, ToolInterceptor } from '../registry/tool-interceptor.js'
import { abortReason } from './abort-reason.js'
import { type ConcurrencyLimits, concurrencyLimits } from './concurrency/concurrency-limits.js'
import { PermitPool, type Release } from './concurrency/permit-pool.js'
import { definitionKey } from './definition-key.js'
import { InterceptorOrder } from './interceptor-order.js'
import { requireNumber } from './number-option.js'

export interface ConcurrencyLimitInterceptorOptions extends Partial<ConcurrencyLimits> {
  /**
   * What is different for some definitions: by name, or as a function says, which is asked again each time that nothing of
   * the definition runs or waits.
   *
   * @example { render_page: { perTool: 2, queue: 0 } }
   */
  readonly limits?:
    | Readonly<Record<string, Partial<ConcurrencyLimits>>>
    | ((target: Descriptor) => Partial<ConcurrencyLimits> | undefined)
  /** What a refused caller is told to wait. Default 1 000. */
  readonly retryAfterMs?: number
  /** Default `InterceptorOrder.concurrencyLimit`. */
  readonly order?: number
}

interface Guard {
  readonly pool: PermitPool
  readonly limits: ConcurrencyLimits
}

/**
 * Lets so many calls of each tool, resource and prompt run at the same time, and so many of them for one caller. What is
 * beyond waits its turn: callers take turns, so one caller's thousand calls do not keep another's one waiting. It fails
 * with `OVERLOADED`, and nothing was started, when the queue is full or `queueTimeoutMs` have passed; aborting the call and
 * its deadline end the waiting too. In a full queue the caller who has most waiting gives way.
 *
 * A permit is held until the work has settled, also when the call was answered before: what ignores its signal counts for
 * as long as it runs. A call that waits for the user in rounds (MCP 2026-07-28) holds none meanwhile.
 *
 * A tool that calls itself, directly or through others, holds one permit and wants another: with none left it waits for
 * itself, until the queue's limit or its deadline ends that.
 */
export class ConcurrencyLimitInterceptor implements ToolInterceptor {
  readonly order: number
  readonly #defaults: ConcurrencyLimits
  readonly #limits: ConcurrencyLimitInterceptorOptions['limits']
  readonly #retryAfterMs: number
  /** What runs or waits; what does neither has no entry. */
  readonly #guards = new Map<string, Guard>()

  constructor({
    limits,
    retryAfterMs = 1_000,
    order = InterceptorOrder.concurrencyLimit,
    ...own
  }: ConcurrencyLimitInterceptorOptions = {}) {
    requireNumber('retryAfterMs', retryAfterMs, { min: 0, max: LONGEST_TIMER_MS })
    this.#defaults = concurrencyLimits(own)
    if (typeof limits === 'object')
      for (const [name, changes] of Object.entries(limits))
        concurrencyLimits(changes, this.#defaults, `limits.${name}.`)
    this.#limits = limits
    this.#retryAfterMs = retryAfterMs
    this.order = order
  }

  async aroundExecute(ctx: ToolExecutionContext, next: Next): Promise<ToolExecutionResult> {
    const guard = this.#guardOf(ctx)
    const release = guard.pool.take(ctx.callerKey) ?? (await this.#wait(guard, ctx))
    try {
      return await next()
    } finally {
      ctx.whenWorkSettles(release)
    }
  }

  explain(target: Descriptor) {
    const pool = this.#guards.get(definitionKey(target.kind, target.name))?.pool
    return { ...this.#limitsOf(target), running: pool?.running ?? 0, waiting: pool?.waiting ?? 0 }
  }

  #wait({ pool, limits }: Guard, ctx: ToolExecutionContext): Promise<Release> {
    const { signal, toolName, target } = ctx
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(ctx))
      const refuse = () => reject(new OverloadedError(toolName, this.#retryAfterMs, { kind: target?.kind }))
      const stop = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
      }
      const leave = pool.wait(ctx.callerKey, {
        granted(release) {
          stop()
          resolve(release)
        },
        displaced() {
          stop()
          refuse()
        },
      })
      if (leave === undefined) return refuse()
      const abort = () => {
        stop()
        leave()
        reject(abortReason(ctx))
      }
      const timer = setTimeout(() => {
        stop()
        leave()
        refuse()
      }, limits.queueTimeoutMs)
      signal.addEventListener('abort', abort, { once: true })
    })
  }

  #guardOf({ kind, toolName, target }: ToolExecutionContext): Guard {
    const key = definitionKey(kind, toolName)
    const known = this.#guards.get(key)
    if (known !== undefined) return known
    const limits = this.#limitsOf(target)
    const { perTool: total, perCaller, queue: waiting } = limits
    const pool = new PermitPool({ total, perCaller, waiting }, () => this.#guards.delete(key))
    const guard = { pool, limits }
    this.#guards.set(key, guard)
    return guard
  }

  #limitsOf(target: Descriptor | undefined): ConcurrencyLimits {
    if (target === undefined || this.#limits === undefined) return this.#defaults
    const limits = this.#limits
    const { name } = target
    const own =
      typeof limits === 'function' ? limits(target) : Object.hasOwn(limits, name) ? limits[name] : {}
    return concurrencyLimits(own, this.#defaults, `limits of ${name}: `)
  }
}
