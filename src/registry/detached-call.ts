import type { CallSuspension } from './call-suspension.js'
import type { AnyToolError, ToolOutcome } from './tool-error.js'
import type { ToolExecutionResult } from './tool-execution-result.js'

export interface DetachOptions {
  /** What comes of the work after it was aborted, or its deadline has passed, is its result all the same. Default `false`. */
  readonly takesLateResult?: boolean
}

/** Work that has left the call that began it, and may serve several; see `ToolExecutionContext.detach`. */
export interface DetachedCall {
  /**
   * A checked success, or rejects with a `ToolError`, or with a `CallSuspension` where it waits for an answer. Nobody needs
   * to look.
   */
  readonly result: Promise<ToolExecutionResult>
  /** What is known of the work. */
  readonly outcome: ToolOutcome
  /**
   * Aborts its signal; nothing more of it is started. `result` rejects with the reason, or, where a late result is taken, is
   * what still comes of the work.
   */
  abort(reason: AnyToolError | CallSuspension): void
  /** Calls `then` once nothing that the executor has started so far is running any more; now if nothing is. */
  whenWorkSettles(then: () => void): void
}
