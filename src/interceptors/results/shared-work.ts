import { CallSuspension } from '../../registry/call-suspension.js'
import type { DetachedCall } from '../../registry/detached-call.js'
import { type AnyToolError, ToolError, type ToolOutcome } from '../../registry/tool-error.js'
import type { ToolExecutionContext } from '../../registry/tool-execution-context.js'
import type { ToolSuccess } from '../../registry/tool-execution-result.js'
import { abortReason } from '../abort-reason.js'
import { SharedPromise } from './shared-promise.js'
import { restoredResult, type StoredResult } from './stored-result.js'

/** What comes of shared work. */
export interface SharedAnswer {
  /** For the call that began the work: as the executor made it. */
  readonly own: ToolSuccess
  /** For all others: a frozen copy of what is plain JSON; what is more than that, such as a Date, they share. */
  readonly others: ToolSuccess
}

/** `stored` is the same success as JSON, if it is no more than that. */
export function sharedAnswer(result: ToolSuccess, stored: StoredResult | undefined): SharedAnswer {
  const { toolName, durationMs } = result
  const others = stored === undefined ? result : restoredResult(stored, { toolName, durationMs })
  return { own: result, others }
}

export interface SharedWorkParts {
  /** The context of the call that began the work. */
  readonly starter: ToolExecutionContext
  readonly work: DetachedCall
  /** What is made of the result of the work; a failure is that of the work. */
  readonly answer: Promise<SharedAnswer>
  /** It goes on when nobody waits for it. Default `false`: it is aborted with the reason of the last one that left. */
  readonly endures?: boolean
}

/** Work that is done once for all calls that want the same at the same time. */
export class SharedWork {
  readonly #starter: ToolExecutionContext
  readonly #work: DetachedCall
  readonly #answer: SharedPromise<SharedAnswer>
  readonly #endures: boolean
  #isLeft = false

  constructor({ starter, work, answer, endures = false }: SharedWorkParts) {
    this.#starter = starter
    this.#work = work
    this.#answer = new SharedPromise(answer)
    this.#endures = endures
  }

  /** It still can be joined: it runs and somebody wants it, or it has succeeded. */
  get isOpen(): boolean {
    return !this.#isLeft && this.#answer.state !== 'rejected'
  }

  /**
   * Waits for the answer until the call itself is over. `undefined` where the work waits for an answer that the call which
   * began it has to bring: that one rejects with the `CallSuspension`.
   */
  async join(ctx: ToolExecutionContext): Promise<ToolSuccess | undefined> {
    const isStarter = ctx.isOfSameCall(this.#starter)
    try {
      const { own, others } = await this.#answer.wait(ctx.signal)
      return isStarter ? own : others
    } catch (thrown) {
      if (ctx.signal.aborted) throw this.#leave(ctx)
      if (!CallSuspension.is(thrown)) throw ToolError.from(thrown).withOutcomeOf(this.#work.outcome)
      if (isStarter) throw thrown
      return undefined
    }
  }

  #leave(ctx: ToolExecutionContext): AnyToolError | CallSuspension {
    const reason = leavingReason(ctx, this.#work.outcome)
    // What waits for an answer comes to an end, whoever else may hope for it.
    if (CallSuspension.is(reason)) this.#isLeft = true
    if (this.#endures || this.#answer.waiting > 0 || this.#answer.state !== 'pending') return reason
    this.#isLeft = true
    this.#work.abort(reason)
    return reason
  }
}

/** Why the call does not wait any longer, with what is known of the work that it waited for. */
export function leavingReason(
  ctx: ToolExecutionContext,
  outcome: ToolOutcome,
): AnyToolError | CallSuspension {
  const reason = abortReason(ctx)
  return CallSuspension.is(reason) ? reason : reason.withOutcomeOf(outcome)
}
