import { type AnyToolError, type ToolErrorCode, ToolExecutionError } from '../../registry/tool-error.js'

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

/** It may pass with time. An exception is a broken connection, mostly. */
export function isTransient(error: AnyToolError): boolean {
  return error.retryable || isUnexpected(error)
}

/** It was an exception (see `ToolError.from`), and no `ToolExecutionError` with which an author tells a model something. */
export function isUnexpected(error: AnyToolError): boolean {
  return error.code === 'EXECUTION_FAILED' && error.cause !== undefined && error.message === MASKED
}

const MASKED = new ToolExecutionError().message
