import { AsyncLocalStorage } from 'node:async_hooks'
import { CallSuspension } from '../registry/call-suspension.js'
import type { Descriptor } from '../registry/descriptor.js'
import { errorCopy } from '../registry/error-copy.js'
import { describe } from '../registry/json-value.js'
import { type AnyToolError, ToolError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import { ToolExecutionResult, type ToolSuccess } from '../registry/tool-execution-result.js'
import type { Next, ToolInterceptor } from '../registry/tool-interceptor.js'
import { isHarmless } from '../registry/tool-metadata.js'
import { verdict } from '../registry/visibility.js'
import { isHealthFailure } from './failures/health-failure.js'
import { InterceptorOrder } from './interceptor-order.js'
import { type LastGoodOptions, LastGoodResults } from './results/last-good-results.js'

/** What stands in; where there are several, in this order, until one has an answer. At least one must be given. */
export interface FallbackInterceptorOptions {
  /** First the last good result of the same caller, definition and arguments; only of what is read-only. */
  readonly lastGood?: boolean | LastGoodOptions
  /** Then another tool, called as the same caller, with all that stands around it. For tools alone. */
  readonly tool?: string
  /** Its arguments. Default: the same. */
  readonly input?: (ctx: ToolExecutionContext) => unknown
  /** Then a value, or what the function gives: a value, or a `ToolExecutionResult`. */
  readonly value?:
    | string
    | number
    | boolean
    | object
    | null
    | ((ctx: ToolExecutionContext, error: AnyToolError) => unknown)
  /** Narrows the failures that are stood in for. */
  readonly when?: (error: AnyToolError, ctx: ToolExecutionContext) => boolean
  /** Default `InterceptorOrder.fallback`. */
  readonly order?: number
}

/** Gives an answer, or none, or rejects. */
type StandIn = (ctx: ToolExecutionContext, error: AnyToolError) => Promise<ToolExecutionResult | undefined>

/** Which tools are being stood in for around the running code: none stands in for itself by way of others, or is stood in for again. */
const standingIn = new AsyncLocalStorage<ReadonlySet<string>>()

/**
 * Answers in place of what failed for reasons of health: a time-out of an attempt, an upstream, an exception, overload, an
 * open circuit, unavailability. Never in place of a refusal or of bad arguments, nor of an alternative after which another
 * is tried (`toolRoutes`); never where the work may have acted, unless it is idempotent or read-only: a model has to hear of
 * that, also where a stand-in may have acted and failed; and not once the call itself is over. The answer is marked
 * `degraded`. If nothing can stand in either, the call fails as it did, with what else failed among the causes.
 */
export class FallbackInterceptor implements ToolInterceptor {
  readonly order: number
  readonly #lastGood: LastGoodResults | undefined
  readonly #when: ((error: AnyToolError, ctx: ToolExecutionContext) => boolean) | undefined
  readonly #standIns: readonly StandIn[]
  readonly #explanation: Readonly<Record<string, unknown>>

  constructor(options: FallbackInterceptorOptions) {
    requireOptions(options)
    const { lastGood, tool, input, value, when, order = InterceptorOrder.fallback } = options
    const kept = lastGood ? new LastGoodResults(lastGood === true ? {} : lastGood) : undefined
    this.order = order
    this.#lastGood = kept
    this.#when = when
    this.#standIns = [
      ...(kept === undefined ? [] : [(ctx: ToolExecutionContext) => kept.find(ctx)]),
      ...(tool === undefined ? [] : [otherTool(tool, input)]),
      ...(value === undefined ? [] : [ownValue(value)]),
    ]
    this.#explanation = Object.freeze({
      ...(kept && { lastGood: Object.freeze({ maxAgeMs: kept.maxAgeMs }) }),
      ...(tool !== undefined && { tool }),
      ...(value !== undefined && { value: true }),
    })
  }

  async aroundExecute(ctx: ToolExecutionContext, next: Next): Promise<ToolExecutionResult> {
    let result: ToolExecutionResult
    try {
      result = await next()
    } catch (thrown) {
      if (CallSuspension.is(thrown)) throw thrown
      const error = ToolError.from(thrown)
      return await this.#standIn(ctx, error)
    }
    if (result.ok) this.#lastGood?.keep(ctx, result)
    return result
  }

  explain({ metadata: { readOnly } }: Descriptor): Readonly<Record<string, unknown>> {
    const { lastGood, ...others } = this.#explanation
    return readOnly ? this.#explanation : others
  }

  #mayStandIn(ctx: ToolExecutionContext, error: AnyToolError): boolean {
    if (ctx.signal.aborted || !isHealthFailure(error)) return false
    const { target } = ctx
    if (target === undefined) return false
    // The last attempt may have done nothing, and one before it something.
    const hasNotActed = error.outcome === 'not-started' && ctx.outcome === 'not-started'
    if (!hasNotActed && !isHarmless(target.metadata)) return false
    // An alternative of the tool is the tool itself: the router tries it, and the last one is stood in for.
    if (ctx.hasNextAlternative && (hasNotActed || target.metadata.idempotent)) return false
    return this.#when === undefined || verdict(this.#when(error, ctx), 'when of a fallback')
  }

  #standInsFor(ctx: ToolExecutionContext, error: AnyToolError, failures: unknown[]): readonly StandIn[] {
    try {
      return this.#mayStandIn(ctx, error) ? this.#standIns : []
    } catch (thrown) {
      // Whoever cannot tell says no.
      failures.push(thrown)
      return []
    }
  }

  async #standIn(ctx: ToolExecutionContext, error: AnyToolError): Promise<ToolSuccess> {
    const failures: unknown[] = []
    for (const standIn of this.#standInsFor(ctx, error, failures)) {
      if (ctx.signal.aborted) break
      try {
        const result = await standIn(ctx, error)
        if (result === undefined) continue
        if (!result.ok) {
          failures.push(result.error)
          if (result.mayHaveActed) break
          continue
        }
        // Whose answer it is, and how long it took, the router says.
        return ToolExecutionResult.success(result.value, { ...result, toolName: '', degraded: true })
      } catch (thrown) {
        if (CallSuspension.is(thrown)) throw thrown
        failures.push(thrown)
      }
    }
    throw failures.length === 0 ? error : withFailures(error, failures)
  }
}

