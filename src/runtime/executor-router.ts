import { type ArrangedInterceptor, arrange } from '../interceptors/arrangement.js'
import { InterceptorChain } from '../interceptors/chain.js'
import type { Logger } from '../interceptors/logger.js'
import { type Awaitable, andThen, isPromise } from '../registry/awaitable.js'
import type { RegisteredTool } from '../registry/registered-tool.js'
import type { ToolDefinition } from '../registry/tool-definition.js'
import {
  type AnyToolError,
  ShuttingDownError,
  ToolError,
  ToolNotFoundError,
  ToolUnavailableError,
} from '../registry/tool-error.js'
import { ToolExecutionContext } from '../registry/tool-execution-context.js'
import { ToolExecutionResult, type ToolSuccess } from '../registry/tool-execution-result.js'
import type { ToolInterceptor } from '../registry/tool-interceptor.js'
import type { ToolRegistry } from '../registry/tool-registry.js'
import { ArgumentsPipeline } from './arguments.js'
import { Call } from './call.js'
import type { CallOptions } from './call-options.js'
import { runInCall } from './call-scope.js'
import { runExecutor } from './executor-run.js'
import { checkResult } from './result-check.js'
import { RunningCalls } from './running-calls.js'
import type { SchemaValidator } from './schema/schema-validator.js'
import { ToolValidators } from './tool-validators.js'

export interface ExecutorRouterOptions {
  readonly registry: ToolRegistry
  readonly validator: SchemaValidator
  readonly logger: Logger
  /** Around every tool, and around calls of tools that do not exist. */
  readonly interceptors: readonly ToolInterceptor[]
  readonly isMandatory: (interceptor: ToolInterceptor) => boolean
  /** The deadline of a call whose tool names none, in milliseconds. */
  readonly defaultTimeoutMs: number
  /** The largest result, in characters of JSON, roughly. */
  readonly maxResultSize: number
}

/** A tool with all that stands around it, built once. */
interface Route {
  readonly tool: ToolDefinition
  readonly validators: ToolValidators
  readonly args: ArgumentsPipeline
  readonly requestRing: InterceptorChain
  readonly executionRing: InterceptorChain
}

/**
 * Runs every call, whatever door it came through, and never rejects: a failure of any kind is a result with `ok: false`.
 *
 * request ring (`InterceptorChain`) → `ArgumentsPipeline` → execution ring (`InterceptorChain`) → `runExecutor` →
 * `checkResult`, and back out through both rings; the `Call` keeps its deadline, its signal and its lease of the tool.
 */
export class ExecutorRouter {
  readonly #options: ExecutorRouterOptions
  readonly #routes = new WeakMap<RegisteredTool, Route>()
  /** Calls of unknown tools pass the shared request ring too. */
  readonly #unknownRing: InterceptorChain
  readonly #running = new RunningCalls()
  #isDraining = false

  constructor(options: ExecutorRouterOptions) {
    this.#options = options
    this.#unknownRing = ring('request', arrange({ shared: options.interceptors, provider: [], tool: [] }))
  }

