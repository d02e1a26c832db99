import type { AnyToolError, ToolErrorCode } from '../registry/tool-error.js'

/** Answers, not accidents: the same call gets the same one again. */
const FINAL: ReadonlySet<ToolErrorCode> = new Set<ToolErrorCode>([
  'TOOL_NOT_FOUND',
  'RESOURCE_NOT_FOUND',
  'PROMPT_NOT_FOUND',
  'DUPLICATE_TOOL',
  'INVALID_ARGUMENTS',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'APPROVAL_REQUIRED',
  'APPROVAL_DENIED',
  'ASK_UNSUPPORTED',
  'IDEMPOTENCY_CONFLICT',
  'ABORTED',
  'SHUTTING_DOWN',
])

/** No repeat within the same call helps, or may be tried: it was refused, or nobody waits any more. */
export function isFinal(error: AnyToolError): boolean {
  return FINAL.has(error.code)
}

/** It may pass with time. */
export function isTransient(error: AnyToolError): boolean {
  if (error.retryable) return true
  switch (error.code) {
    case 'UPSTREAM_FAILED':
      return error.status === undefined || error.status >= 500 || [408, 425, 429].includes(error.status)
    case 'EXECUTION_FAILED':
      // An exception that was not thrown on purpose: a broken connection, mostly.
      return error.cause !== undefined
    default:
      return false
  }
}
