import type { CallSuspension } from '../registry/call-suspension.js'
import type { AnyToolError } from '../registry/tool-error.js'

/** Why work is not waited for any longer. */
export type Interruption = AnyToolError | CallSuspension

/** What the executor of one call has started and what may still be running when the call has its answer. */
export class CallWork {
  #running = 0
  #onSettled: (() => void) | undefined
  #interrupt: ((reason: Interruption) => void) | undefined

  get isRunning(): boolean {
    return this.#running > 0
  }

  /** Calls `then` once nothing is running any more. */
  whenSettled(then: () => void): void {
    this.#onSettled = then
  }

  /** Whoever waits for the work hears `reason` instead. */
  interrupt(reason: Interruption): void {
    this.#interrupt?.(reason)
  }

  /**
   * Settles as `work` does, by way of `completed` and `failed`, or rejects when it is interrupted, whichever comes first.
   * With `endCall`, an interruption goes there instead, and the promise may never settle: that saves another one.
   */
  race<T, R>(
    work: Promise<T>,
    completed: (value: T) => R,
    failed: (thrown: unknown) => Interruption,
    endCall: ((reason: Interruption) => void) | undefined,
  ): Promise<R> {
    this.#running++
    const settled = Promise.resolve(work).then(
      (value) => {
        this.#settle()
        try {
          return completed(value)
        } catch (thrown) {
          throw failed(thrown)
        }
      },
      (thrown: unknown) => {
        this.#settle()
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

  #settle(): void {
    if (--this.#running === 0) this.#onSettled?.()
  }
}