  call(toolName: string, input: unknown, options: CallOptions = {}): Promise<ToolExecutionResult> {
    const registered = this.#options.registry.registered(toolName)
    const route = registered && this.#routeOf(registered)
    const call = new Call(toolName, registered?.definition, this.#timeoutMs(registered, options), options)
    const ctx = new ToolExecutionContext(call, input)
    if (registered !== undefined) call.take(registered)
    call.hasChain = !(route?.requestRing.isEmpty && route.executionRing.isEmpty)
    return new Promise((resolve) => {
      this.#running.add(call)
      const succeed = (result: ToolSuccess) => call.end(result)
      const fail = (thrown: unknown) => call.end(ToolError.from(thrown))
      try {
        call.begin((outcome) => {
          this.#running.delete(call)
          if (call.isWorking) this.#giveBackLater(call)
          else call.giveBack()
          resolve(this.#answer(call, route, outcome))
        })
        const chain = route?.requestRing ?? this.#unknownRing
        const ended = runInCall(call, ctx, () =>
          chain.run(ctx, (inner) => this.#runPrepared(call, route, inner)),
        )
        if (isPromise(ended)) ended.then(succeed, fail)
        else succeed(ended)
      } catch (thrown) {
        fail(thrown)
      }
    })
  }

  /** The effective interceptors of a tool, outermost first. Throws `ToolNotFoundError`. */
  explain(toolName: string): readonly ArrangedInterceptor[] {
    const registered = this.#options.registry.registered(toolName)
    if (registered === undefined) throw new ToolNotFoundError(toolName)
    return this.arrange(registered.definition, registered.source.interceptors)
  }

  /** The interceptors that a tool would run with, outermost first. */
  arrange(tool: ToolDefinition, ofProvider: readonly ToolInterceptor[] = []): readonly ArrangedInterceptor[] {
    const { interceptors, isMandatory } = this.#options
    return arrange({ shared: interceptors, provider: ofProvider, tool: tool.interceptors }, isMandatory)
  }

  /** Compiles every schema now rather than at the first call. Returns the tools that cannot be used, with the reason. */
  warmUp(): readonly ToolUnavailableError[] {
    const failures: ToolUnavailableError[] = []
    for (const { name } of this.#options.registry.list()) {
      const registered = this.#options.registry.registered(name)
      try {
        if (registered !== undefined) this.#routeOf(registered).validators.compile()
      } catch (thrown) {
        if (!(thrown instanceof ToolUnavailableError)) throw thrown
        failures.push(thrown)
      }
    }
    return failures
  }

  /** New calls are refused; resolves when the running ones have ended, which are aborted after `drainMs`. */
  async drain(drainMs: number): Promise<void> {
    this.#isDraining = true
    if (await this.#running.whenIdle(drainMs)) return
    this.#running.abortAll(({ outcome }) => new ShuttingDownError({ outcome }))
    await this.#running.whenIdle()
  }

  #runPrepared(call: Call, route: Route | undefined, ctx: ToolExecutionContext): Awaitable<ToolSuccess> {
    call.throwIfOver()
    if (this.#isDraining) throw new ShuttingDownError()
    if (route === undefined) throw new ToolNotFoundError(call.toolName)
    route.validators.compile()
    return andThen(route.args.prepare(ctx.args), (args) => {
      const prepared = ctx.with({ args })
      if (!route.executionRing.isEmpty) return this.#runRing(call, route, prepared)
      // One promise fewer than with a ring that does nothing.
      return runExecutor(call, route.tool, prepared, (result) => this.#checked(call, route, result))
    })
  }

  async #runRing(call: Call, route: Route, ctx: ToolExecutionContext): Promise<ToolSuccess> {
    try {
      const execute = (inner: ToolExecutionContext) => runExecutor(call, route.tool, inner)
      return this.#checked(call, route, await route.executionRing.run(ctx, execute))
    } catch (thrown) {
      throw ToolError.from(thrown).withOutcomeOf(call.outcome)
    }
  }

  #checked(call: Call, route: Route | undefined, result: ToolSuccess): ToolSuccess {
    const maxSize = this.#options.maxResultSize
    checkResult(call.toolName, result, { validate: route?.validators.result, maxSize })
    call.checkedResult = result
    return result
  }

  /** The answer did not wait for the work; the tool's lease does. */
  #giveBackLater(call: Call): void {
    const { toolName, callId, traceId } = call
    this.#options.logger.warn({ toolName, callId, traceId }, 'answered while the tool is still working')
    call.whenWorkSettles(() => {
      call.giveBack()
      this.#options.logger.info({ toolName, callId, traceId }, 'the work of an answered call has ended')
    })
  }

  #routeOf(registered: RegisteredTool): Route {
    const known = this.#routes.get(registered)
    if (known !== undefined) return known
    const arranged = this.arrange(registered.definition, registered.source.interceptors)
    const tool = registered.definition
    const validators = new ToolValidators(tool, this.#options.validator)
    const route: Route = {
      tool,
      validators,
      args: new ArgumentsPipeline(tool, validators),
      requestRing: ring('request', arranged),
      executionRing: ring('execution', arranged),
    }
    this.#routes.set(registered, route)
    return route
  }

  #timeoutMs(registered: RegisteredTool | undefined, { timeoutMs }: CallOptions): number {
    const own = registered?.definition.metadata.timeoutMs ?? this.#options.defaultTimeoutMs
    const asked = Number(timeoutMs ?? own)
    return Number.isNaN(asked) ? own : Math.min(own, asked)
  }

  #answer(call: Call, route: Route | undefined, outcome: ToolSuccess | AnyToolError): ToolExecutionResult {
    if (outcome === call.checkedResult) return outcome
    try {
      if (ToolError.is(outcome)) throw outcome
      this.#checked(call, route, outcome)
      return ToolExecutionResult.success(outcome.value, { ...outcome, ...call.stamp() })
    } catch (thrown) {
      return this.#failure(call, ToolError.from(thrown))
    }
  }

  #failure(call: Call, error: AnyToolError): ToolExecutionResult {
    if (error.code === 'EXECUTION_FAILED' && error.cause !== undefined) {
      const { toolName, callId, traceId } = call
      this.#options.logger.error({ toolName, callId, traceId, err: error.cause }, 'tool failed')
    }
    return ToolExecutionResult.failure(error.withOutcomeOf(call.outcome), call.stamp())
  }
}

function ring(name: 'request' | 'execution', arranged: readonly ArrangedInterceptor[]): InterceptorChain {
  const interceptors = arranged.filter((one) => one.ring === name).map(({ interceptor }) => interceptor)
  return new InterceptorChain(interceptors, { argumentsAreFinal: name === 'execution' })
}
