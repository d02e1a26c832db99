import { type AnyToolError, ToolTimeoutError } from '../registry/tool-error.js'
import type { Call } from './call.js'

/** How long an aborted call may take to unwind (hooks that clean up, audit) before it is answered anyway. */
const UNWIND_MS = 1_000
const MAX_TIMER_MS = 2 ** 31 - 1

/** A call that waits for its answer. */
interface Running {
  readonly call: Call
  /** Answers it although its chain has not come to an end. */
  readonly abandon: (reason: AnyToolError) => void
  /** Where it stands in the list. */
  index: number
  /** Runs once the call was aborted. */
  unwinding?: NodeJS.Timeout
}

/**
 * The calls that wait for an answer, and their deadlines. One timer serves them all: it stands at the earliest deadline,
 * so a call that ends in time costs no timer of its own.
 */
export class RunningCalls {
  /** In no order: the last one takes the place of one that leaves. */
  readonly #running: Running[] = []
  readonly #idle = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  /** Waits for the call's answer until the returned function is called. */
  add(call: Call, abandon: Running['abandon']): () => void {
    const running: Running = { call, abandon, index: this.#running.length }
    this.#running.push(running)
    call.onAbort = (reason) => {
      running.unwinding = setTimeout(() => abandon(reason), UNWIND_MS)
    }
    if (call.expiresAt < this.#timerAt) this.#arm(call.expiresAt)
    // A process that waits for nothing but this call must live until it is answered.
    else if (this.#running.length === 1) this.#timer?.ref()
    return () => this.#delete(running)
  }

  #delete(running: Running): void {
    clearTimeout(running.unwinding)
    const last = this.#running.pop() as Running
    if (last !== running) {
      last.index = running.index
      this.#running[last.index] = last
    }
    if (this.#running.length > 0) return
    this.#timer?.unref()
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
    for (const { call } of [...this.#running]) call.abort(reason(call))
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
    for (const { call } of [...this.#running]) {
      if (call.abortedBy !== undefined) continue
      // Timers may fire early by less than a millisecond.
      if (call.expiresAt - now < 1) {
        call.abort(new ToolTimeoutError(call.toolName, call.timeoutMs, { outcome: call.outcome }))
      } else next = Math.min(next, call.expiresAt)
    }
    if (next < Number.POSITIVE_INFINITY) this.#arm(next)
  }
}
