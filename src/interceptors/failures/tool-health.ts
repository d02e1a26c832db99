import type { AnyToolError } from '../../registry/tool-error.js'
import type { ToolExecutionContext } from '../../registry/tool-execution-context.js'
import { isTransientStatus } from '../../registry/transient-status.js'
import { isUnexpected } from './transient-error.js'

/** What an attempt tells of what was called: it works, it does not, or nothing. */
export type ToolHealth = 'good' | 'bad' | 'unclear'

/**
 * An attempt that the deadline of its call ends sooner was given too little time to tell, where its definition does not say
 * how long it may take.
 */
const FAIR_MS = 1_000

/** What a failure after `workedMs` says. */
export function healthOf(error: AnyToolError, ctx: ToolExecutionContext, workedMs: number): ToolHealth {
  const { signal, target } = ctx
  if (error.code === 'TIMEOUT') {
    if (error.outcome === 'not-started') return 'unclear'
    // A limit of the attempt; the deadline of the call aborts this signal, and a caller may set it as short as it likes.
    if (!signal.aborted) return 'bad'
    const ownMs = target?.metadata.timeoutMs
    return workedMs >= (ownMs === undefined ? FAIR_MS : ownMs / 2) ? 'bad' : 'unclear'
  }
  if (signal.aborted) return 'unclear'
  if (error.code === 'UPSTREAM_FAILED') return healthOfStatus(error.status)
  return isUnexpected(error) ? 'bad' : 'unclear'
}

/** A service that finds fault with the request works; one that has too many of them says nothing. */
function healthOfStatus(status: number | undefined): ToolHealth {
  if (status === undefined || status >= 500) return 'bad'
  return isTransientStatus(status) ? 'unclear' : 'good'
}
