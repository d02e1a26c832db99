import { LONGEST_TIMER_MS } from '../../registry/idle-wait.js'
import { requireNumber } from '../number-option.js'

/** What a `ConcurrencyLimitInterceptor` holds each definition to. */
export interface ConcurrencyLimits {
  /** Calls of one definition that may run at the same time. Default 10. */
  readonly perTool: number
  /** Of these, calls of one caller. Default: as many. */
  readonly perCaller: number
  /** Calls of one definition that may wait; 0 refuses at once what cannot run. Default 100. */
  readonly queue: number
  /** How long a call may wait. Default 10 000. */
  readonly queueTimeoutMs: number
}

const DEFAULTS: ConcurrencyLimits = {
  perTool: 10,
  perCaller: Number.POSITIVE_INFINITY,
  queue: 100,
  queueTimeoutMs: 10_000,
}

/** The limits with changes to them. Throws a `RangeError` for what cannot be, named after `place`. */
export function concurrencyLimits(
  changes: Partial<ConcurrencyLimits> = {},
  { perTool, perCaller, queue, queueTimeoutMs } = DEFAULTS,
  place = '',
): ConcurrencyLimits {
  const limits = Object.freeze({
    perTool: changes.perTool ?? perTool,
    perCaller: changes.perCaller ?? perCaller,
    queue: changes.queue ?? queue,
    queueTimeoutMs: changes.queueTimeoutMs ?? queueTimeoutMs,
  })
  const unbounded = { whole: true, max: Number.POSITIVE_INFINITY }
  requireNumber(`${place}perTool`, limits.perTool, { min: 1, ...unbounded })
  requireNumber(`${place}perCaller`, limits.perCaller, { min: 1, ...unbounded })
  requireNumber(`${place}queue`, limits.queue, { min: 0, whole: true })
  requireNumber(`${place}queueTimeoutMs`, limits.queueTimeoutMs, { min: 1, max: LONGEST_TIMER_MS })
  return limits
}
