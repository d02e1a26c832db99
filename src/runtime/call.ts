import { randomBytes, randomUUID } from 'node:crypto'
import type { Ask, AskQuestion } from '../registry/ask.js'
import { CallAttributes } from '../registry/call-attributes.js'
import { CallSuspension } from '../registry/call-suspension.js'
import { callForeign } from '../registry/foreign-code.js'
import type { RegisteredDefinition } from '../registry/registered-definition.js'
import type { ToolDescriptor } from '../registry/tool-descriptor.js'
import { ToolAbortedError, type ToolOutcome, ToolTimeoutError } from '../registry/tool-error.js'
import type { CallKind, LogLevel, ToolCall } from '../registry/tool-execution-context.js'
import type { ToolSuccess } from '../registry/tool-execution-result.js'
import { Attempts } from './attempts.js'
import { type CallOptions, callerKey } from './call-options.js'
import { CallWork, type Interruption } from './call-work.js'
import { Deadline } from './deadline.js'
import { type AskingCall, type AskingSettings, Dialogue } from './dialogue.js'
import { follow } from './shared-signal.js'

/** How long an aborted call may take to unwind (hooks that clean up, audit) before it is answered anyway. */
const UNWIND_MS = 1_000

/** How a call ends, or why it waits. */
export type CallOutcome = ToolSuccess | Interruption

/** One call while it runs. What an executor may never touch (ids, signal, attributes) is made at the first touch. */
export class Call implements ToolCall, AskingCall {
  readonly kind: CallKind
  readonly toolName: string
  readonly target: ToolCall['target']
  readonly uri: string | undefined
  readonly limit: Deadline
  readonly attempts = new Attempts()
  /** The result that the execution ring gave and that has passed the check. */
  checkedResult: ToolSuccess | undefined
  /** The definition that it keeps from being let go. */
  lease: RegisteredDefinition | undefined
  /** Where it stands among the running calls. */
  index = 0
  /** Interceptors stand around the executor. */
  hasChain = true
  /** Why it was ended early: aborted, or suspended until there is an answer. */
  interruptedBy: Interruption | undefined
  /** No answer is awaited any more: progress and log lines are dropped. */
  ended = false
  readonly #options: CallOptions
  readonly #asking: AskingSettings
  #onEnd: ((outcome: CallOutcome) => void) | undefined
  #unwinding: NodeJS.Timeout | undefined
  #letGoOfCaller: (() => void) | undefined
  #callId: string | number | undefined
  #traceId: string | undefined
  #attributes: CallAttributes | undefined
  #dialogue: Dialogue | undefined
  #controller: AbortController | undefined
  #work: CallWork | undefined

  constructor(
    { kind, toolName, target, uri }: Pick<ToolCall, 'kind' | 'toolName' | 'target' | 'uri'>,
    timeoutMs: number,
    options: CallOptions,
    asking: AskingSettings,
  ) {
    this.kind = kind
    this.toolName = toolName
    this.target = target
    this.uri = uri
    this.limit = new Deadline(timeoutMs)
    this.#options = options
    this.#asking = asking
  }

  /** What is known of the work. */
  get outcome(): ToolOutcome {
    return this.attempts.outcome
  }
  get tool(): ToolDescriptor | undefined {
    // What is called as a tool is one.
    return this.kind === 'tool' ? (this.target as ToolDescriptor | undefined) : undefined
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
    return performance.timeOrigin + this.limit.expiresAt
  }
  get round(): number {
    return this.#asking.round?.number ?? 1
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

  /** The call is on its way: from now on its caller's signal aborts it. `onEnd` hears once how it ended. */
  begin(onEnd: (outcome: CallOutcome) => void): void {
    this.#onEnd = onEnd
    const { timeoutMs } = this.limit
    if (timeoutMs <= 0)
      this.interrupt(new ToolTimeoutError(this.toolName, timeoutMs, { kind: this.target?.kind }))
    const { signal } = this.#options
    if (signal === undefined) return
    const abort = () =>
      this.interrupt(new ToolAbortedError(this.toolName, { outcome: this.outcome, cause: signal.reason }))
    if (signal.aborted) abort()
    else this.#letGoOfCaller = follow(signal, abort)
  }

  /** The call has its answer; only the first one counts. */
  end(outcome: CallOutcome): void {
    if (this.ended) return
    this.ended = true
    if (this.#unwinding !== undefined) clearTimeout(this.#unwinding)
    this.#letGoOfCaller?.()
    this.#dialogue?.end()
    this.#onEnd?.(outcome)
  }

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

  /** Ends the work early: by the caller, the deadline, shutdown, or a question. The first reason stays. */
  interrupt(reason: Interruption): void {
    if (this.interruptedBy !== undefined || this.ended) return
    this.interruptedBy = reason
    // First of all: each of the others may end the call.
    this.#unwinding = setTimeout(() => this.end(reason), UNWIND_MS)
    this.#work?.interrupt(reason)
    this.#controller?.abort(reason)
  }

  /** Unless the executor has acted, or may have, and must not do so twice. */
  get mayStartAgain(): boolean {
    return this.outcome === 'not-started' || this.target?.metadata.idempotent === true
  }
  /** What an executor has done by the time it asks, it takes care of itself (`once`); of what it did before, nobody does. */
  get mayAskInRounds(): boolean {
    return this.attempts.isRunning || this.mayStartAgain
  }

  /** Nothing may start once the call is interrupted, or answered: an interceptor may have let go of its `next`. */
  throwIfOver(): void {
    if (this.interruptedBy !== undefined) throw this.interruptedBy
    if (this.ended) throw new ToolAbortedError(this.toolName, { outcome: this.outcome })
  }

  /** Waits for the executor's `work` until the call is interrupted, as `CallWork.race` says. */
  race<T, R>(
    work: Promise<T>,
    completed: (value: T) => R,
    failed: (thrown: unknown) => Interruption,
  ): Promise<R> {
    this.#work ??= new CallWork()
    // With no interceptors to unwind through, an interruption ends the call itself.
    const endCall = this.hasChain ? undefined : (reason: Interruption) => this.end(reason)
    const raced = this.#work.race(work, completed, failed, endCall)
    // The executor may have ended the call itself.
    if (this.interruptedBy !== undefined) this.#work.interrupt(this.interruptedBy)
    return raced
  }

  /** Something that the executor started has not settled. */
  get isWorking(): boolean {
    return this.#work?.isRunning === true
  }

  /** Calls `then` once nothing that the executor started is running any more. */
  whenWorkSettles(then: () => void): void {
    this.#work?.whenSettled(then)
  }

  get remainingMs(): number {
    return this.limit.remainingMs
  }
  pauseDeadline(): () => void {
    return this.limit.pause()
  }

  get ask(): Ask {
    // What is answered fits what is asked: the dialogue has checked it.
    return ((question: AskQuestion) => this.#talk().ask(question)) as Ask
  }

  get once() {
    return <T>(key: string, fn: () => T | Promise<T>): Promise<T> => this.#talk().once(key, fn)
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

  #talk(): Dialogue {
    this.#dialogue ??= new Dialogue(this, { ...this.#asking, ask: this.#options.ask })
    return this.#dialogue
  }
}
