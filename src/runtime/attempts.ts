import type { ToolOutcome } from '../registry/tool-error.js'

/** The times that one call has started its executor, and what is known of the work. */
export class Attempts {
  outcome: ToolOutcome = 'not-started'
  #last = 0
  #isRunning = false
  /** What was known before the last one. */
  #before: ToolOutcome = 'not-started'

  /** From now on the executor may have acted. */
  start(): number {
    this.#before = this.outcome
    this.outcome = 'unknown'
    this.#isRunning = true
    return ++this.#last
  }

  /** An attempt that a later one has replaced has no say any more; one that did nothing does not undo an earlier one. */
  settle(attempt: number, outcome: ToolOutcome): void {
    if (attempt !== this.#last) return
    this.outcome = outcome === 'not-started' ? this.#before : outcome
    this.#isRunning = false
  }

  get isRunning(): boolean {
    return this.#isRunning
  }
}
