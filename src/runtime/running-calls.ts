import { IdleWait, LONGEST_TIMER_MS } from '../registry/idle-wait.js'
import { type AnyToolError, ToolTimeoutError } from '../registry/tool-error.js'
import type { CallRun } from './call-run.js'

/**
 * The calls that wait for an answer, and their deadlines. One timer serves them all: it stands at the earliest deadline,
 * so a call that ends in time costs no timer of its own.
 */
export class RunningCalls {
  /** In no order: the last one takes the place of one that leaves. */
  readonly #running: CallRun[] = []
  readonly #idle = new IdleWait()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  add(call: CallRun): void {
    call.index = this.#running.length
    this.#running.push(call)
    if (call.limit.expiresAt < this.#timerAt) this.#arm(call.limit.expiresAt)
    // A process that waits for nothing but this call must live until it is answered.
    else if (this.#running.length === 1) this.#timer?.ref()
    call.limit.onResume = () => {
      if (!call.ended && call.limit.expiresAt < this.#timerAt) this.#arm(call.limit.expiresAt)
    }
  }

  delete(call: CallRun): void {
    const last = this.#running.pop() as CallRun
    if (last !== call) {
      last.index = call.index
      this.#running[last.index] = last
    }
    if (this.#running.length > 0) return
    this.#timer?.unref()
    this.#idle.wake()
  }

  /** Resolves to `true` when no call is running, to `false` after `boundMs`. */
  whenIdle(boundMs?: number): Promise<boolean> {
    return this.#idle.wait(() => this.#running.length === 0, boundMs)
  }

  /** Ends every call early. */
  abortAll(reason: (call: CallRun) => AnyToolError): void {
    for (const call of [...this.#running]) call.stop(reason(call))
  }

  #arm(at: number): void {
    clearTimeout(this.#timer)
    this.#timerAt = at
    const delayMs = Math.min(Math.max(0, at - performance.now()), LONGEST_TIMER_MS)
    this.#timer = setTimeout(() => this.#expire(), delayMs)
  }

  #expire(): void {
    this.#timer = undefined
    this.#timerAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const call of [...this.#running]) {
      if (call.interruptedBy !== undefined) continue
      // Timers may fire early by less than a millisecond.
      if (call.limit.expiresAt - now < 1) {
        const { toolName, outcome, target } = call
        call.interrupt(new ToolTimeoutError(toolName, call.limit.timeoutMs, { outcome, kind: target?.kind }))
      } else next = Math.min(next, call.limit.expiresAt)
    }
    if (next < Number.POSITIVE_INFINITY) this.#arm(next)
  }
}
