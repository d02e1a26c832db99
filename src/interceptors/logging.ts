import { AttributeKey } from '../registry/call-attributes.js'
import type { AnyToolError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { ToolInterceptor } from '../registry/tool-interceptor.js'
import { unfailing } from './guarded-logger.js'
import { InterceptorOrder } from './interceptor-order.js'
import type { Logger } from './logger.js'
import { type RedactOptions, redactor } from './redaction.js'

export interface LoggingInterceptorOptions {
  readonly logger: Logger
  /** Log the arguments, as they were sent, redacted. Default `false`. */
  readonly args?: boolean
  /** What is secret in the arguments beside what `redact` knows; paths start at the arguments: `/card/number`. */
  readonly redact?: RedactOptions
  /** Default `InterceptorOrder.logging`. */
  readonly order?: number
}

interface Started {
  /** On the clock of `performance.now()`. */
  readonly at: number
  readonly args: unknown
}

/**
 * Logs the start of every call at `debug`, its end at `info` and its failure at `warn`, also of calls that never reach a
 * tool: an unknown one, bad arguments, a rate limit. Never hurts the call, whatever the logger does.
 *
 * The cause of `EXECUTION_FAILED` is not here: the router logs it, once, for every door.
 */
export class LoggingInterceptor implements ToolInterceptor {
  readonly ring = 'request'
  readonly order: number
  readonly #logger: Logger
  readonly #logsArgs: boolean
  readonly #redactArgs: (value: unknown) => unknown
  readonly #redact: (value: unknown) => unknown
  readonly #started = new AttributeKey<Started>('logging.started')

  constructor({
    logger,
    args = false,
    redact = {},
    order = InterceptorOrder.logging,
  }: LoggingInterceptorOptions) {
    requireLogger(logger)
    this.#logger = unfailing(logger)
    this.#logsArgs = args
    this.#redactArgs = redactor(redact)
    this.#redact = redactor({ ...redact, paths: [] })
    this.order = order
  }

  beforeExecute(ctx: ToolExecutionContext): void {
    const args = this.#logsArgs ? this.#redactArgs(ctx.args) : undefined
    ctx.attributes.set(this.#started, { at: performance.now(), args })
    this.#logger.debug(this.#fields(ctx), `${ctx.kind} call started`)
  }

  afterExecute(ctx: ToolExecutionContext, result: ToolExecutionResult): void {
    const degraded = result.ok && result.degraded ? { degraded: true } : {}
    this.#logger.info({ ...this.#fields(ctx), ...this.#duration(ctx), ...degraded }, `${ctx.kind} call ended`)
  }

  onSuspend(ctx: ToolExecutionContext): void {
    this.#logger.info(
      { ...this.#fields(ctx), ...this.#duration(ctx) },
      `${ctx.kind} call waits for an answer`,
    )
  }

  onError(ctx: ToolExecutionContext, error: AnyToolError): void {
    const { code, outcome } = error
    const fields = { ...this.#fields(ctx), ...this.#duration(ctx), code, outcome, ...this.#reason(error) }
    this.#logger.warn(fields, `${ctx.kind} call failed`)
  }

  #fields(ctx: ToolExecutionContext): Record<string, unknown> {
    const { callId, toolName, traceId, sessionId, principal, round } = ctx
    const args = ctx.attributes.get(this.#started)?.args
    return {
      toolName: printable(toolName),
      callId: typeof callId === 'string' ? printable(callId) : callId,
      traceId: printable(traceId),
      ...(round > 1 && { round }),
      ...(sessionId !== undefined && { sessionId: printable(sessionId) }),
      ...(principal !== undefined && { principal: printable(principal.subject) }),
      ...(args !== undefined && { args }),
    }
  }

  #duration(ctx: ToolExecutionContext): { readonly durationMs?: number } {
    const started = ctx.attributes.get(this.#started)
    return started === undefined
      ? {}
      : { durationMs: Math.round((performance.now() - started.at) * 1000) / 1000 }
  }

  /** What helps to find the fault, but for arguments that nobody asked for and causes that are logged elsewhere. */
  #reason(error: AnyToolError): Record<string, unknown> {
    if (error.code === 'INVALID_ARGUMENTS') {
      return { issues: this.#redact(error.issues.map(({ path, keyword }) => ({ path, keyword }))) }
    }
    const reason = { reason: printable(String(this.#redact(error.message)), 1_000) }
    const isToldElsewhere = error.code === 'EXECUTION_FAILED' || error.code === 'ABORTED'
    return isToldElsewhere || error.cause === undefined
      ? reason
      : { ...reason, err: this.#redact(error.cause) }
  }
}

function requireLogger(logger: Logger): void {
  const missing = (['debug', 'info', 'warn', 'error'] as const).filter(
    (level) => typeof logger?.[level] !== 'function',
  )
  if (missing.length === 0) return
  throw new TypeError(
    `LoggingInterceptor needs a logger shaped like pino; ${missing.join(', ')} must be functions`,
  )
}

/** A client sends these, so they may be anything: cut, and without what a terminal obeys or a reader cannot see. */
function printable(text: string, max = 128): string {
  const shown = text.length > max ? `${text.slice(0, max)}…` : text
  return shown.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
