import type { ArrangedInterceptor } from '../interceptors/arrangement.js'
import { guardedLogger } from '../interceptors/guarded-logger.js'
import type { Logger } from '../interceptors/logger.js'
import { RateLimitInterceptor } from '../interceptors/rate-limit.js'
import type { ToolDefinition } from '../registry/tool-definition.js'
import { ToolDefinitionError } from '../registry/tool-definition-error.js'
import { ToolUnavailableError } from '../registry/tool-error.js'
import { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { ToolAdmission, ToolRegistry } from '../registry/tool-registry.js'
import type { ToolRegistryListener } from '../registry/tool-registry-listener.js'
import type { CallOptions } from './call-options.js'
import { ExecutorRouter } from './executor-router.js'
import { type MandatoryInterceptor, type RuntimeSettings, satisfies } from './runtime-settings.js'
import { SchemaValidator } from './schema/schema-validator.js'
import {
  registerDiscovered,
  type StartProblem,
  type StartReport,
  type ToolDiscovery,
} from './tool-discovery.js'

export interface ToolRuntimeParts {
  readonly registry: ToolRegistry
  readonly logger: Logger
  readonly discovery: ToolDiscovery
  readonly settings: RuntimeSettings
}

/** The tools of an application, ready to be called: finds them, runs them, lets them go. */
export class ToolRuntime {
  readonly registry: ToolRegistry
  /** Where the runtime, and a bridge on it, writes: redacted, and never throwing. */
  readonly logger: Logger
  readonly #discovery: ToolDiscovery
  readonly #settings: RuntimeSettings
  readonly #validator = new SchemaValidator()
  /** There from a start to the next close, and after that to say so. */
  #router: ExecutorRouter | undefined
  readonly #hooks: Disposable[] = []
  #starting: Promise<StartReport> | undefined
  #closing: Promise<void> | undefined

  /** Loading `toolRuntimeModule` into a container is the usual way to get one. */
  constructor({ registry, logger, discovery, settings }: ToolRuntimeParts) {
    this.registry = registry
    this.logger = guardedLogger(logger)
    this.#discovery = discovery
    this.#settings = settings
  }

  /**
   * Finds what is bound and registers the tools. A tool that is refused and a provider that fails are logged, reported
   * and left out; one that cannot be constructed makes the start reject. Does nothing if it is started already; can be
   * repeated after a failure and after `close()`.
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
    const toolName = typeof tool === 'object' && tool !== null ? tool.name : String(tool)
    if (this.#router !== undefined) return this.#router.call(toolName, input, options ?? {})
    const error = new ToolUnavailableError(toolName, 'the runtime has not been started')
    return Promise.resolve(ToolExecutionResult.failure(error, { toolName }))
  }

  /** The interceptors around a tool as they run, outermost first. Throws `ToolNotFoundError`. */
  explain(toolName: string): readonly ArrangedInterceptor[] {
    return this.#startedRouter().explain(toolName)
  }

  /** Compiles every schema now instead of at each tool's first call. Returns the tools that this shows to be unusable. */
  warmUp(): readonly ToolUnavailableError[] {
    return this.#startedRouter().warmUp()
  }

  /**
   * New calls are refused; running ones may end within `drainMs` and are aborted then. After that every tool is removed.
   * Comes before the container's `unbindAllAsync()`.
   */
  close({ drainMs = this.#settings.drainMs }: { readonly drainMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(drainMs).finally(() => {
      this.#closing = undefined
    })
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #start(): Promise<StartReport> {
    const { mandatoryInterceptors, defaultTimeoutMs, maxResultSize, provideTimeoutMs } = this.#settings
    const { registry, logger } = this
    const router = new ExecutorRouter({
      registry,
      logger,
      validator: this.#validator,
      interceptors: await this.#discovery.interceptors(),
      isMandatory: (interceptor) =>
        mandatoryInterceptors.some((mandatory) => satisfies(interceptor, mandatory)),
      defaultTimeoutMs,
      maxResultSize,
    })
    const admissions = [checksSchemas(this.#validator), requires(mandatoryInterceptors, router)]
    const earlier = this.#leaveOut(admissions)
    for (const admission of admissions) this.#hooks.push(registry.addAdmission(admission))
    this.#hooks.push(registry.addListener(this.#housekeeping(router)))
    const report = await registerDiscovered(this.#discovery, registry, { logger, provideTimeoutMs, earlier })
    this.#router = router
    return report
  }

  /** Tools that were registered before the start have to pass as well; one that does not must not stop the others. */
  #leaveOut(admissions: readonly ToolAdmission[]): StartProblem[] {
    return this.registry.list().flatMap((tool) => {
      const source = this.registry.registered(tool.name)?.source ?? { name: tool.name }
      try {
        for (const admission of admissions) admission(tool, source)
        return []
      } catch (error) {
        void this.registry.unregister(tool.name, { drainMs: 0 })
        return [{ source: source.name, toolName: tool.name, error }]
      }
    })
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
    await Promise.all(this.registry.list().map(({ name }) => this.registry.unregister(name, { drainMs: 0 })))
    for (const hook of this.#hooks.splice(0)) hook[Symbol.dispose]()
  }

  #startedRouter(): ExecutorRouter {
    if (this.#router === undefined)
      throw new Error('The runtime has not been started: await runtime.start() first')
    return this.#router
  }

  #housekeeping(router: ExecutorRouter): ToolRegistryListener {
    const warn = (tool: ToolDefinition) => {
      const fields = { toolName: tool.name }
      if (!tool.description)
        this.logger.warn(fields, 'tool has no description: a model cannot know when to use it')
      if (tool.metadata.rateLimit !== undefined && !isRateLimited(router, tool)) {
        this.logger.warn(fields, 'metadata.rateLimit has no effect: no RateLimitInterceptor guards the tool')
      }
    }
    const forget = ({ inputSchema, outputSchema }: ToolDefinition) => {
      this.#validator.release(inputSchema)
      if (outputSchema !== undefined) this.#validator.release(outputSchema)
    }
    return {
      onToolRegistered: warn,
      onToolReplaced: (tool, previous) => {
        warn(tool)
        forget(previous)
      },
      onToolRemoved: forget,
    }
  }
}

function checksSchemas(validator: SchemaValidator): ToolAdmission {
  return ({ name, inputSchema, outputSchema }) => {
    const faults = [
      ...validator.check(inputSchema).map(({ path, message }) => ({ path: `inputSchema${path}`, message })),
      ...(outputSchema === undefined ? [] : validator.check(outputSchema)).map(({ path, message }) => ({
        path: `outputSchema${path}`,
        message,
      })),
    ]
    if (faults.length > 0) throw new ToolDefinitionError(name, faults)
  }
}

function requires(mandatory: readonly MandatoryInterceptor[], router: ExecutorRouter): ToolAdmission {
  return (tool, source) => {
    const arranged = router.arrange(tool, source.interceptors)
    const faults = mandatory
      .filter((one) => !arranged.some(({ interceptor }) => satisfies(interceptor, one)))
      .map((one) => ({
        path: 'interceptors',
        message: `the mandatory ${typeof one === 'string' ? one : one.name} is missing`,
      }))
    if (faults.length > 0) throw new ToolDefinitionError(tool.name, faults)
  }
}

function isRateLimited(router: ExecutorRouter, { name }: ToolDefinition): boolean {
  return router.explain(name).some(({ interceptor }) => interceptor instanceof RateLimitInterceptor)
}
