import type { Ask } from '../registry/ask.js'
import { CallSuspension } from '../registry/call-suspension.js'
import type { DetachedCall } from '../registry/detached-call.js'
import { ToolError } from '../registry/tool-error.js'
import { type ToolCall, ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { ToolExecutionResult, ToolSuccess } from '../registry/tool-execution-result.js'
import type { Call, RunOfCall } from './call.js'
import { CallRun } from './call-run.js'
import { runInCall } from './call-scope.js'
import type { Interruption } from './call-work.js'

export type DetachedWork = (call: ToolCall) => Promise<ToolExecutionResult>

export interface DetachedRunHooks {
  readonly onEnd: () => void
  /** Throws for a result that must not leave. */
  readonly check: (result: ToolSuccess) => ToolSuccess
}

/**
 * The work of a call that goes on for as long as somebody wants it. It is the call in everything but how it ends: signal,
 * deadline and lease are its own.
 */
export class DetachedRun extends CallRun implements ToolCall {
  readonly parent: RunOfCall
  readonly origin: Call
  readonly #takesLateResult: boolean

  constructor(
    parent: RunOfCall,
    timeoutMs: number,
    { takesLateResult }: { readonly takesLateResult: boolean },
  ) {
    super(parent, timeoutMs)
    this.parent = parent
    this.#takesLateResult = takesLateResult
    this.origin = parent.origin
    this.origin.hasDetached(this)
  }

  /** Runs `work` on `args`. */
  start(args: unknown, work: DetachedWork, { onEnd, check }: DetachedRunHooks): DetachedCall {
    const result = new Promise<ToolSuccess>((resolve, reject) => {
      this.begin((outcome) => {
        onEnd()
        try {
          if (CallSuspension.is(outcome) || ToolError.is(outcome)) throw outcome
          resolve(check(outcome))
        } catch (thrown) {
          reject(CallSuspension.is(thrown) ? thrown : ToolError.from(thrown).withOutcomeOf(this.outcome))
        }
      })
      runInCall(this, new ToolExecutionContext(this, args), () => work(this)).then(
        (ended) => this.end(ended.ok ? ended : ended.error),
        (thrown) => this.endFailed(thrown),
      )
    })
    // Also where nobody looks.
    result.catch(() => undefined)
    return new DetachedHandle(this, result)
  }

  /** Work that is given up is asked to end; whether somebody still wants what comes of it is another matter. */
  override interrupt(reason: Interruption): void {
    if (this.#takesLateResult && !CallSuspension.is(reason)) this.fade(reason)
    else super.interrupt(reason)
  }
  override stop(reason: Interruption): void {
    if (this.interruptedBy === undefined) super.interrupt(reason)
    else if (!this.ended) this.stopWaiting(reason)
  }

  /** Where one has acted the other has. */
  get attempts() {
    return this.origin.attempts
  }
  /** An executor that goes on without its answer, as one of the call would. */
  override get suspension(): CallSuspension | undefined {
    return super.suspension ?? this.origin.suspension
  }

  get tool() {
    return this.origin.tool
  }
  get callId() {
    return this.origin.callId
  }
  get traceId() {
    return this.origin.traceId
  }
  get sessionId() {
    return this.origin.sessionId
  }
  get agentId() {
    return this.origin.agentId
  }
  get principal() {
    return this.origin.principal
  }
  get callerKey() {
    return this.origin.callerKey
  }
  get givenIdempotencyKey() {
    return this.origin.givenIdempotencyKey
  }
  get idempotencyKey() {
    return this.origin.idempotencyKey
  }
  get attributes() {
    return this.origin.attributes
  }
  get round() {
    return this.origin.round
  }
  get ask(): Ask {
    return this.origin.askFrom(this)
  }
  get once(): ToolCall['once'] {
    return this.origin.onceIn(this)
  }
  get progress() {
    return this.origin.progress
  }
  get log() {
    return this.origin.log
  }
  get beginDetached() {
    return this.origin.beginDetachedFrom(this)
  }
  get callTool() {
    return this.origin.callTool
  }
}

class DetachedHandle implements DetachedCall {
  readonly #run: DetachedRun
  readonly result: Promise<ToolSuccess>

  constructor(run: DetachedRun, result: Promise<ToolSuccess>) {
    this.#run = run
    this.result = result
  }

  get outcome() {
    return this.#run.outcome
  }
  abort(reason: Parameters<DetachedCall['abort']>[0]): void {
    this.#run.interrupt(reason)
  }
  whenWorkSettles(then: () => void): void {
    this.#run.whenWorkSettles(then)
  }
}
