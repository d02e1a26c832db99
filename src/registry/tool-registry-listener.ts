import { inspect } from 'node:util'
import { callForeign } from './foreign-code.js'
import type { ToolDefinition } from './tool-definition.js'

/** What changed since the last event, net: a tool that came and went again is not in it. Names, sorted. */
export interface ToolRegistryChange {
  readonly registered: readonly string[]
  readonly replaced: readonly string[]
  readonly removed: readonly string[]
}

/**
 * Hears of changes after they are made. The first three are called at once, for each change, in the order of the changes
 * (one that a listener makes comes after the one it was told of). `onChanged` is coalesced: one for a burst of changes.
 *
 * A listener that throws or rejects is reported; it hurts neither the change nor the other listeners.
 */
export interface ToolRegistryListener {
  onToolRegistered?(tool: ToolDefinition): void | Promise<void>
  onToolReplaced?(tool: ToolDefinition, previous: ToolDefinition): void | Promise<void>
  onToolRemoved?(tool: ToolDefinition): void | Promise<void>
  onChanged?(change: ToolRegistryChange): void | Promise<void>
}

type Delivery = (listener: ToolRegistryListener) => void | Promise<void>

/** The listeners of a registry, told of one change after the other. */
export class ToolRegistryListeners {
  readonly #added = new Set<{ readonly listener: ToolRegistryListener }>()
  readonly #queue: (() => void)[] = []
  readonly #onError: (error: unknown) => void
  #delivering = false

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Adding the same listener twice gives two registrations, each to be let go by itself. */
  add(listener: ToolRegistryListener): Disposable {
    const added = { listener }
    this.#added.add(added)
    return { [Symbol.dispose]: () => void this.#added.delete(added) }
  }

  /**
   * Tells those who listen now of changes that were made in one step. During a delivery they are queued, so that everyone
   * hears of all changes in the order they were made.
   */
  tell(deliveries: readonly Delivery[]): void {
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
        process.emitWarning('Reporting what a tool registry listener threw has failed', {
          detail: inspect(fault),
        }),
    )
  }
}
