import { type Awaitable, isPromise } from '../registry/awaitable.js'
import { CallSuspension } from '../registry/call-suspension.js'
import { errorCopy } from '../registry/error-copy.js'
import { describe } from '../registry/json-value.js'
import { type AnyToolError, ToolError } from '../registry/tool-error.js'
import { ToolExecutionContext } from '../registry/tool-execution-context.js'
import { ToolExecutionResult, type ToolSuccess } from '../registry/tool-execution-result.js'
import { interceptorName, type Next, type ToolInterceptor } from '../registry/tool-interceptor.js'

/** What stands inside a chain: the next ring, or the executor. Throws or rejects on failure. */
export type Innermost = (ctx: ToolExecutionContext) => Awaitable<ToolSuccess>

/** One ring of interceptors, the first one outermost. Built once, run for every call; holds nothing of a call. */
export class InterceptorChain {
  readonly #interceptors: readonly ToolInterceptor[]
  readonly #argumentsAreFinal: boolean

  constructor(
    interceptors: readonly ToolInterceptor[],
    { argumentsAreFinal }: { readonly argumentsAreFinal: boolean },
  ) {
    this.#interceptors = interceptors
    this.#argumentsAreFinal = argumentsAreFinal
  }

  get isEmpty(): boolean {
    return this.#interceptors.length === 0
  }

  /**
   * Runs the hooks around `innermost` as `ToolInterceptor` promises, and rejects with a `ToolError`. With no interceptors
   * it is `innermost` itself: it may answer now, and throws what that throws.
   */
  run(ctx: ToolExecutionContext, innermost: Innermost): Awaitable<ToolSuccess> {
    return this.isEmpty ? innermost(ctx) : this.#runFrom(0, ctx, innermost)
  }

  async #runFrom(start: number, outerCtx: ToolExecutionContext, innermost: Innermost): Promise<ToolSuccess> {
    let ctx = outerCtx
    let result: ToolSuccess | undefined
    let error: AnyToolError | undefined
    let suspension: CallSuspension | undefined
    /** Those whose `beforeExecute` completed, each with the context that it passed on. */
    const entered: { readonly interceptor: ToolInterceptor; readonly ctx: ToolExecutionContext }[] = []
    /** A `beforeExecute` is running. */
    let isEntering = false

    try {
      for (let i = start; i < this.#interceptors.length; i++) {
        const interceptor = this.#interceptors[i] as ToolInterceptor
        isEntering = true
        const returned = interceptor.beforeExecute?.(ctx)
        const answer = isPromise(returned) ? await returned : returned
        if (isResult(interceptor, answer)) {
          if (ctx.suspension !== undefined) throw ctx.suspension
          result = requireSuccess(answer)
          break
        }
        if (ToolExecutionContext.is(answer)) {
          const refusal = this.#refusalOf(answer, ctx)
          if (refusal !== undefined) throw mistakeOf(interceptor, refusal)
          ctx = answer
        }
        isEntering = false
        entered.push({ interceptor, ctx })
        if (interceptor.aroundExecute !== undefined) {
          result = await this.#around(interceptor, i + 1, ctx, innermost)
          break
        }
      }
      result ??= await innermost(ctx)
    } catch (thrown) {
      // An interceptor that asks, and makes something of not getting an answer, waits all the same.
      suspension = CallSuspension.is(thrown) ? thrown : isEntering ? ctx.suspension : undefined
      if (suspension === undefined) error = ToolError.from(thrown)
    }

