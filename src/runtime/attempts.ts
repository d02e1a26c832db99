import type { ToolOutcome } from '../registry/tool-error.js'

/**
 * The times that one call has started its executor, and what is known of the work: of the
 * last one, if there were several.
 */
export class Attempts {
  outcome: ToolOutcome = 'not-started'
  #last = 0
  #isRunning = false

  /** From now on the executor may have acted. */
  start(): number {
    this.outcome = 'unknown'
    this.#isRunning = true
    return ++this.#last
  }

  /** An attempt that a later one has replaced has no say any more. */
  settle(attempt: number, outcome: ToolOutcome): void {
    if (attempt !== this.#last) return
    this.outcome = outcome
    this.#isRunning = false
  }

  get isRunning(): boolean {
    return this.#isRunning
  }
}
