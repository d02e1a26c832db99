import { LONGEST_TIMER_MS } from '../registry/idle-wait.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'

/** How often to look whether the user has answered. */
const LOOK_MS = 250

/**
 * Measures the time of one attempt, which stands still whenever the deadline of its call does. How long that was shows when
 * it goes on: the deadline is so much later.
 */
export class AttemptClock {
  readonly #ctx: ToolExecutionContext
  readonly #timeoutMs: number
  readonly #onTimeout: () => void
  #startedAt = performance.now()
  #deadline: number
  #timer: NodeJS.Timeout

  constructor(ctx: ToolExecutionContext, timeoutMs: number, onTimeout: () => void) {
    this.#ctx = ctx
    this.#timeoutMs = timeoutMs
    this.#onTimeout = onTimeout
    this.#deadline = ctx.deadline
    this.#timer = this.#lookIn(timeoutMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    const leftMs = this.#leftMs()
    // Timers may fire early by less than a millisecond.
    if (leftMs < 1) this.#onTimeout()
    else this.#timer = this.#lookIn(leftMs)
  }

  /** While the deadline stands still, the time until it is worth looking again. */
  #leftMs(): number {
    const { deadline } = this.#ctx
    if (deadline === Number.POSITIVE_INFINITY) return LOOK_MS
    if (this.#deadline === Number.POSITIVE_INFINITY) {
      // It stood still from the start.
      this.#deadline = deadline
      this.#startedAt = performance.now()
    }
    const workedMs = performance.now() - this.#startedAt - (deadline - this.#deadline)
    return this.#timeoutMs - workedMs
  }

  #lookIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), Math.min(ms, LONGEST_TIMER_MS))
  }
}
