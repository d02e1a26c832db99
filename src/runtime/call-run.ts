import { CallSuspension } from '../registry/call-suspension.js'
import type { RegisteredDefinition } from '../registry/registered-definition.js'
import {
  type AnyToolError,
  ToolAbortedError,
  ToolError,
  type ToolOutcome,
  ToolTimeoutError,
} from '../registry/tool-error.js'
import type { ToolCall } from '../registry/tool-execution-context.js'
import type { ToolSuccess } from '../registry/tool-execution-result.js'
import { isRepeatable } from '../registry/tool-metadata.js'
import type { Attempts } from './attempts.js'
import { CallWork, type Interruption } from './call-work.js'
import { Deadline } from './deadline.js'

/** How long what is aborted may take to unwind (hooks that clean up, audit) before it is answered anyway. */
const UNWIND_MS = 1_000

/** How a run ends, or why it waits. */
export type RunOutcome = ToolSuccess | Interruption

/**
 * What runs until it has an outcome, its deadline passes or it is interrupted: a call, or the work that has left one. A
 * base class, so that a call, of which there are many, is one object.
 */
export abstract class CallRun {
  abstract readonly callId: string | number
  abstract readonly traceId: string
  abstract readonly callerKey: string
  abstract readonly principal: ToolCall['principal']
  abstract readonly attempts: Attempts
  /** What it has left. */
  abstract readonly parent: CallRun | undefined
  readonly kind: ToolCall['kind']
  readonly toolName: string
  readonly target: ToolCall['target']
  readonly uri: string | undefined
  readonly limit: Deadline
  /** The definition that it keeps from being let go. */
  lease: RegisteredDefinition | undefined
  /** Where it stands among those that run. */
  index = 0
  /** Interceptors stand around the executor. */
  hasChain = true
  /** Why it was ended early: aborted, or suspended until there is an answer. */
  interruptedBy: Interruption | undefined
  /** No answer is awaited any more. */
  ended = false
  #onEnd: ((outcome: RunOutcome) => void) | undefined
  #unwinding: NodeJS.Timeout | undefined
  #controller: AbortController | undefined
  #work: CallWork | undefined
  /** How far work got that another run began, and this one has waited for. */
  #learned: ToolOutcome = 'not-started'

  constructor(
    { kind, toolName, target, uri }: Pick<ToolCall, 'kind' | 'toolName' | 'target' | 'uri'>,
    timeoutMs: number,
  ) {
    this.kind = kind
    this.toolName = toolName
    this.target = target
    this.uri = uri
    this.limit = new Deadline(timeoutMs)
  }

  /** What is known of the work. */
  get outcome(): ToolOutcome {
    return this.attempts.outcome
  }
  get deadline(): number {
    return performance.timeOrigin + this.limit.expiresAt
  }
  get suspension(): CallSuspension | undefined {
    return CallSuspension.is(this.interruptedBy) ? this.interruptedBy : undefined
  }
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.interruptedBy !== undefined) this.#controller.abort(this.interruptedBy)
    }
    return this.#controller.signal
  }

  /** It is on its way. `onEnd` hears once how it ended. */
  begin(onEnd: (outcome: RunOutcome) => void): void {
    this.#onEnd = onEnd
    const { timeoutMs } = this.limit
    if (timeoutMs <= 0)
      this.interrupt(new ToolTimeoutError(this.toolName, timeoutMs, { kind: this.target?.kind }))
  }

  /** It has its outcome; only the first one counts. */
  end(outcome: RunOutcome): void {
    if (this.ended) return
    this.ended = true
    if (this.#unwinding !== undefined) clearTimeout(this.#unwinding)
    this.letGo()
    this.#onEnd?.(outcome)
  }

  /** What was thrown is its outcome. */
  endFailed(thrown: unknown): void {
    this.end(CallSuspension.is(thrown) ? thrown : ToolError.from(thrown))
  }

  /** Releases what only one that has not ended needs. */
  protected letGo(): void {}

  /** Keeps the definition from being let go until {@link giveBack}. */
  take(lease: RegisteredDefinition): void {
    lease.acquire()
    this.lease = lease
  }

  giveBack(): void {
    const { lease } = this
    this.lease = undefined
    lease?.release()
  }

  /** What a result says of its call. */
  stamp(): { readonly toolName: string; readonly durationMs: number } {
    return { toolName: this.toolName, durationMs: performance.now() - this.limit.startedAt }
  }

  /** Ends the work early: by the caller, the deadline, or a question. The first reason stays. */
  interrupt(reason: Interruption): void {
    if (this.interruptedBy !== undefined || this.ended) return
    this.interruptedBy = reason
    // First of all: the signal may end the run.
    this.stopWaiting(reason)
    this.#controller?.abort(reason)
  }

  /** Interrupts it, also where it has been asked to end before and was to be waited for. */
  stop(reason: Interruption): void {
    this.interrupt(reason)
  }

  /** The work is asked to end, and waited for. */
  protected fade(reason: Interruption): void {
    if (this.interruptedBy !== undefined || this.ended) return
    this.interruptedBy = reason
    this.#controller?.abort(reason)
  }

  /** Whatever waits for the work hears `reason`, and has a moment to unwind. */
  protected stopWaiting(reason: Interruption): void {
    this.#unwinding = setTimeout(() => {
      this.end(CallSuspension.is(reason) ? reason : reason.withOutcomeOf(this.#learned))
    }, UNWIND_MS)
    this.#work?.interrupt(reason)
  }

  /** What an error says of the work counts where the run ends before it has unwound. */
  learn(error: AnyToolError): AnyToolError {
    this.#learned = error.outcome
    return error
  }

  /** Unless the executor has acted, or may have, and must not do so twice. */
  get mayStartAgain(): boolean {
    return this.outcome === 'not-started' || (this.target !== undefined && isRepeatable(this.target.metadata))
  }

  /** Why nothing may start any more: it is interrupted, or answered, and an interceptor has let go of its `next`. */
  get whyOver(): Interruption | undefined {
    if (this.interruptedBy !== undefined || !this.ended) return this.interruptedBy
    return new ToolAbortedError(this.toolName, { outcome: this.outcome })
  }

  throwIfOver(): void {
    const { whyOver } = this
    if (whyOver !== undefined) throw whyOver
  }

  /** Waits for the executor's `work` until it is interrupted, as `CallWork.race` says. */
  race<T, R>(
    work: Promise<T>,
    completed: (value: T) => R,
    failed: (thrown: unknown) => Interruption,
  ): Promise<R> {
    // A `then` that is not a promise's own may do anything.
    const running = Promise.resolve(work)
    this.#work ??= new CallWork()
    this.parent?.note(running)
    // With no interceptors to unwind through, an interruption ends the run itself.
    const endRun = this.hasChain ? undefined : (reason: Interruption) => this.end(reason)
    const raced = this.#work.race(running, completed, failed, endRun)
    // The executor may have ended the run itself.
    if (this.#unwinding !== undefined && this.interruptedBy !== undefined)
      this.#work.interrupt(this.interruptedBy)
    return raced
  }

  /** Work that has left this run is still work of its call. */
  note(running: Promise<unknown>): void {
    this.#work ??= new CallWork()
    this.#work.note(running)
    this.parent?.note(running)
  }

  /** Something that the executor started here has not settled. */
  get isWorking(): boolean {
    return this.#work?.isRunning === true
  }

  /** Calls `then` once nothing that the executor has started so far is running any more. */
  whenWorkSettles(then: () => void): void {
    if (this.#work === undefined) then()
    else this.#work.whenSettled(then)
  }
}
