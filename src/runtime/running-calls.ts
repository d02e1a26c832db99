import { type AnyToolError, ToolTimeoutError } from '../registry/tool-error.js'
import type { Call } from './call.js'

const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * The calls that wait for an answer, and their deadlines. One timer serves them all: it stands at the earliest deadline,
 * so a call that ends in time costs no timer of its own.
 */
export class RunningCalls {
  /** In no order: the last one takes the place of one that leaves. */
  readonly #running: Call[] = []
  readonly #idle = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  add(call: Call): void {
    call.index = this.#running.length
    this.#running.push(call)
    if (call.expiresAt < this.#timerAt) this.#arm(call.expiresAt)
    // A process that waits for nothing but this call must live until it is answered.
    else if (this.#running.length === 1) this.#timer?.ref()
  }

  delete(call: Call): void {
    const last = this.#running.pop() as Call
    if (last !== call) {
      last.index = call.index
      this.#running[last.index] = last
    }
    if (this.#running.length > 0) return
    this.#timer?.unref()
    if (this.#idle.size === 0) return
    for (const wake of this.#idle) wake()
    this.#idle.clear()
  }

  /** Resolves to `true` when no call is running, to `false` after `boundMs`. */
  whenIdle(boundMs = MAX_TIMER_MS): Promise<boolean> {
    if (this.#running.length === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.#idle.delete(wake)
        resolve(false)
      }, boundMs)
      this.#idle.add(wake)
    })
  }

  /** Ends every call early. */
  abortAll(reason: (call: Call) => AnyToolError): void {
    for (const call of [...this.#running]) call.abort(reason(call))
  }

  #arm(at: number): void {
    clearTimeout(this.#timer)
    this.#timerAt = at
    const delayMs = Math.min(Math.max(0, at - performance.now()), MAX_TIMER_MS)
    this.#timer = setTimeout(() => this.#expire(), delayMs)
  }

  #expire(): void {
    this.#timer = undefined
    this.#timerAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const call of [...this.#running]) {
      if (call.abortedBy !== undefined) continue
      // Timers may fire early by less than a millisecond.
      if (call.expiresAt - now < 1) {
        call.abort(new ToolTimeoutError(call.toolName, call.timeoutMs, { outcome: call.outcome }))
      } else next = Math.min(next, call.expiresAt)
    }
    if (next < Number.POSITIVE_INFINITY) this.#arm(next)
  }
}
