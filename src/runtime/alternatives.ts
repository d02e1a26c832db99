import { isHealthFailure } from '../interceptors/failures/health-failure.js'
import type { Logger } from '../interceptors/logger.js'
import type { Awaitable } from '../registry/awaitable.js'
import { CallSuspension } from '../registry/call-suspension.js'
import { ALTERNATIVE_STEP } from '../registry/callable-definition.js'
import { errorCopy } from '../registry/error-copy.js'
import { type AnyToolError, ToolError } from '../registry/tool-error.js'
import { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { ToolSuccess } from '../registry/tool-execution-result.js'
import { isVisibleTo, verdict } from '../registry/visibility.js'
import type { CallRun } from './call-run.js'
import type { AlternativeRoute } from './route.js'

export interface AlternativesRun {
  readonly run: (route: AlternativeRoute, ctx: ToolExecutionContext) => Awaitable<ToolSuccess>
  readonly logger: Logger
}

/** Runs the first alternative that can be had, and the next where the call may still go elsewhere: see `toolRoutes`. */
export async function runAlternatives(
  call: CallRun,
  routes: readonly AlternativeRoute[],
  ctx: ToolExecutionContext,
  { run, logger }: AlternativesRun,
): Promise<ToolSuccess> {
  const begun = ctx.round > 1 ? await begunEarlier(routes, ctx) : undefined
  const candidates = begun === undefined ? candidatesOf(routes, ctx, logger) : [begun]
  let earlier: AnyToolError | undefined
  for (const [index, route] of candidates.entries()) {
    const { label } = route.alternative
    const isLast = index === candidates.length - 1
    try {
      await ctx.once(stepOf(route), () => true)
      return await run(route, ToolExecutionContext.on(ctx, { label, isLast }))
    } catch (thrown) {
      if (CallSuspension.is(thrown)) throw thrown
      const error = ToolError.from(thrown)
      const isRefused = earlier !== undefined && error.code === 'INVALID_ARGUMENTS'
      // What the caller sent was good enough for another: it is not the caller who can mend it.
      const answer = isRefused ? earlier : withEarlier(error, earlier)
      const goesOn = !isLast && (isRefused || mayGoElsewhere(call, error))
      if (isRefused)
        warn(logger, ctx, label, error, 'an alternative has no use for arguments that another took')
      else if (goesOn) warn(logger, ctx, label, error, 'an alternative failed: the next one is tried')
      if (!goesOn) throw answer
      earlier = answer
    }
  }
  throw new Error('a tool has at least one alternative')
}

/** Another alternative may do better, and nothing is done twice by it. */
function mayGoElsewhere(call: CallRun, error: AnyToolError): boolean {
  if (call.interruptedBy !== undefined || !isHealthFailure(error)) return false
  const hasNotActed = error.outcome === 'not-started' && call.outcome === 'not-started'
  // That one service takes the idempotency key does not keep another from doing the work again.
  return hasNotActed || call.target?.metadata.idempotent === true
}

/** The later failure is answered, with the earlier as its cause if it names none; that has been logged. */
function withEarlier(error: AnyToolError, earlier: AnyToolError | undefined): AnyToolError {
  return earlier === undefined || error.cause !== undefined ? error : errorCopy(error, { cause: earlier })
}

/** Those that serve this caller and are healthy; where none is, it is worth a try. */
function candidatesOf(
  routes: readonly AlternativeRoute[],
  ctx: ToolExecutionContext,
  logger: Logger,
): readonly AlternativeRoute[] {
  const says = (what: string, rule: () => boolean, label: string) => {
    try {
      return rule()
    } catch (err) {
      warn(logger, ctx, label, err, `the ${what} of an alternative cannot be told: it is passed over`)
      return false
    }
  }
  const isOpen = ({ alternative: { label, definition } }: AlternativeRoute, index: number) =>
    // Whoever calls the tool may see it, and so the first one.
    index === 0 || says('visibility', () => isVisibleTo(definition.metadata.visibility, ctx.principal), label)
  const isHealthy = ({ alternative: { label, isHealthy } }: AlternativeRoute) =>
    isHealthy === undefined || says('health', () => verdict(isHealthy(), 'isHealthy'), label)
  const open = routes.filter(isOpen)
  const healthy = open.filter(isHealthy)
  return healthy.length === 0 ? open : healthy
}

/** The one that asked in an earlier round, which may have acted by then: the call goes on there and nowhere else. */
async function begunEarlier(
  routes: readonly AlternativeRoute[],
  ctx: ToolExecutionContext,
): Promise<AlternativeRoute | undefined> {
  for (const route of routes.toReversed()) {
    const wasBegun = await ctx
      .once(stepOf(route), () => Promise.reject(new Error('not begun')))
      .then(
        () => true,
        () => false,
      )
    if (wasBegun) return route
  }
  return undefined
}

function stepOf({ alternative }: AlternativeRoute): string {
  return ALTERNATIVE_STEP + alternative.label
}

function warn(
  logger: Logger,
  ctx: ToolExecutionContext,
  alternative: string,
  err: unknown,
  what: string,
): void {
  const { toolName, callId, traceId } = ctx
  logger.warn({ toolName, callId, traceId, alternative, err }, what)
}
