import { randomBytes, randomUUID } from 'node:crypto'
import type { Ask, AskQuestion } from '../registry/ask.js'
import { CallAttributes } from '../registry/call-attributes.js'
import type { DetachedCall } from '../registry/detached-call.js'
import { digest } from '../registry/fingerprint.js'
import { callForeign } from '../registry/foreign-code.js'
import type { NestedCall } from '../registry/nested-call.js'
import type { ToolDescriptor } from '../registry/tool-descriptor.js'
import { ToolAbortedError } from '../registry/tool-error.js'
import type { LogLevel, ToolCall } from '../registry/tool-execution-context.js'
import type { ToolExecutionResult, ToolSuccess } from '../registry/tool-execution-result.js'
import type { AskingCall, AskingRun, AskingSettings } from './asking-call.js'
import { Attempts } from './attempts.js'
import { type CallOptions, callerKey, requireUsable } from './call-options.js'
import { CallRun, type RunOutcome } from './call-run.js'
import { Dialogue } from './dialogue.js'
import { follow } from './shared-signal.js'

/** A call, or work that has left one. */
export type RunOfCall = CallRun & { readonly origin: Call }

/** What a call needs of the router that runs it. */
export interface CallServices {
  readonly asking: AskingSettings
  detach(from: RunOfCall, ...work: Parameters<ToolCall['beginDetached']>): DetachedCall
  /** Calls another tool. */
  callTool(toolName: string, input: unknown, options: CallOptions): Promise<ToolExecutionResult>
  /** The tool may do more than read. */
  mayAct(toolName: string): boolean
}

/** One call while it runs. What an executor may never touch (ids, signal, attributes) is made at the first touch. */
export class Call extends CallRun implements ToolCall, AskingCall {
  readonly attempts = new Attempts()
  /** The result that the execution ring gave and that has passed the check. */
  checkedResult: ToolSuccess | undefined
  readonly #options: CallOptions
  readonly #services: CallServices
  #letGoOfCaller: (() => void) | undefined
  #callId: string | number | undefined
  #traceId: string | undefined
  #idempotencyKey: string | undefined
  #attributes: CallAttributes | undefined
  #dialogue: Dialogue | undefined
  /** Work that has left this call, and stands still when it does. */
  #detached: CallRun[] | undefined

  constructor(
    called: Pick<ToolCall, 'kind' | 'toolName' | 'target' | 'uri'>,
    timeoutMs: number,
    options: CallOptions,
    services: CallServices,
  ) {
    super(called, timeoutMs)
    this.#options = options
    this.#services = services
  }

  get origin(): this {
    return this
  }
  get parent(): undefined {
    return undefined
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
  get givenIdempotencyKey() {
    return this.#options.idempotencyKey
  }
  get idempotencyKey(): string {
    const given = this.#options.idempotencyKey
    this.#idempotencyKey ??=
      given === undefined
        ? (this.#services.asking.round?.idempotencyKey ?? randomUUID())
        : // As text, which escapes the half characters that a digest refuses.
          digest(JSON.stringify([this.callerKey, this.kind, this.toolName, given]))
    return this.#idempotencyKey
  }
  get attributes(): CallAttributes {
    this.#attributes ??= new CallAttributes()
    return this.#attributes
  }
  get round(): number {
    return this.#services.asking.round?.number ?? 1
  }
  /** What an executor has done by the time it asks, it takes care of itself (`once`); of what it did before, nobody does. */
  get mayAskInRounds(): boolean {
    return this.attempts.isRunning || this.mayStartAgain
  }

  /** From now on its caller's signal aborts it. */
  override begin(onEnd: (outcome: RunOutcome) => void): void {
    super.begin(onEnd)
    requireUsable(this.#options)
    const { signal } = this.#options
    if (signal === undefined) return
    const abort = () =>
      this.interrupt(new ToolAbortedError(this.toolName, { outcome: this.outcome, cause: signal.reason }))
    if (signal.aborted) abort()
    else this.#letGoOfCaller = follow(signal, abort)
  }

  protected override letGo(): void {
    this.#letGoOfCaller?.()
    this.#dialogue?.end()
  }

  get remainingMs(): number {
    return this.limit.remainingMs
  }
  /** Also of what has left this call, whose caller is asked. */
  pauseDeadline(): () => void {
    const resumes = [this, ...(this.#detached ?? [])].map(({ limit }) => limit.pause())
    return () => {
      for (const resume of resumes) resume()
    }
  }

  get beginDetached(): ToolCall['beginDetached'] {
    return this.beginDetachedFrom(this)
  }
  beginDetachedFrom(from: RunOfCall): ToolCall['beginDetached'] {
    return (...work) => this.#services.detach(from, ...work)
  }
  /** Has left this call. */
  hasDetached(run: CallRun): void {
    this.#detached = [...(this.#detached ?? []), run]
  }

  get callTool(): NestedCall {
    return async (toolName, input, signal) => {
      const { principal, address, sessionId, agentId, exposes, ask } = this.#options
      const { traceId, remainingMs: timeoutMs } = this
      const ended = this.#services.mayAct(toolName) ? this.attempts.startOther() : undefined
      const result = await this.#services.callTool(toolName, input, {
        traceId,
        timeoutMs,
        signal,
        ...(principal !== undefined && { principal }),
        ...(address !== undefined && { address }),
        ...(sessionId !== undefined && { sessionId }),
        ...(agentId !== undefined && { agentId }),
        ...(exposes !== undefined && { exposes }),
        ...(ask !== undefined && { ask: this.#pausing(ask) }),
      })
      ended?.(result.ok ? 'completed' : result.error.outcome)
      if (!result.ok) this.attempts.noteOther(result.error)
      return result
    }
  }

  /** While a tool that this one calls asks the user, the deadline of this one stands still too. */
  #pausing(ask: NonNullable<CallOptions['ask']>): NonNullable<CallOptions['ask']> {
    return (question, signal) => {
      // It aborts once the question is over, however that came.
      signal.addEventListener('abort', this.pauseDeadline(), { once: true })
      return ask(question, signal)
    }
  }

  get ask(): Ask {
    return this.askFrom(this)
  }
  get once(): ToolCall['once'] {
    return this.onceIn(this)
  }
  /** The same dialogue for work that has left the call. */
  askFrom(run: AskingRun): Ask {
    // What is answered fits what is asked: the dialogue has checked it.
    return ((question: AskQuestion) => this.#talk().ask(question, run)) as Ask
  }
  onceIn(run: AskingRun): ToolCall['once'] {
    return (key, fn) => this.#talk().once(key, fn, run)
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
    this.#dialogue ??= new Dialogue(this, { ...this.#services.asking, ask: this.#options.ask })
    return this.#dialogue
  }
}
