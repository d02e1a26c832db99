import type { Lease } from '../../interceptors/stores/store.js'
import { type AskAnswer, type AskedQuestion, CAPABILITY_OF } from '../../registry/ask.js'
import type { AskCapability } from '../../registry/ask-capability.js'
import type { JsonObject } from '../../registry/json-value.js'
import { AskUnsupportedError, ToolAbortedError } from '../../registry/tool-error.js'
import type { ToolExecutionResult } from '../../registry/tool-execution-result.js'
import { type CallOptions, callerKey } from '../call-options.js'
import type { CallTask } from '../call-task.js'
import { follow } from '../shared-signal.js'
import { resultText } from './result-text.js'
import { TaskQuestions } from './task-questions.js'
import type { TaskRecord, TaskStatus } from './task-record.js'
import { newTaskId, OWNER_LEASE_MS, type TaskStore } from './task-store.js'
import { TaskWriter } from './task-writer.js'

export interface TaskRunOptions {
  readonly toolName: string
  readonly caller: CallOptions
  readonly door: JsonObject
  /** Whether the caller can be asked so. Default: in every way. */
  readonly supports?: ((capability: AskCapability) => boolean) | undefined
  readonly store: TaskStore
  readonly onStoreFailure: (error: unknown) => void
  /** It can be looked for now. */
  readonly onBegin: (run: TaskRun) => void
}

/** A call on its way to be a task, and then the task, in the process that runs it. */
export class TaskRun implements CallTask {
  readonly id = newTaskId()
  readonly callerKey: string
  /** What the call is run with. Its signal is that of its caller until it begins, and then its own. */
  readonly callOptions: CallOptions
  /** Resolves when it has begun. */
  readonly begun: Promise<this>
  /** Resolves when the call has ended. */
  readonly result: Promise<ToolExecutionResult>
  readonly #options: TaskRunOptions
  readonly #abort = new AbortController()
  readonly #questions = new TaskQuestions(() => void this.#changed())
  readonly #createdAt = Date.now()
  #lastUpdatedAt = this.#createdAt
  #statusMessage: string | undefined
  #beginning: Promise<void> | undefined
  #writer: TaskWriter | undefined
  #lease: Lease | undefined
  #endsWithQuestion = false
  #isCancelled = false
  #hasMail = false
  #ended: { readonly status: TaskStatus; readonly result: string } | undefined
  /** Its call has ended before it could begin. */
  #isOver = false
  #letGoOfCaller: (() => void) | undefined
  #resolveBegun!: (run: this) => void
  #resolveResult!: (result: ToolExecutionResult) => void

  constructor(options: TaskRunOptions) {
    this.#options = options
    this.callerKey = callerKey(options.caller)
    this.callOptions = this.#optionsOf(options.caller)
    this.begun = new Promise((resolve) => {
      this.#resolveBegun = resolve
    })
    this.result = new Promise((resolve) => {
      this.#resolveResult = resolve
    })
    const { signal } = options.caller
    if (signal === undefined) return
    const abort = () => this.#abort.abort(signal.reason)
    if (signal.aborted) abort()
    else this.#letGoOfCaller = follow(signal, abort)
  }

  get toolName(): string {
    return this.#options.toolName
  }

  get hasBegun(): boolean {
    return this.#writer !== undefined
  }

  /** Everything that there is to say of it is stored. */
  get isSettled(): boolean {
    return this.#ended !== undefined && this.#writer?.isDone === true
  }

