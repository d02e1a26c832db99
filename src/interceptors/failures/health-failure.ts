import type { AnyToolError } from '../../registry/tool-error.js'
import { isTransient, isUnexpected } from './transient-error.js'

/**
 * Whether a failure speaks of the health of what was called, or of its load, so that another may do better: it timed out,
 * is unavailable or overloaded, its upstream failed, or it threw an exception. What speaks of the call itself, such as bad
 * arguments, a refusal (also an upstream's 4xx), a cancellation or an error that was thrown on purpose, is the same everywhere.
 */
export function isHealthFailure(error: AnyToolError): boolean {
  switch (error.code) {
    case 'TIMEOUT':
    case 'OVERLOADED':
    case 'CIRCUIT_OPEN':
    case 'TOOL_UNAVAILABLE':
      return true
    case 'UPSTREAM_FAILED':
      return isTransient(error)
    case 'EXECUTION_FAILED':
      return isUnexpected(error)
    default:
      return false
  }
}
