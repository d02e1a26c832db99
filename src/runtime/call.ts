import { randomBytes, randomUUID } from 'node:crypto'
import { CallAttributes } from '../registry/call-attributes.js'
import { callForeign } from '../registry/foreign-code.js'
import type { RegisteredTool } from '../registry/registered-tool.js'
import type { ToolDescriptor } from '../registry/tool-descriptor.js'
import {
  type AnyToolError,
  AskUnsupportedError,
  ToolAbortedError,
  type ToolOutcome,
  ToolTimeoutError,
} from '../registry/tool-error.js'
import type { AskAnswer, AskQuestion, LogLevel, ToolCall } from '../registry/tool-execution-context.js'
import type { ToolSuccess } from '../registry/tool-execution-result.js'
import { askUntilAborted } from './ask-until-aborted.js'
import { type CallOptions, callerKey } from './call-options.js'
import { OnceSteps } from './once-steps.js'
import { follow } from './shared-signal.js'

/** How long an aborted call may take to unwind (hooks that clean up, audit) before it is answered anyway. */
const UNWIND_MS = 1_000

/** One call while it runs. What an executor may never touch (ids, signal, attributes) is made at the first touch. */
export class Call implements ToolCall {
  readonly toolName: string
  readonly tool: ToolDescriptor | undefined
  readonly timeoutMs: number
  /** Both on the clock of `performance.now()`. */
  readonly startedAt = performance.now()
  readonly expiresAt: number
  readonly round = 1
  /** What is known of the work: of its last attempt, if there were several. */
  outcome: ToolOutcome = 'not-started'
  /** Times that the executor was started. */
  attempts = 0
  /** The result that the execution ring gave and that has passed the check. */
  checkedResult: ToolSuccess | undefined
  /** The tool that it keeps from being let go. */
  lease: RegisteredTool | undefined
  /** Where it stands among the running calls. */
  index = 0
  /** Interceptors stand around the executor. */
  hasChain = true
  /** Why it was aborted, if it was. */
  abortedBy: AnyToolError | undefined
  /** No answer is awaited any more: progress and log lines are dropped. */
  ended = false
  readonly #options: CallOptions
  #onEnd: ((outcome: ToolSuccess | AnyToolError) => void) | undefined
  #unwinding: NodeJS.Timeout | undefined
  #letGoOfCaller: (() => void) | undefined
  #callId: string | number | undefined
  #traceId: string | undefined
  #attributes: CallAttributes | undefined
  #once: OnceSteps | undefined
  #controller: AbortController | undefined
  #interrupt: ((error: AnyToolError) => void) | undefined
  #unsettled = 0
  #onSettled: (() => void) | undefined

  constructor(toolName: string, tool: ToolDescriptor | undefined, timeoutMs: number, options: CallOptions) {
    this.toolName = toolName
    this.tool = tool
    this.timeoutMs = timeoutMs
    this.expiresAt = this.startedAt + timeoutMs
    this.#options = options
  }

