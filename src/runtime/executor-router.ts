import { type ArrangedInterceptor, arrange } from '../interceptors/arrangement.js'
import type { InterceptorChain } from '../interceptors/chain.js'
import type { Logger } from '../interceptors/logger.js'
import { type Awaitable, andThen, isPromise } from '../registry/awaitable.js'
import { CallSuspension } from '../registry/call-suspension.js'
import type { CallableDefinition } from '../registry/callable-definition.js'
import type { RegisteredDefinition } from '../registry/registered-definition.js'
import { type AnyToolError, ShuttingDownError, ToolError } from '../registry/tool-error.js'
import { ToolExecutionContext } from '../registry/tool-execution-context.js'
import { ToolExecutionResult, type ToolSuccess } from '../registry/tool-execution-result.js'
import type { ToolInterceptor } from '../registry/tool-interceptor.js'
import { Call, type CallOutcome } from './call.js'
import type { CallOptions } from './call-options.js'
import { type CallRequest, notFound } from './call-request.js'
import type { CallRound } from './call-round.js'
import { runInCall } from './call-scope.js'
import type { AskingSettings } from './dialogue.js'
import { runExecutor } from './executor-run.js'
import { checkResult } from './result-check.js'
import { type Route, ring, routeTo } from './route.js'
import { RunningCalls } from './running-calls.js'
import type { SchemaValidator } from './schema/schema-validator.js'

export interface ExecutorRouterOptions {
  readonly validator: SchemaValidator
  readonly logger: Logger
  /** Around every definition, and around calls of what does not exist. */
  readonly interceptors: readonly ToolInterceptor[]
  readonly isMandatory: (interceptor: ToolInterceptor) => boolean
  /** The deadline of a call whose definition names none, in milliseconds. */
  readonly defaultTimeoutMs: number
  /** How long an answer to `ctx.ask` may take, in milliseconds. */
  readonly askTimeoutMs: number
  /** The largest result of a definition that names none, in characters of JSON, roughly. */
  readonly maxResultSize: number
  /** May answer with something smaller what is too large; without an answer it is refused. */
  readonly spill: (call: Call, definition: CallableDefinition, result: ToolSuccess) => ToolSuccess | undefined
}

/**
 * Runs every call, whatever door it came through, and never rejects: a failure of any kind is a result with `ok: false`.
 *
 * request ring (`InterceptorChain`) → `ArgumentsPipeline` → execution ring (`InterceptorChain`) → `runExecutor` →
 * `checkResult`, and back out through both rings; the `Call` keeps its deadline, its signal and its lease of the definition.
 */
export class ExecutorRouter {
  readonly #options: ExecutorRouterOptions
  readonly #routes = new WeakMap<RegisteredDefinition, Route>()
  /** Calls of what does not exist pass the shared request ring too. */
  readonly #unknownRing: InterceptorChain
  readonly #running = new RunningCalls()
  readonly #asking: AskingSettings
  #isDraining = false

