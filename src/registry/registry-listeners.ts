import { inspect } from 'node:util'
import { callForeign } from './foreign-code.js'

/** What changed since the last event, net: what came and went again is not in it. Keys, sorted. */
export interface RegistryChange {
  readonly registered: readonly string[]
  readonly replaced: readonly string[]
  readonly removed: readonly string[]
}

/** What listeners of every registry have: the coalesced event, one for a burst of changes. */
export interface ChangeListener {
  onChanged?(change: RegistryChange): void | Promise<void>
}

type Delivery<Listener> = (listener: Listener) => void | Promise<void>

/**
 * The listeners of a registry, told of one change after the other. One that throws or rejects is reported; it hurts
 * neither the change nor the other listeners.
 */
export class RegistryListeners<Listener> {
  readonly #added = new Set<{ readonly listener: Listener }>()
  readonly #queue: (() => void)[] = []
  readonly #onError: (error: unknown) => void
  #delivering = false

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Adding the same listener twice gives two registrations, each to be let go by itself. */
  add(listener: Listener): Disposable {
    const added = { listener }
    this.#added.add(added)
    return { [Symbol.dispose]: () => void this.#added.delete(added) }
  }

  /**
   * Tells those who listen now of changes that were made in one step. During a delivery they are queued, so that everyone
   * hears of all changes in the order they were made.
   */
  tell(deliveries: readonly Delivery<Listener>[]): void {
    for (const deliver of deliveries) {
      for (const added of this.#added) {
        this.#queue.push(() => {
          if (!this.#added.has(added)) return
          callForeign(
            () => deliver(added.listener),
            (error) => this.#report(error),
          )
        })
      }
    }
    if (this.#delivering) return
    this.#delivering = true
    // The queue grows while it is worked through.
    for (let i = 0; i < this.#queue.length; i++) this.#queue[i]?.()
    this.#queue.length = 0
    this.#delivering = false
  }

  /** A reporter that throws is a fault too, and hurts the others as little as a listener may. */
  #report(error: unknown): void {
    callForeign(
      () => this.#onError(error),
      (fault) =>
        process.emitWarning('Reporting what a registry listener threw has failed', {
          detail: inspect(fault),
        }),
    )
  }
}
