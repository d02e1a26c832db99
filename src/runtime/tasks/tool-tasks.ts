import type { Logger } from '../../interceptors/logger.js'
import type { Store } from '../../interceptors/stores/store.js'
import type { AskCapability } from '../../registry/ask-capability.js'
import { CallSuspension } from '../../registry/call-suspension.js'
import type { JsonObject } from '../../registry/json-value.js'
import type { ToolDefinition } from '../../registry/tool-definition.js'
import {
  ShuttingDownError,
  ToolAbortedError,
  ToolNotFoundError,
  ToolUnavailableError,
} from '../../registry/tool-error.js'
import { ToolExecutionResult } from '../../registry/tool-execution-result.js'
import { type CallOptions, callerKey } from '../call-options.js'
import type { CallRound } from '../call-round.js'
import type { Catalog } from '../catalog.js'
import type { RuntimeRequest } from '../runtime-request.js'
import { RunningTasks } from './running-tasks.js'
import { TaskAccess } from './task-access.js'
import { TaskRun } from './task-run.js'
import type { TaskSettings } from './task-settings.js'
import { TaskStore } from './task-store.js'
import { ToolTask } from './tool-task.js'

/** Of whom a task is. */
export type TaskCaller = Pick<CallOptions, 'principal' | 'address' | 'sessionId' | 'agentId'>

export interface ToolTasksOptions {
  readonly store: Store
  readonly settings: TaskSettings
}

/** What tasks need of a `ToolRuntime`. */
export interface TaskRuntime {
  readonly isStarted: boolean
  readonly isClosing: boolean
  readonly logger: Logger
  readonly catalog: Catalog
  run(
    request: RuntimeRequest,
    options: CallOptions,
    round: CallRound | undefined,
  ): Promise<ToolExecutionResult | CallSuspension>
}

/** How a call goes on as a task, for a door. */
export interface AsTask {
  readonly round: CallRound
  /** What the door has to know of it later. */
  readonly door: JsonObject
  readonly supports: (capability: AskCapability) => boolean
}

type ToolRequest = RuntimeRequest & { readonly kind: 'tool' }

/** A call that does not get to its executor, since it waits for a permit or for somebody else's work, becomes a task too. */
const BEGIN_AFTER_MS = 1_000
/** Ours are shorter. */
const MAX_ID = 100

/** Calls that go on by themselves, and can be looked at, answered and cancelled by their caller, from every process. */
export class ToolTasks {
  readonly #runtime: TaskRuntime
  readonly #settings: TaskSettings
  readonly #store: TaskStore
  readonly #running: RunningTasks
  readonly #access: TaskAccess

  /** @internal */
  constructor(runtime: TaskRuntime, { store, settings }: ToolTasksOptions) {
    this.#runtime = runtime
    this.#settings = settings
    this.#store = new TaskStore(store, settings)
    this.#running = new RunningTasks(runtime.logger)
    this.#access = new TaskAccess(this.#store, this.#running, settings.pollIntervalMs)
  }

  /** How often a caller should look, in milliseconds. */
  get pollIntervalMs(): number {
    return this.#settings.pollIntervalMs
  }

  /**
   * Calls a tool whose metadata says that it may be a task, and does not wait for it. The task outlives `options.signal`; it
   * asks by `options.ask`, or else waits for `answer()`. Rejects with a `ToolError` where no task can begin; whatever comes
   * of the call itself is the result of the task.
   */
  start<Input, Value>(
    tool: ToolDefinition<Input, unknown, Value>,
    input: NoInfer<Input>,
    options?: CallOptions,
  ): Promise<ToolTask<Value>>
  start(toolName: string, input?: unknown, options?: CallOptions): Promise<ToolTask>
  async start(tool: ToolDefinition | string, input?: unknown, options: CallOptions = {}): Promise<ToolTask> {
    const name = typeof tool === 'object' && tool !== null ? tool.name : String(tool)
    const { isStarted, isClosing, catalog } = this.#runtime
    if (isClosing) throw new ShuttingDownError()
    if (!isStarted) throw new ToolUnavailableError(name, 'the runtime has not been started')
    const definition = catalog.tool(name, options)?.definition
    if (definition === undefined) throw new ToolNotFoundError(name)
    if (definition.metadata.task === undefined)
      throw new ToolUnavailableError(name, 'it is never a task (metadata.task)')
    const run = this.#newRun(name, options)
    await run.begin()
    void this.#follow(run, { kind: 'tool', name, input }, undefined)
    return this.#handle(run.id, name)
  }

  /** The task of this id, if it is this caller's and has not expired. Rejects if the store cannot say. */
  async get(id: string, caller: TaskCaller = {}): Promise<ToolTask | undefined> {
    // From outside it may be anything.
    if (typeof id !== 'string' || id.length > MAX_ID) return undefined
    const record = await this.#access.record(id)
    return record?.callerKey === callerKey(caller) ? this.#handle(id, record.toolName) : undefined
  }

  /**
   * A call that becomes a task when its executor starts; or sooner, if that takes long. What comes before that (bad arguments,
   * a question of an interceptor) is the answer itself.
   * @internal
   */
  async run(
    request: ToolRequest,
    options: CallOptions,
    { round, door, supports }: AsTask,
  ): Promise<ToolTask | ToolExecutionResult | CallSuspension> {
    const run = this.#newRun(request.name, options, { door, supports })
    const timer = setTimeout(() => void run.begin().catch(() => undefined), BEGIN_AFTER_MS)
    const answered = this.#follow(run, request, round)
    try {
      const first = await Promise.race([run.begun, answered])
      return first instanceof TaskRun ? this.#handle(run.id, request.name) : first
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * After the calls have been drained: what has become of them is stored, or given up.
   * @internal
   */
  close(): Promise<void> {
    return this.#running.close()
  }

  #newRun(
    toolName: string,
    caller: CallOptions,
    { door = {}, supports }: Partial<Omit<AsTask, 'round'>> = {},
  ): TaskRun {
    return new TaskRun({
      toolName,
      caller,
      door,
      supports,
      store: this.#store,
      onBegin: (run) => this.#running.add(run),
      onStoreFailure: (error) => this.#running.storeFailed(error),
    })
  }

  async #follow(
    run: TaskRun,
    request: ToolRequest,
    round: CallRound | undefined,
  ): Promise<ToolExecutionResult | CallSuspension> {
    const answer = await this.#runtime.run({ ...request, task: run }, run.callOptions, round)
    this.#running.ending(run, run.end(CallSuspension.is(answer) ? this.#unlessWaiting(run, answer) : answer))
    return answer
  }

  /** A task has no later round: what waits for one, since it waits for work of another call, is over. */
  #unlessWaiting(run: TaskRun, cause: CallSuspension): ToolExecutionResult | undefined {
    const { toolName } = run
    if (!run.hasBegun) return undefined
    return ToolExecutionResult.failure(new ToolAbortedError(toolName, { outcome: 'unknown', cause }), {
      toolName,
    })
  }

  #handle(id: string, toolName: string): ToolTask {
    return new ToolTask(id, toolName, this.#access)
  }
}
