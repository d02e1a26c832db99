import { guardedLogger } from '../interceptors/guarded-logger.js'
import type { Logger } from '../interceptors/logger.js'
import type { Store } from '../interceptors/stores/store.js'
import type { CallSuspension } from '../registry/call-suspension.js'
import type { Completion } from '../registry/completion.js'
import type { PromptMessages } from '../registry/prompt-message.js'
import type { PromptRegistry } from '../registry/prompt-registry.js'
import type { ResourceContents } from '../registry/resource-contents.js'
import type { ResourceRegistry } from '../registry/resource-registry.js'
import type { ToolDefinition } from '../registry/tool-definition.js'
import { ToolNotFoundError, ToolUnavailableError } from '../registry/tool-error.js'
import { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { ToolRegistry } from '../registry/tool-registry.js'
import { type BatchedCall, type BatchOptions, type BatchResults, callEach } from './call-batch.js'
import type { CallOptions } from './call-options.js'
import type { CallRound } from './call-round.js'
import { Catalog } from './catalog.js'
import type { Discovery } from './discovery.js'
import type { ExecutorRouter } from './executor-router.js'
import { explain, type ToolExplanation } from './explanation.js'
import type { Registries } from './registries.js'
import { type CompletionRequest, nameOf, type RuntimeRequest, resolve } from './runtime-request.js'
import type { RuntimeSettings } from './runtime-settings.js'
import { type StartReport, startRuntime } from './runtime-start.js'
import { SchemaValidator } from './schema/schema-validator.js'
import { SpilledResults } from './spilled-results.js'
import { ToolTasks } from './tasks/tool-tasks.js'

export interface ToolRuntimeParts extends Registries {
  readonly logger: Logger
  readonly store: Store
  readonly discovery: Discovery
  readonly settings: RuntimeSettings
}

/** The tools, resources and prompts of an application, ready to be called: finds them, runs them, lets them go. */
export class ToolRuntime {
  /** Of the tools. */
  readonly registry: ToolRegistry
  readonly resources: ResourceRegistry
  readonly prompts: PromptRegistry
  /** Where the runtime, and a bridge on it, writes: redacted, and never throwing. */
  readonly logger: Logger
  /** Calls that go on by themselves. */
  readonly tasks: ToolTasks
  /**
   * What is registered, as a caller sees it.
   * @internal
   */
  readonly catalog: Catalog
  readonly #parts: ToolRuntimeParts
  readonly #validator = new SchemaValidator()
  readonly #spilled = new SpilledResults()
  /** There from a start to the next close, and after that to say so. */
  #router: ExecutorRouter | undefined
  readonly #hooks: Disposable[] = []
  #starting: Promise<StartReport> | undefined
  #closing: Promise<void> | undefined

  /** Loading `toolRuntimeModule` into a container is the usual way to get one. */
  constructor(parts: ToolRuntimeParts) {
    const { tools, resources, prompts, settings } = parts
    this.registry = tools
    this.resources = resources
    this.prompts = prompts
    this.logger = guardedLogger(parts.logger)
    this.#parts = parts
    this.catalog = new Catalog({
      tools,
      resources,
      prompts,
      rule: settings.visibility,
      isOwn: (target) => target === this.#spilled.resource,
      onRuleError: (err, { kind, name }) =>
        this.logger.error({ err, kind, name }, 'a rule of visibility failed: hidden'),
    })
    this.tasks = new ToolTasks(this, { store: parts.store, settings: settings.tasks })
  }

  /**
   * Finds what is bound and registers it. A definition that is refused and a provider that fails are logged, reported and
   * left out; one that cannot be constructed makes the start reject. Does nothing if it is started already; can be repeated
   * after a failure and after `close()`.
   */
  start(): Promise<StartReport> {
    // What is closing ends first, and is then started anew.
    if (this.#closing !== undefined) return this.#closing.then(() => this.start())
    this.#starting ??= this.#start().catch(async (error: unknown) => {
      this.#starting = undefined
      await this.#letGo()
      throw error
    })
    return this.#starting
  }

  /** `start()` has come to its end, and `close()` has not begun. */
  get isStarted(): boolean {
    return this.#router !== undefined && !this.isClosing
  }

  /** It takes no new calls: `close()` has begun. */
  get isClosing(): boolean {
    return this.#closing !== undefined
  }

  /**
   * Calls a tool. Never rejects: look at `result.ok`. A definition may stand for its name; then input and value are typed,
   * and what runs is the tool that is registered under that name.
   */
  call<Input, Value>(
    tool: ToolDefinition<Input, unknown, Value>,
    input: NoInfer<Input>,
    options?: CallOptions,
  ): Promise<ToolExecutionResult<Value>>
  call(toolName: string, input?: unknown, options?: CallOptions): Promise<ToolExecutionResult>
  call(tool: ToolDefinition | string, input?: unknown, options?: CallOptions): Promise<ToolExecutionResult> {
    // From JavaScript it may be anything; a call answers all the same.
    const name = typeof tool === 'object' && tool !== null ? tool.name : String(tool)
    return this.run({ kind: 'tool', name, input }, options)
  }

  /**
   * Calls several tools that do not depend on each other, at the same time, each as `call` does: one that fails does not
   * lose the others. The results are in the order of the calls.
   */
  async callAll<const Tools extends readonly (ToolDefinition | string)[]>(
    calls: { readonly [Index in keyof Tools]: BatchedCall<Tools[Index]> },
    { concurrency, ...shared }: BatchOptions = {},
  ): Promise<BatchResults<Tools>> {
    const results = await callEach<BatchedCall>(calls, concurrency, (one) =>
      this.call(one?.tool as string, one?.input, { ...shared, ...one?.options }),
    )
    // Each is the result of the call in its place.
    return results as BatchResults<Tools>
  }

  /** Reads a resource by its URI, through the same chain as a call. Never rejects. */
  read(uri: string, options?: CallOptions): Promise<ToolExecutionResult<readonly ResourceContents[]>> {
    return this.run({ kind: 'resource', uri: String(uri) }, options)
  }

  /** Gets a prompt, through the same chain as a call. Never rejects. */
  getPrompt(
    name: string,
    args?: Readonly<Record<string, string | undefined>>,
    options?: CallOptions,
  ): Promise<ToolExecutionResult<PromptMessages>> {
    return this.run({ kind: 'prompt', name: String(name), input: args }, options)
  }

  /** Suggests values for an argument of a prompt or of a resource template. Never rejects. */
  complete(request: CompletionRequest, options?: CallOptions): Promise<ToolExecutionResult<Completion>> {
    return this.run({ kind: 'completion', ...request }, options)
  }

  /**
   * Any request, for doors that do not know the kind. With `round` it may end with a question.
   * @internal
   */
  run<Value>(request: RuntimeRequest, options?: CallOptions): Promise<ToolExecutionResult<Value>>
  run(
    request: RuntimeRequest,
    options: CallOptions,
    round: CallRound | undefined,
  ): Promise<ToolExecutionResult | CallSuspension>
  run(
    request: RuntimeRequest,
    given?: CallOptions,
    round?: CallRound,
  ): Promise<ToolExecutionResult | CallSuspension> {
    const options = given ?? {}
    try {
      if (this.#router === undefined) throw notStarted(request)
      return this.#router.run(resolve(request, this.catalog, options), options, round)
    } catch (error) {
      // Also of a request that is none: from JavaScript it may be anything.
      return Promise.resolve(ToolExecutionResult.failure(error, { toolName: nameOf(request) }))
    }
  }

  /** How a call of a tool runs: metadata, interceptors, arguments, alternatives. Throws `ToolNotFoundError`. */
  explain(toolName: string): ToolExplanation {
    const { routes } = this.#startedRouter()
    const registered = this.registry.registered(toolName)
    if (registered === undefined) throw new ToolNotFoundError(toolName)
    return explain(registered, { routes, ...this.#parts.settings })
  }

  /** Compiles every schema now instead of at each first call. Returns the definitions that this shows to be unusable. */
  warmUp(): readonly ToolUnavailableError[] {
    const { routes } = this.#startedRouter()
    return routes.compile([...this.registry.all(), ...this.resources.all(), ...this.prompts.all()])
  }

  /**
   * New calls are refused; running ones may end within `drainMs` and are aborted then. After that everything is removed.
   * Comes before the container's `unbindAllAsync()`.
   */
  close({ drainMs = this.#parts.settings.drainMs }: { readonly drainMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(drainMs).finally(() => {
      this.#closing = undefined
    })
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #start(): Promise<StartReport> {
    const { router, report } = await startRuntime(this.#parts, {
      validator: this.#validator,
      logger: this.logger,
      catalog: this.catalog,
      spilled: this.#spilled,
      callTool: (toolName, input, options) => this.call(toolName, input, options),
      hooks: this.#hooks,
    })
    this.#router = router
    return report
  }

  async #close(drainMs: number): Promise<void> {
    await this.#router?.drain(drainMs)
    // A start that is under way is waited for, so that nothing is registered afterwards.
    if ((await this.#starting?.catch(() => undefined)) === undefined) return
    await this.#router?.drain(drainMs)
    await this.#letGo()
    this.#starting = undefined
  }

  async #letGo(): Promise<void> {
    await this.tasks.close()
    await Promise.all([this.registry.clear(), this.resources.clear(), this.prompts.clear()])
    for (const hook of this.#hooks.splice(0)) hook[Symbol.dispose]()
    this.#spilled.clear()
  }

  #startedRouter(): ExecutorRouter {
    if (this.#router === undefined)
      throw new Error('The runtime has not been started: await runtime.start() first')
    return this.#router
  }
}

function notStarted(request: RuntimeRequest): ToolUnavailableError {
  const kind = request.kind === 'completion' ? undefined : request.kind
  return new ToolUnavailableError(nameOf(request), 'the runtime has not been started', { kind })
}
