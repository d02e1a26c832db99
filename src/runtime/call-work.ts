import type { CallSuspension } from '../registry/call-suspension.js'
import type { AnyToolError } from '../registry/tool-error.js'

/** Why work is not waited for any longer. */
export type Interruption = AnyToolError | CallSuspension

/** What the executor of one call has started and what may still be running when the call has its answer. */
export class CallWork {
  #running = 0
  /** What was started last. Most calls start one thing: there is no list until a second one runs beside it. */
  #last: Promise<unknown> | undefined
  #earlier: Promise<unknown>[] | undefined
  /** Work that has left the call. */
  #elsewhere: Set<Promise<unknown>> | undefined
  #interrupt: ((reason: Interruption) => void) | undefined

  get isRunning(): boolean {
    return this.#running > 0
  }

  /** Calls `then` once nothing that runs now is running any more, wherever it does. `then` must not throw. */
  whenSettled(then: () => void): void {
    const here = this.isRunning ? [this.#last, ...(this.#earlier ?? [])] : []
    const running = [...here, ...(this.#elsewhere ?? [])]
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
   * Settles as `work`, a real promise, does, by way of `completed` and `failed`, or rejects when it is interrupted,
   * whichever comes first. With `endCall`, an interruption goes there instead, and the promise may never settle: that saves
   * another one.
   */
  race<T, R>(
    work: Promise<T>,
    completed: (value: T) => R,
    failed: (thrown: unknown) => Interruption,
    endCall: ((reason: Interruption) => void) | undefined,
  ): Promise<R> {
    if (this.isRunning) this.#earlier = [...(this.#earlier ?? []), this.#last as Promise<unknown>]
    this.#last = work
    this.#running++
    const settled = work.then(
      (value) => {
        this.#running--
        try {
          return completed(value)
        } catch (thrown) {
          throw failed(thrown)
        }
      },
      (thrown: unknown) => {
        this.#running--
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