  get callId(): string | number {
    this.#callId ??= this.#options.callId ?? randomUUID()
    return this.#callId
  }
  get traceId(): string {
    this.#traceId ??= this.#options.traceId ?? randomBytes(16).toString('hex')
    return this.#traceId
  }
  get sessionId() {
    return this.#options.sessionId
  }
  get agentId() {
    return this.#options.agentId
  }
  get principal() {
    return this.#options.principal
  }
  get callerKey(): string {
    return callerKey(this.#options)
  }
  get attributes(): CallAttributes {
    this.#attributes ??= new CallAttributes()
    return this.#attributes
  }
  get deadline(): number {
    return performance.timeOrigin + this.expiresAt
  }
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.abortedBy !== undefined) this.#controller.abort(this.abortedBy)
    }
    return this.#controller.signal
  }

  /** The call is on its way: from now on its caller's signal aborts it. `onEnd` hears once how it ended. */
  begin(onEnd: (outcome: ToolSuccess | AnyToolError) => void): void {
    this.#onEnd = onEnd
    if (this.timeoutMs <= 0) this.abort(new ToolTimeoutError(this.toolName, this.timeoutMs))
    const { signal } = this.#options
    if (signal === undefined) return
    const aborted = () => new ToolAbortedError(this.toolName, { outcome: this.outcome, cause: signal.reason })
    const abort = () => this.abort(aborted())
    if (signal.aborted) abort()
    else this.#letGoOfCaller = follow(signal, abort)
  }

  /** The call has its answer; only the first one counts. */
  end(outcome: ToolSuccess | AnyToolError): void {
    if (this.ended) return
    this.ended = true
    if (this.#unwinding !== undefined) clearTimeout(this.#unwinding)
    this.#letGoOfCaller?.()
    this.#onEnd?.(outcome)
  }

  /** Keeps the tool from being let go until {@link giveBack}. */
  take(lease: RegisteredTool): void {
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
    return { toolName: this.toolName, durationMs: performance.now() - this.startedAt }
  }

  /** Ends the work early: by the caller, the deadline or shutdown. The first reason stays. */
  abort(reason: AnyToolError): void {
    if (this.abortedBy !== undefined || this.ended) return
    this.abortedBy = reason
    this.#interrupt?.(reason)
    this.#controller?.abort(reason)
    this.#unwinding = setTimeout(() => this.end(reason), UNWIND_MS)
  }

  /** The executor starts, and from now on may have acted. */
  startAttempt(): number {
    this.outcome = 'unknown'
    return ++this.attempts
  }

  /** An attempt that a later one has replaced has no say any more. */
  settleAttempt(attempt: number, outcome: ToolOutcome): void {
    if (attempt === this.attempts) this.outcome = outcome
  }

  /** Nothing may start once the call is aborted, or answered: an interceptor may have let go of its `next`. */
  throwIfOver(): void {
    if (this.abortedBy !== undefined) throw this.abortedBy
    if (this.ended) throw new ToolAbortedError(this.toolName, { outcome: this.outcome })
  }

  /**
   * Settles as the executor's `work` does, by way of `completed` and `failed`, or rejects when the call is aborted,
   * whichever comes first. Work that goes on after that is still waited for by {@link whenWorkSettles}.
   */
  race<T, R>(
    work: Promise<T>,
    completed: (value: T) => R,
    failed: (thrown: unknown) => AnyToolError,
  ): Promise<R> {
    this.#unsettled++
    const settled = Promise.resolve(work).then(
      (value) => {
        this.#settle()
        try {
          return completed(value)
        } catch (thrown) {
          throw failed(thrown)
        }
      },
      (thrown: unknown) => {
        this.#settle()
        throw failed(thrown)
      },
    )
    // With no interceptors to unwind through, an abort ends the call itself: that saves a promise.
    if (!this.hasChain) return this.#interruptBy(settled, (reason) => this.end(failed(reason)))
    return new Promise<R>((resolve, reject) => {
      settled.then(resolve, reject)
      this.#interruptBy(settled, (reason) => reject(failed(reason)))
    })
  }

  #interruptBy<T>(work: T, interrupt: (reason: AnyToolError) => void): T {
    this.#interrupt = interrupt
    // The executor may have ended the call itself.
    if (this.abortedBy !== undefined) interrupt(this.abortedBy)
    return work
  }

  /** Something that the executor started has not settled. */
  get isWorking(): boolean {
    return this.#unsettled > 0
  }

  /** Calls `then` once nothing that the executor started is running any more. */
  whenWorkSettles(then: () => void): void {
    this.#onSettled = then
  }

  #settle(): void {
    if (--this.#unsettled === 0) this.#onSettled?.()
  }

  get ask() {
    return async (question: AskQuestion): Promise<AskAnswer> => {
      const { ask } = this.#options
      if (ask === undefined) throw new AskUnsupportedError('ask the user', { outcome: this.outcome })
      return askUntilAborted(ask, question, this.signal)
    }
  }

  get once() {
    return <T>(key: string, fn: () => T | Promise<T>): Promise<T> => {
      this.#once ??= new OnceSteps()
      return this.#once.run(key, fn)
    }
  }

  get progress() {
    return (progress: number, total?: number, message?: string): void => {
      if (!this.ended) callForeign(() => this.#options.onProgress?.(progress, total, message))
    }
  }

  get log() {
    return (level: LogLevel, data: unknown, logger?: string): void => {
      if (!this.ended) callForeign(() => this.#options.onLog?.(level, data, logger))
    }
  }
}