  begin(): Promise<void> {
    if (this.#beginning === undefined) {
      this.#beginning = this.#begin()
      this.#beginning.catch(() => {
        this.#beginning = undefined
      })
    }
    return this.#beginning
  }

  endsWithQuestion(): boolean {
    if (this.hasBegun) return false
    this.#endsWithQuestion = true
    return true
  }

  ask(question: AskedQuestion, signal: AbortSignal): Promise<AskAnswer> {
    const { supports } = this.#options
    const capability = CAPABILITY_OF[question.kind]
    if (supports?.(capability) === false) return Promise.reject(new AskUnsupportedError(capability))
    return this.#questions.ask(question, signal)
  }

  /** An answer to a question that is not open is ignored. Resolves when it is stored that it is answered. */
  async answer(answers: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#questions.answer(answers)) await this.#changed()
  }

  cancel(): void {
    if (this.#ended !== undefined || this.#isCancelled) return
    this.#isCancelled = true
    this.#abort.abort(new Error('The task was cancelled'))
  }

  /** The call has ended; if it was a task by then, resolves when that is stored, or could not be. */
  async end(result: ToolExecutionResult | undefined): Promise<void> {
    this.#letGoOfCaller?.()
    this.#isOver = true
    if (result === undefined) return
    this.#resolveResult(result)
    if (!this.hasBegun) return
    const isCancelled = this.#isCancelled && !result.ok && result.error.code === 'ABORTED'
    this.#ended = { status: isCancelled ? 'cancelled' : 'completed', result: resultText(result) }
    this.#questions.clear()
    await this.#changed()
    await this.#letGo()
  }

  /** What there is to store of it. */
  record(): TaskRecord {
    const { toolName, door, store } = this.#options
    const { callerKey } = this
    const ended = this.#ended
    return {
      callerKey,
      toolName,
      door,
      status: ended?.status ?? (this.#questions.areOpen ? 'input_required' : 'working'),
      ...(this.#statusMessage !== undefined && !ended && { statusMessage: this.#statusMessage }),
      createdAt: this.#createdAt,
      lastUpdatedAt: this.#lastUpdatedAt,
      expiresAt: this.#writer?.expiresAt ?? store.expiry(),
      questions: this.#questions.text(),
      ...(ended && { result: ended.result }),
    }
  }

  /** Once in a while: keeps what is its own, and reads what other processes have to say. Rejects if the store fails. */
  async lookAround(): Promise<void> {
    const { store } = this.#options
    await this.#writer?.keep()
    if (this.#ended !== undefined) {
      // Nobody would find it any more, had it been stored in time.
      if (Date.now() >= this.#lastUpdatedAt + store.ttlMs) this.#writer?.giveUp()
      return this.#letGo()
    }
    if ((await this.#lease?.renew(OWNER_LEASE_MS)) === false) {
      this.#lease = (await store.takeLease(this.id)) ?? this.#lease
      // Whoever held it meanwhile may have given the task up: then it is over here too.
      await this.#writer?.write()
    }
    const mail = await store.mail(this.id)
    if (mail === undefined) return
    this.#hasMail = true
    await this.answer(mail.answers)
    if (mail.isCancelled) this.cancel()
  }

  /** What could not be stored by now is given up, and so is the lease. */
  async giveUp(): Promise<void> {
    this.#writer?.giveUp()
    await this.#letGo()
  }

  async #begin(): Promise<void> {
    const { store, onBegin, onStoreFailure } = this.#options
    this.#requireWaited()
    const record = this.record()
    const { lease, version } = await store.create(this.id, record)
    try {
      // Meanwhile the call may have ended, or have asked.
      this.#requireWaited()
    } catch (thrown) {
      await Promise.allSettled([store.delete(this.id), lease.release()])
      throw thrown
    }
    this.#lease = lease
    this.#writer = new TaskWriter(store, {
      id: this.id,
      version,
      expiresAt: record.expiresAt,
      record: () => this.record(),
      onFailure: onStoreFailure,
      onLost: () => this.#abort.abort(new Error('The task has expired, or was given up for lost')),
    })
    this.#letGoOfCaller?.()
    onBegin(this)
    this.#resolveBegun(this)
  }

  #requireWaited(): void {
    if (this.#isOver || this.#endsWithQuestion) throw new ToolAbortedError(this.toolName)
  }

  #optionsOf(caller: CallOptions): CallOptions {
    const { onProgress, onLog } = caller
    return {
      ...caller,
      signal: this.#abort.signal,
      onProgress: (progress, total, message) => {
        if (!this.hasBegun) return onProgress?.(progress, total, message)
        if (message === undefined || message === this.#statusMessage) return
        this.#statusMessage = message
        // With the next look around: a tool may report progress a thousand times a second.
        this.#writer?.markChanged()
      },
      // There is nobody who would hear of it any more.
      ...(onLog && { onLog: (...line) => (this.hasBegun ? undefined : onLog(...line)) }),
    }
  }

  #changed(): Promise<void> {
    this.#lastUpdatedAt = Math.max(Date.now(), this.#lastUpdatedAt)
    return this.#writer?.write() ?? Promise.resolve()
  }

  async #letGo(): Promise<void> {
    if (this.#writer?.isDone !== true) return
    const lease = this.#lease
    this.#lease = undefined
    const hadMail = this.#hasMail
    this.#hasMail = false
    try {
      await lease?.release()
      if (hadMail) await this.#options.store.deleteMail(this.id)
    } catch (error) {
      // Both expire by themselves.
      this.#options.onStoreFailure(error)
    }
  }
}
