import type { AnyToolError, ToolOutcome } from '../registry/tool-error.js'

/** The times that one call has started its executor, and what is known of the work. */
export class Attempts {
  #own: ToolOutcome = 'not-started'
  /** Other tools that were called, and may have acted. */
  #others = 0
  #last = 0
  #isRunning = false
  /** What was known before the last one. */
  #before: ToolOutcome = 'not-started'
  #ofOthers: WeakSet<AnyToolError> | undefined

  /** What another tool does for the call, in place of the executor too, the call has done. */
  get outcome(): ToolOutcome {
    return this.#own === 'not-started' && this.#others > 0 ? 'unknown' : this.#own
  }

  /** From now on another tool may have acted for the call; until what is returned hears that it has not. */
  startOther(): (outcome: ToolOutcome) => void {
    this.#others++
    return (outcome) => {
      if (outcome === 'not-started') this.#others--
    }
  }

  /** From now on the executor may have acted. */
  start(): number {
    this.#before = this.#own
    this.#own = 'unknown'
    this.#isRunning = true
    return ++this.#last
  }

  /** An attempt that a later one has replaced has no say any more; one that did nothing does not undo an earlier one. */
  settle(attempt: number, outcome: ToolOutcome): void {
    if (attempt !== this.#last) return
    this.#own = outcome === 'not-started' ? this.#before : outcome
    this.#isRunning = false
  }

  /** The error is that of another call, which the executor has made. */
  noteOther(error: AnyToolError): void {
    this.#ofOthers ??= new WeakSet()
    this.#ofOthers.add(error)
  }

  /** What another call says of its work, it does not say of this one, which has come so far as to make it. */
  asOwn(error: AnyToolError): AnyToolError {
    return this.#ofOthers?.has(error) ? error.withOutcomeOf('unknown') : error
  }

  get isRunning(): boolean {
    return this.#isRunning
  }
}
