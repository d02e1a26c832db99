import type { CallSuspension } from '../registry/call-suspension.js'
import type { AnyToolError } from '../registry/tool-error.js'

/** Why work is not waited for any longer. */
export type Interruption = AnyToolError | CallSuspension

/** What the executor of one call has started and what may still be running when the call has its answer. */
export class CallWork {
  readonly #running = new Set<Promise<unknown>>()
  /** Work that has left the call. */
  #elsewhere: Set<Promise<unknown>> | undefined
  #interrupt: ((reason: Interruption) => void) | undefined

  get isRunning(): boolean {
    return this.#running.size > 0
  }

  /** Calls `then` once nothing that runs now is running any more, wherever it does. `then` must not throw. */
  whenSettled(then: () => void): void {
    const running = [...this.#running, ...(this.#elsewhere ?? [])]
    if (running.length === 0) then()
    else void Promise.allSettled(running).then(then)
  }

  /** The work of this call runs elsewhere too. */
  note(running: Promise<unknown>): void {
    this.#elsewhere ??= new Set()
    const elsewhere = this.#elsewhere.add(running)
    const forget = () => elsewhere.delete(running)
    running.then(forget, forget)
  }

  /** Whoever waits for the work hears `reason` instead. */
  interrupt(reason: Interruption): void {
    this.#interrupt?.(reason)
  }

  /**
   * Settles as `work` does, by way of `completed` and `failed`, or rejects when it is interrupted, whichever comes first.
   * `work` must be a promise's own. With `endCall`, an interruption goes there instead, and the promise may never settle: that saves another one.
   */
  race<T, R>(
    work: Promise<T>,
    completed: (value: T) => R,
    failed: (thrown: unknown) => Interruption,
    endCall: ((reason: Interruption) => void) | undefined,
  ): Promise<R> {
    this.#running.add(work)
    const settled = work.then(
      (value) => {
        this.#running.delete(work)
        try {
          return completed(value)
        } catch (thrown) {
          throw failed(thrown)
        }
      },
      (thrown: unknown) => {
        this.#running.delete(work)
        throw failed(thrown)
      },
    )
    if (endCall !== undefined) {
      this.#interrupt = (reason) => endCall(failed(reason))
      return settled
    }
    return new Promise<R>((resolve, reject) => {
      settled.then(resolve, reject)
      this.#interrupt = (reason) => reject(failed(reason))
    })
  }
}
