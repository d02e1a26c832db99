import type { InterceptorChain } from '../interceptors/chain.js'
import type { Logger } from '../interceptors/logger.js'
import { type Awaitable, andThen, isPromise } from '../registry/awaitable.js'
import { CallSuspension } from '../registry/call-suspension.js'
import type { DetachedCall, DetachOptions } from '../registry/detached-call.js'
import type { RegisteredDefinition } from '../registry/registered-definition.js'
import { type AnyToolError, ShuttingDownError, ToolError } from '../registry/tool-error.js'
import { type ToolCall, ToolExecutionContext } from '../registry/tool-execution-context.js'
import { ToolExecutionResult, type ToolSuccess } from '../registry/tool-execution-result.js'
import { runAlternatives } from './alternatives.js'
import { prepareArguments } from './arguments-run.js'
import type { AskingSettings } from './asking-call.js'
import { Call, type CallServices, type RunOfCall } from './call.js'
import { failureOf } from './call-failure.js'
import { CallLog } from './call-log.js'
import type { CallOptions } from './call-options.js'
import { type CallRequest, notFound } from './call-request.js'
import type { CallRound } from './call-round.js'
import type { CallRun, RunOutcome } from './call-run.js'
import { runInCall, throwIfTooDeep } from './call-scope.js'
import { type CallTask, startingTask } from './call-task.js'
import { DetachedRun, type DetachedWork } from './detached-run.js'
import { runExecutor } from './executor-run.js'
import { ResultGate, type ResultGateOptions } from './result-gate.js'
import { type Route, ring } from './route.js'
import { Routes, type RoutesOptions } from './routes.js'
import { RunningCalls } from './running-calls.js'

export interface ExecutorRouterOptions
  extends RoutesOptions,
    ResultGateOptions,
    Pick<CallServices, 'callTool' | 'mayAct'> {
  readonly logger: Logger
  /** The deadline of a call whose definition names none, in milliseconds. */
  readonly defaultTimeoutMs: number
  /** How long an answer to `ctx.ask` may take, in milliseconds. */
  readonly askTimeoutMs: number
}

/**
 * Runs every call, whatever door it came through, and never rejects: a failure of any kind is a result with `ok: false`.
 *
 * request ring (`InterceptorChain`) → `ArgumentsPipeline` → execution ring (`InterceptorChain`) → `runExecutor` →
 * `checkResult`, and back out through both rings; the `Call` keeps its deadline, its signal and its lease of the definition.
 */
export class ExecutorRouter {
  readonly #options: ExecutorRouterOptions
  /** What stands around each definition. */
  readonly routes: Routes
  /** Calls of what does not exist pass the shared request ring too. */
  readonly #unknownRing: InterceptorChain
  readonly #running = new RunningCalls()
  readonly #gate: ResultGate
  readonly #log: CallLog
  readonly #services: CallServices
  #isDraining = false