  constructor(options: ExecutorRouterOptions) {
    this.#options = options
    const { validator, askTimeoutMs, logger } = options
    this.#asking = {
      round: undefined,
      askTimeoutMs,
      formFaults: (schema) => validator.check(schema),
      checkForm: (schema, content) => validator.compile(schema)(content),
      onUnusable: (toolName, reason) => logger.warn({ toolName, reason }, 'an answer is asked for again'),
    }
    this.#unknownRing = ring('request', arrange({ shared: options.interceptors, provider: [], tool: [] }))
  }

  /** With `round` the call may end with a question. */
  run(request: CallRequest, options: CallOptions): Promise<ToolExecutionResult>
  run(
    request: CallRequest,
    options: CallOptions,
    round: CallRound | undefined,
  ): Promise<ToolExecutionResult | CallSuspension>
  run(
    request: CallRequest,
    options: CallOptions,
    round?: CallRound,
  ): Promise<ToolExecutionResult | CallSuspension> {
    const { registered } = request
    const route = registered && this.#routeOf(registered)
    const call = this.#newCall(request, options, round)
    const ctx = new ToolExecutionContext(call, request.input)
    if (registered !== undefined) call.take(registered)
    call.hasChain = !(route?.requestRing.isEmpty && route.executionRing.isEmpty)
    return new Promise((resolve) => {
      this.#running.add(call)
      const succeed = (result: ToolSuccess) => call.end(result)
      const fail = (thrown: unknown) => call.end(CallSuspension.is(thrown) ? thrown : ToolError.from(thrown))
      try {
        call.begin((outcome) => {
          this.#running.delete(call)
          if (call.isWorking) this.#giveBackLater(call)
          else call.giveBack()
          resolve(this.#answer(call, route, outcome))
        })
        const chain = route?.requestRing ?? this.#unknownRing
        const ended = runInCall(call, ctx, () =>
          chain.run(ctx, (inner) => this.#runPrepared(call, request, route, inner)),
        )
        if (isPromise(ended)) ended.then(succeed, fail)
        else succeed(ended)
      } catch (thrown) {
        fail(thrown)
      }
    })
  }

  /** The interceptors that a definition would run with, outermost first. */
  arrange(
    { interceptors: own }: CallableDefinition,
    ofProvider: readonly ToolInterceptor[] = [],
  ): readonly ArrangedInterceptor[] {
    const { interceptors, isMandatory } = this.#options
    return arrange({ shared: interceptors, provider: ofProvider, tool: own }, isMandatory)
  }

  /** Compiles the schemas of a definition. Throws `ToolUnavailableError`. */
  compile(registered: RegisteredDefinition): void {
    this.#routeOf(registered).validators.compile()
  }

  /** New calls are refused; resolves when the running ones have ended, which are aborted after `drainMs`. */
  async drain(drainMs: number): Promise<void> {
    this.#isDraining = true
    if (await this.#running.whenIdle(drainMs)) return
    this.#running.abortAll(({ outcome }) => new ShuttingDownError({ outcome }))
    await this.#running.whenIdle()
  }

  #newCall({ kind, name, registered, uri }: CallRequest, options: CallOptions, round?: CallRound): Call {
    const target = registered?.definition
    const called = { kind, toolName: target?.name ?? name, target, uri }
    const asking = round === undefined ? this.#asking : { ...this.#asking, round }
    return new Call(called, this.#timeoutMs(registered, options), options, asking)
  }

  #runPrepared(
    call: Call,
    request: CallRequest,
    route: Route | undefined,
    ctx: ToolExecutionContext,
  ): Awaitable<ToolSuccess> {
    call.throwIfOver()
    if (this.#isDraining) throw new ShuttingDownError()
    if (route === undefined) throw notFound(request)
    if (request.execute !== undefined) return this.#runRing(call, { ...route, execute: request.execute }, ctx)
    route.validators.compile()
    return andThen(route.args.prepare(ctx.args), (args) => {
      const prepared = ctx.with({ args })
      if (!route.executionRing.isEmpty) return this.#runRing(call, route, prepared)
      // One promise fewer than with a ring that does nothing.
      return runExecutor(call, route, prepared, (result) => this.#checked(call, route, result))
    })
  }

  async #runRing(call: Call, route: Route, ctx: ToolExecutionContext): Promise<ToolSuccess> {
    try {
      const execute = (inner: ToolExecutionContext) => runExecutor(call, route, inner)
      return this.#checked(call, route, await route.executionRing.run(ctx, execute))
    } catch (thrown) {
      if (CallSuspension.is(thrown)) throw thrown
      throw ToolError.from(thrown).withOutcomeOf(call.outcome)
    }
  }

  #checked(call: Call, route: Route | undefined, result: ToolSuccess): ToolSuccess {
    call.checkedResult = this.#check(call, route, result)
    return call.checkedResult
  }

  #check(call: Call, route: Route | undefined, result: ToolSuccess): ToolSuccess {
    const { maxResultSize, spill } = this.#options
    const definition = route?.definition
    const maxSize = definition?.metadata.maxResultSize ?? maxResultSize
    const validate = call.kind === 'completion' ? undefined : route?.validators.result
    try {
      checkResult(definition ?? { name: call.toolName }, result, { validate, maxSize })
      return result
    } catch (thrown) {
      const smaller = isTooLarge(thrown) && definition && spill(call, definition, result)
      if (!smaller) throw thrown
      return smaller
    }
  }

  /** The answer did not wait for the work; the definition's lease does. */
  #giveBackLater(call: Call): void {
    const { logger } = this.#options
    let isTold = false
    call.whenWorkSettles(() => {
      call.giveBack()
      if (isTold) logger.info(idsOf(call), 'the work of an answered call has ended')
    })
    // Work that heeds its signal, or that waits for an answer, ends in this turn.
    setImmediate(() => {
      if (!call.isWorking) return
      isTold = true
      logger.warn(idsOf(call), `answered while the ${call.kind} is still working`)
    })
  }

  #routeOf(registered: RegisteredDefinition): Route {
    const known = this.#routes.get(registered)
    if (known !== undefined) return known
    const { definition, source } = registered
    const arranged = this.arrange(definition, source.interceptors)
    const route = routeTo(definition, arranged, this.#options.validator)
    this.#routes.set(registered, route)
    return route
  }

  #timeoutMs(registered: RegisteredDefinition | undefined, { timeoutMs }: CallOptions): number {
    const own = registered?.definition.metadata.timeoutMs ?? this.#options.defaultTimeoutMs
    const asked = Number(timeoutMs ?? own)
    return Number.isNaN(asked) ? own : Math.min(own, asked)
  }

  #answer(call: Call, route: Route | undefined, outcome: CallOutcome): ToolExecutionResult | CallSuspension {
    if (outcome === call.checkedResult) return outcome
    if (CallSuspension.is(outcome)) return outcome
    try {
      if (ToolError.is(outcome)) throw outcome
      const checked = this.#checked(call, route, outcome)
      return ToolExecutionResult.success(checked.value, { ...checked, ...call.stamp() })
    } catch (thrown) {
      return this.#failure(call, ToolError.from(thrown))
    }
  }

  #failure(call: Call, error: AnyToolError): ToolExecutionResult {
    const { logger } = this.#options
    if (error.code === 'EXECUTION_FAILED' && error.cause !== undefined) {
      logger.error({ ...idsOf(call), err: error.cause }, `${call.kind} failed`)
    }
    // Its author has to know: the caller can do nothing about it.
    if (error.code === 'INVALID_RESULT')
      logger.error({ ...idsOf(call), err: error }, `${call.kind} gave an invalid result`)
    return ToolExecutionResult.failure(error.withOutcomeOf(call.outcome), call.stamp())
  }
}

/** What the log knows a call by. */
function idsOf({ kind, toolName, callId, traceId }: Call) {
  return { ...(kind !== 'tool' && { kind }), toolName, callId, traceId }
}

function isTooLarge(thrown: unknown): boolean {
  return ToolError.is(thrown) && thrown.code === 'RESULT_TOO_LARGE'
}
