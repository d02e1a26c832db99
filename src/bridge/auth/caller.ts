import type { Logger } from '../../interceptors/logger.js'
import { redact } from '../../interceptors/redaction.js'
import { REDACTED } from '../../interceptors/secrets.js'
import type { Principal } from '../../registry/principal.js'
import { ToolError } from '../../registry/tool-error.js'
import type { HttpArrival } from '../http-arrival.js'
import { errorAnswer, type HttpAnswer } from '../http-exchange.js'
import { challengeAnswer } from './challenge.js'
import { identify } from './identification.js'

/** Who sends a request; `undefined`: nobody in particular. */
export interface Caller {
  readonly principal: Principal | undefined
}

/** The caller, or the answer to a request whose sender may not, or cannot, be known. */
export type CallerOrRefusal = Caller | { readonly refusal: HttpAnswer }

const TIMEOUT_MS = 10_000
const RETRY_AFTER_SEC = 5

/** Asks the service around the bridge, if it has said that it knows. */
export async function callerOfService(arrival: HttpArrival, logger: Logger): Promise<CallerOrRefusal> {
  const { identify: ask } = arrival
  if (ask === undefined) return { principal: undefined }
  const identification = await identify(ask, { client: arrival.signal, timeoutMs: TIMEOUT_MS })
  if (identification.kind === 'known') return { principal: identification.principal }
  if (identification.kind === 'refused') {
    return { refusal: challengeAnswer({ status: 401, message: 'Authentication is required' }) }
  }
  return { refusal: cannotTell(identification.reason, { arrival, logger }) }
}

/** 503, since "cannot" is not "yes", and not "no" either, which would make a client throw its token away. */
export function cannotTell(
  reason: unknown,
  {
    arrival,
    logger,
    token,
  }: { readonly arrival: HttpArrival; readonly logger: Logger; readonly token?: string },
): HttpAnswer {
  if (!arrival.signal.aborted) {
    logger.error({ err: loggable(reason, token) }, 'MCP request refused: it cannot be told who sent it')
  }
  return errorAnswer(503, 'It cannot be told now who is calling', {
    headers: { 'retry-after': String(retryAfterSec(reason)) },
  })
}

/** A copy for the log, in which nothing is left of the token, wherever a verifier has put it. */
export function loggable(reason: unknown, token?: string): unknown {
  const copy = JSON.stringify(redact(reason)) ?? 'null'
  if (token === undefined) return JSON.parse(copy)
  return JSON.parse(copy, (_name, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(token, REDACTED) : value,
  )
}

function retryAfterSec(reason: unknown): number {
  const { retryAfterMs } = (ToolError.is(reason) ? reason : {}) as { readonly retryAfterMs?: unknown }
  return typeof retryAfterMs === 'number' && Number.isFinite(retryAfterMs)
    ? Math.max(1, Math.ceil(retryAfterMs / 1_000))
    : RETRY_AFTER_SEC
}