function otherTool(name: string, input: FallbackInterceptorOptions['input']): StandIn {
  return async (ctx, _error) => {
    if (ctx.kind !== 'tool' || ctx.toolName === name) return undefined
    const around = standingIn.getStore() ?? new Set()
    if (around.has(name) || around.has(ctx.toolName)) return undefined
    const args = input === undefined ? ctx.args : await input(ctx)
    return standingIn.run(new Set([...around, ctx.toolName]), () => ctx.call(name, args))
  }
}

function ownValue(value: unknown): StandIn {
  return async (ctx, error) => {
    const given: unknown = typeof value === 'function' ? await value(ctx, error) : value
    if (ToolError.is(given)) throw given
    return ToolExecutionResult.is(given) ? given : ToolExecutionResult.success(given)
  }
}

/** The error that the call fails with, whatever its fallback met; nothing that explains it is lost. */
function withFailures(error: AnyToolError, failures: readonly unknown[]): AnyToolError {
  const causes = error.cause === undefined ? failures : [error.cause, ...failures]
  const message = 'The tool failed, and so did what should stand in for it'
  return errorCopy(error, { cause: causes.length === 1 ? causes[0] : new AggregateError(causes, message) })
}

function requireOptions(options: FallbackInterceptorOptions): void {
  const { lastGood, tool, input, value, when } = options ?? {}
  if ((lastGood === undefined || lastGood === false) && tool === undefined && value === undefined) {
    throw new TypeError('FallbackInterceptor needs something that stands in: lastGood, tool or value')
  }
  requireType('lastGood', lastGood, ['boolean', 'object'], 'true or { maxAgeMs }')
  requireType('tool', tool, ['string'], 'the name of a tool')
  requireType('input', input, ['function'], 'a function of the context')
  requireType('when', when, ['function'], 'a function of error and context')
}

function requireType(option: string, value: unknown, types: readonly string[], right: string): void {
  if (value === undefined || (value !== null && types.includes(typeof value))) return
  throw new TypeError(`${option} of a fallback must be ${right} (got ${describe(value)})`)
}
