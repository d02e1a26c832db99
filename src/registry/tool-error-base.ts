import type { DefinitionKind } from './definition-kind.js'
import { errorCopy } from './error-copy.js'

/** Stands on every `ToolError`, of whichever copy of this package. */
export const TOOL_ERROR = Symbol.for('toolwire.ToolError')

/**
 * How far the work got when the call failed. `not-started`: nothing ran, repeating is safe. `completed`: the executor
 * ran to its end. `unknown`: it may or may not have acted (a time-out, a reset connection, an exception half-way).
 */
export type ToolOutcome = 'not-started' | 'completed' | 'unknown'

export interface ToolErrorOptions {
  /** What the message speaks of. Default `tool`. */
  readonly kind?: DefinitionKind | undefined
  readonly cause?: unknown
  readonly outcome?: ToolOutcome
  readonly retryable?: boolean
}

/** What every error of a call can do; extend `ToolError`, not this. */
export abstract class ToolErrorBase extends Error {
  abstract readonly code: string
  /**
   * Whether the same call may succeed later. In the result of a call also that it does no harm to repeat it: there it is
   * never true of what may have acted, unless that is idempotent.
   */
  readonly retryable: boolean
  readonly outcome: ToolOutcome

  constructor(message: string, { cause, outcome = 'not-started', retryable = false }: ToolErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = new.target.name
    this.retryable = retryable
    this.outcome = outcome
  }

  get [TOOL_ERROR](): true {
    return true
  }

  /**
   * The same error, unless it claims that nothing was started and that is not so: a hook that fails after the executor
   * has acted does not make it safe to repeat the call.
   */
  withOutcomeOf(work: ToolOutcome): this {
    if (this.outcome !== 'not-started' || work === 'not-started') return this
    return errorCopy(this, { outcome: work })
  }

  /** What may leave the process: the fields of the class and the message, neither stack nor cause. */
  toJSON(): Record<string, unknown> {
    const { name: _name, cause: _cause, stack: _stack, ...fields } = this
    return { ...fields, code: this.code, message: this.message }
  }
}
