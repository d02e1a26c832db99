import { CallSuspension } from '../../registry/call-suspension.js'
import { ALTERNATIVE_STEP } from '../../registry/callable-definition.js'
import type { DetachedCall } from '../../registry/detached-call.js'
import {
  type AnyToolError,
  ToolError,
  ToolExecutionError,
  type ToolOutcome,
} from '../../registry/tool-error.js'
import type { ToolSuccess } from '../../registry/tool-execution-result.js'
import { SharedPromise } from '../results/shared-promise.js'
import { type SharedAnswer, SharedWork, sharedAnswer } from '../results/shared-work.js'
import { storedError } from '../results/stored-error.js'
import { storedAsSent, storedResult } from '../results/stored-result.js'
import type { IdempotencyClaim, IdempotencyState } from './idempotency-records.js'
import type { KeyedCall } from './keyed-call.js'

export interface IdempotentUseParts extends KeyedCall {
  readonly claim: IdempotencyClaim
  /** How long a question may be open, in milliseconds. */
  readonly waitingMs: number
  /** Hears of a record that could not be kept; must not throw. */
  readonly onLostRecord: (error: unknown) => void
  /** The key is no longer held; must not throw. */
  readonly onEnd: () => void
}

/** A key that runs in this process, from the moment that it is claimed until its record says what has become of it. */
export class IdempotentUse {
  readonly args: string
  readonly work: SharedWork
  /** The record is written, and the key no longer held. */
  readonly ended: SharedPromise<void>
  readonly #parts: IdempotentUseParts
  readonly #detached: DetachedCall

  constructor(parts: IdempotentUseParts) {
    const { ctx, next, args } = parts
    this.#parts = parts
    this.args = args
    this.#detached = ctx.detach(next, { takesLateResult: true })
    const answer = this.#answer()
    this.work = new SharedWork({ starter: ctx, work: this.#detached, answer })
    this.ended = new SharedPromise(this.#end(answer))
  }

  /** What is known of the work. */
  get outcome(): ToolOutcome {
    return this.#detached.outcome
  }

  /** With what earlier rounds have done, of which the attempts of this one know nothing. */
  get #outcome(): ToolOutcome {
    return this.outcome === 'not-started' && this.#hasActedBefore ? 'unknown' : this.outcome
  }

  get #hasActedBefore(): boolean {
    const { before } = this.#parts.claim
    return before?.state === 'waiting' && before.hasActed
  }

  /** Kept before anybody hears of it: whoever repeats the call because the process died gets the same. */
  async #answer(): Promise<SharedAnswer> {
    const result = await this.#detached.result
    if (!result.ok) throw result.error
    await this.#keep(this.#stateAfter(result))
    return sharedAnswer(result, storedResult(result))
  }

  /** Holds the key until nothing that was started runs any more, whoever has given up waiting for it. */
  async #end(answer: Promise<SharedAnswer>): Promise<void> {
    try {
      await answer
    } catch (thrown) {
      await new Promise<void>((resolve) => this.#detached.whenWorkSettles(resolve))
      if (CallSuspension.is(thrown)) await this.#keepWaiting(thrown)
      else await this.#keep(this.#stateAfterFailure(ToolError.from(thrown)))
    }
    await this.#parts.claim.release()
    this.#parts.onEnd()
  }

  #stateAfter(result: ToolSuccess): IdempotencyState | undefined {
    const stored = result.degraded ? undefined : storedAsSent(result)
    if (stored !== undefined) return { state: 'done', result: stored }
    // A stand-in, or what cannot be kept, is not the answer of the call: better the tool's own, if it can still be had.
    if (this.#parts.mayRunAgain || (result.degraded && this.#outcome === 'not-started')) return undefined
    return lostAnswer(this.#outcome)
  }

  #stateAfterFailure(error: AnyToolError): IdempotencyState | undefined {
    const outcome = lateOutcome(error.outcome, this.#outcome)
    if (outcome === 'not-started' || this.#parts.mayRunAgain) return undefined
    // How the other call ended says nothing to the one that repeats it.
    if (error.code === 'ABORTED' || error.code === 'SHUTTING_DOWN') return lostAnswer(outcome)
    return { state: 'failed', error: { ...storedError(error), outcome, retryable: false } }
  }

  async #keepWaiting({ traceId, steps }: CallSuspension): Promise<void> {
    const { mayRunAgain, waitingMs } = this.#parts
    const hasActed =
      this.#hasActedBefore || Object.keys(steps).some((step) => !step.startsWith(ALTERNATIVE_STEP))
    // Steps that only the next round knows of would be taken twice by a call that begins anew.
    const ttlMs = hasActed && !mayRunAgain ? undefined : waitingMs
    await this.#keep({ state: 'waiting', traceId, hasActed }, ttlMs)
  }

  async #keep(state: IdempotencyState | undefined, ttlMs?: number): Promise<void> {
    const { claim, onLostRecord } = this.#parts
    try {
      await claim.end(state, ttlMs)
    } catch (thrown) {
      // The record says `running` as before: whoever comes next finds nobody who does.
      onLostRecord(thrown)
    }
  }
}

/** There was a call, and nobody can say any more how it ended. */
export function lostAnswer(outcome: ToolOutcome): Extract<IdempotencyState, { state: 'failed' }> {
  const fate =
    outcome === 'completed'
      ? 'has run to its end, but its answer is lost'
      : 'ended without an answer, and may have acted'
  const message = `An earlier call with this idempotency key ${fate}: it is not run again`
  return { state: 'failed', error: storedError(new ToolExecutionError(message, { outcome })) }
}

/** What the work has come to since it was given up. */
function lateOutcome(failed: ToolOutcome, work: ToolOutcome): ToolOutcome {
  return failed === 'not-started' || work === 'completed' ? work : failed
}