    for (let i = entered.length - 1; i >= 0; i--) {
      const { interceptor, ctx } = entered[i] as (typeof entered)[number]
      try {
        if (suspension !== undefined) {
          await interceptor.onSuspend?.(ctx)
          continue
        }
        const returned =
          error === undefined
            ? interceptor.afterExecute?.(ctx, result as ToolSuccess)
            : interceptor.onError?.(ctx, error)
        const answer = isPromise(returned) ? await returned : returned
        if (!isResult(interceptor, answer)) continue
        result = requireSuccess(answer)
        error = undefined
      } catch (thrown) {
        // A hook that asks lets the call wait; whoever cannot let it wait fails it.
        suspension = CallSuspension.is(thrown) ? thrown : undefined
        if (suspension !== undefined) error = undefined
        else error = error === undefined ? ToolError.from(thrown) : replacing(error, thrown)
      }
    }
    if (suspension !== undefined) throw suspension
    if (error !== undefined) throw error
    return result as ToolSuccess
  }

  async #around(
    interceptor: ToolInterceptor,
    inner: number,
    ctx: ToolExecutionContext,
    innermost: Innermost,
  ): Promise<ToolSuccess> {
    let state: 'ready' | 'running' | 'over' = 'ready'
    let hasCalled = false
    let suspension: CallSuspension | undefined
    /** Why the call waits, whatever the interceptor makes of that: as the last `next` said, or it has asked itself. */
    const waiting = () => suspension ?? (hasCalled ? undefined : ctx.suspension)
    const settled = () => {
      if (state === 'running') state = 'ready'
    }
    const failed = (thrown: unknown) => {
      settled()
      if (CallSuspension.is(thrown)) suspension = thrown
    }
    const next: Next = (innerCtx = ctx) => {
      if (suspension !== undefined) return rejected(suspension)
      const refusal = state === 'ready' ? this.#refusalOf(innerCtx, ctx) : nextMisuse[state]
      if (refusal !== undefined) return rejected(mistakeOf(interceptor, refusal))
      state = 'running'
      hasCalled = true
      const running = this.#runFrom(inner, innerCtx, innermost)
      // Also keeps a failure from ending the process where the interceptor drops the promise.
      running.then(settled, failed)
      return running
    }
    try {
      const answer: unknown = await interceptor.aroundExecute?.(ctx, next)
      if (waiting() !== undefined) throw waiting()
      if (ToolExecutionResult.is(answer)) return requireSuccess(answer)
      throw mistakeOf(
        interceptor,
        `aroundExecute must return a ToolExecutionResult (got ${describe(answer)})`,
      )
    } catch (thrown) {
      throw waiting() ?? thrown
    } finally {
      state = 'over'
    }
  }

  /** Why `changed` cannot stand in for `ctx`; nothing if it can. */
  #refusalOf(changed: ToolExecutionContext, ctx: ToolExecutionContext): string | undefined {
    if (!ToolExecutionContext.is(changed) || !changed.isOfSameCall(ctx)) {
      return 'a context must be made from the one given, by ctx.with(…)'
    }
    if (this.#argumentsAreFinal && changed.args !== ctx.args) {
      return 'arguments are final in the execution ring; change them in the request ring'
    }
    return undefined
  }
}

const nextMisuse = {
  running: 'next() was called again before the previous call of it had settled',
  over: 'next() was called after aroundExecute had returned',
}

/**
 * What a hook returns by the way, such as the number that a logger gave it, does not count. What is meant as an answer and
 * is none, an error or a look-alike result, must not be passed over: the hook may be a guard that says no.
 */
function isResult(interceptor: ToolInterceptor, answer: unknown): answer is ToolExecutionResult {
  if (ToolExecutionResult.is(answer)) return true
  if (ToolError.is(answer)) throw answer
  if (typeof answer !== 'object' || answer === null || !('ok' in answer) || typeof answer.ok !== 'boolean')
    return false
  throw mistakeOf(interceptor, 'a result must be made with ToolExecutionResult.success(…) or .failure(…)')
}

/** A returned failure is the same as throwing its error. */
function requireSuccess(result: ToolExecutionResult): ToolSuccess {
  if (result.ok) return result
  throw result.error
}

/** An error in the interceptor's own code: it is named in the log, and masked as any exception for the caller. */
function mistakeOf(interceptor: ToolInterceptor, what: string): AnyToolError {
  return ToolError.from(new TypeError(`${interceptorName(interceptor)}: ${what}`))
}

/** Rejects, and does not end the process where nobody looks. */
function rejected(error: AnyToolError | CallSuspension): Promise<never> {
  const promise = Promise.reject(error)
  promise.catch(() => undefined)
  return promise
}

/** What `thrown`, which came while `first` was handled, stands for; `first` is its cause unless it names another. */
function replacing(first: AnyToolError, thrown: unknown): AnyToolError {
  if (thrown === first || !(thrown instanceof Error) || thrown.cause !== undefined) {
    return ToolError.from(thrown)
  }
  return ToolError.from(errorCopy(thrown, { cause: first }))
}