  constructor(options: ExecutorRouterOptions) {
    this.#options = options
    this.routes = new Routes(options)
    const { validator, askTimeoutMs, logger, callTool, mayAct } = options
    this.#gate = new ResultGate(options)
    this.#log = new CallLog(logger)
    const asking = {
      round: undefined,
      askTimeoutMs,
      formFaults: (schema) => validator.check(schema),
      checkForm: (schema, content) => validator.compile(schema)(content),
      onUnusable: (toolName, reason) => logger.warn({ toolName, reason }, 'an answer is asked for again'),
    } satisfies AskingSettings
    this.#services = { asking, callTool, mayAct, detach: (...work) => this.#detach(...work) }
    this.#unknownRing = ring('request', this.routes.arrange({ interceptors: [] }))
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
    const route = registered && this.routes.to(registered)
    const call = this.#newCall(request, options, round)
    const ctx = new ToolExecutionContext(call, request.input)
    if (registered !== undefined) call.take(registered)
    call.hasChain = !route?.isBare
    return new Promise((resolve) => {
      this.#running.add(call)
      const succeed = (result: ToolSuccess) => call.end(result)
      const fail = (thrown: unknown) => call.endFailed(thrown)
      try {
        call.begin((outcome) => {
          this.#leave(call)
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

  /** New calls are refused; resolves when the running ones have ended, which are aborted after `drainMs`. */
  async drain(drainMs: number): Promise<void> {
    this.#isDraining = true
    if (await this.#running.whenIdle(drainMs)) return
    this.#running.abortAll(({ outcome }) => new ShuttingDownError({ outcome }))
    await this.#running.whenIdle()
  }

  #newCall(
    { kind, name, registered, uri, task }: CallRequest,
    options: CallOptions,
    round?: CallRound,
  ): Call {
    const target = registered?.definition
    const called = { kind, toolName: target?.name ?? name, target, uri }
    const shared = this.#services
    const isPlain = round === undefined && task === undefined
    const services = isPlain ? shared : { ...shared, asking: { ...shared.asking, round, task } }
    return new Call(called, this.#timeoutMs(registered, options.timeoutMs), options, services)
  }

  /** Work that leaves a call is one more that runs, for the same definition. */
  #detach(
    from: RunOfCall,
    args: unknown,
    run: DetachedWork,
    { takesLateResult = false }: DetachOptions = {},
  ): DetachedCall {
    from.throwIfOver()
    const { lease } = from
    const route = lease && this.routes.to(lease)
    const detached = new DetachedRun(from, this.#timeoutMs(lease, undefined), { takesLateResult })
    if (lease !== undefined) detached.take(lease)
    this.#running.add(detached)
    return detached.start(args, run, {
      onEnd: () => this.#leave(detached),
      check: (result) => this.#gate.pass(detached, route, result),
    })
  }

  /** It has its outcome. Its lease waits for the work, if the outcome has not. */
  #leave(call: CallRun): void {
    this.#running.delete(call)
    if (!call.isWorking) call.giveBack()
    else {
      call.whenWorkSettles(() => call.giveBack())
      this.#log.answeredEarly(call)
    }
  }

  #runPrepared(
    call: Call,
    request: CallRequest,
    route: Route | undefined,
    ctx: ToolExecutionContext,
  ): Awaitable<ToolSuccess> {
    call.throwIfOver()
    if (this.#isDraining) throw new ShuttingDownError()
    throwIfTooDeep(request.name)
    if (route === undefined) throw notFound(request)
    if (request.execute !== undefined) return this.#runRing(call, { ...route, execute: request.execute }, ctx)
    const { task } = request
    const { alternatives } = route
    if (alternatives === undefined) return this.#runRoute(call, route, ctx, task)
    route.validators.compileResult()
    const run = (one: Route, inner: ToolExecutionContext) => this.#runRoute(call, one, inner, task)
    return runAlternatives(call, alternatives, ctx, { run, logger: this.#options.logger })
  }

  #runRoute(
    call: Call,
    route: Route,
    ctx: ToolExecutionContext,
    task: CallTask | undefined,
  ): Awaitable<ToolSuccess> {
    route.validators.compile()
    return andThen(prepareArguments(call, route.args, ctx), (args) => {
      const prepared = ctx.with({ args })
      const target = startingTask(route, task)
      if (!route.executionRing.isEmpty) return this.#runRing(call, target, prepared)
      // One promise fewer than with a ring that does nothing.
      return runExecutor(call, target, prepared, (result) => this.#checked(call, route, result))
    })
  }

  async #runRing(call: Call, route: Route, ctx: ToolExecutionContext): Promise<ToolSuccess> {
    try {
      // Under the context of work that has left the call, it is that which runs.
      const execute = (inner: ToolExecutionContext) => runExecutor(runOf(inner), route, inner)
      return this.#checked(call, route, await route.executionRing.run(ctx, execute))
    } catch (thrown) {
      if (CallSuspension.is(thrown)) throw thrown
      throw call.learn(ToolError.from(thrown).withOutcomeOf(call.outcome))
    }
  }

  #checked(call: Call, route: Route | undefined, result: ToolSuccess): ToolSuccess {
    call.checkedResult = this.#gate.pass(call, route, result)
    return call.checkedResult
  }

  #timeoutMs(registered: RegisteredDefinition | undefined, timeoutMs: number | undefined): number {
    const own = registered?.definition.metadata.timeoutMs ?? this.#options.defaultTimeoutMs
    const asked = Number(timeoutMs ?? own)
    return Number.isNaN(asked) ? own : Math.min(own, asked)
  }

  #answer(call: Call, route: Route | undefined, outcome: RunOutcome): ToolExecutionResult | CallSuspension {
    // The executor's own says of which call it is; one that an interceptor has made, or found, does not.
    if (outcome === call.checkedResult && outcome.toolName === call.toolName) return outcome
    if (CallSuspension.is(outcome)) return outcome
    try {
      if (ToolError.is(outcome)) throw outcome
      const checked = outcome === call.checkedResult ? outcome : this.#checked(call, route, outcome)
      return ToolExecutionResult.success(checked.value, { ...checked, ...call.stamp() })
    } catch (thrown) {
      return this.#failure(call, ToolError.from(thrown))
    }
  }

  #failure(call: Call, error: AnyToolError): ToolExecutionResult {
    this.#log.failed(call, error)
    return failureOf(call, error)
  }
}

/** Every context that comes back from a chain was made for one of our runs. */
function runOf(ctx: ToolExecutionContext): CallRun {
  return ToolExecutionContext.callOf(ctx) as ToolCall & CallRun
}
