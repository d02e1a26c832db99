import { copyJson, type JsonObject } from '../../registry/json-value.js'
import {
  type AnyToolError,
  ApprovalDeniedError,
  ApprovalRequiredError,
  AskUnsupportedError,
  CircuitOpenError,
  DuplicateToolError,
  ForbiddenError,
  IdempotencyConflictError,
  InvalidArgumentsError,
  InvalidResultError,
  OverloadedError,
  PromptNotFoundError,
  RateLimitedError,
  ResourceNotFoundError,
  ShuttingDownError,
  ToolAbortedError,
  type ToolErrorCode,
  ToolExecutionError,
  ToolNotFoundError,
  type ToolOutcome,
  ToolTimeoutError,
  ToolUnavailableError,
  UnauthenticatedError,
  UpstreamError,
} from '../../registry/tool-error.js'

/** What may leave the process of an error: its fields and its message, neither stack nor cause. */
export interface StoredError extends JsonObject {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly outcome: ToolOutcome
}

/** The error as JSON. The cause stays behind, and so does whatever else has been put onto the error. */
export function storedError(error: AnyToolError): StoredError {
  const { code, message, retryable, outcome } = error
  const known = { code, message, retryable, outcome }
  const details = DETAILS.map((name) => [name, (error as object as Readonly<Record<string, unknown>>)[name]])
  try {
    return copyJson({ ...Object.fromEntries(details), ...known }, 'An error') as unknown as StoredError
  } catch {
    // A class of others has something else under one of the names.
    return copyJson(known, 'An error') as unknown as StoredError
  }
}

/** All that errors of a call have besides. */
const DETAILS = ['retryAfterMs', 'approvalId', 'status', 'issues', 'uri', 'capability'] as const

/** An error of the same class, with the same fields. One of a class that is not ours is an `EXECUTION_FAILED` by its class. */
export function restoredError({ message, ...fields }: StoredError): AnyToolError {
  const errorClass = Object.hasOwn(CLASSES, fields.code)
    ? CLASSES[fields.code as ToolErrorCode]
    : ToolExecutionError
  // Of a real error, so that inspectors take it for one. The constructors would make a message of their own.
  const error: AnyToolError = Object.setPrototypeOf(new Error(message), errorClass.prototype)
  return Object.assign(error, { name: errorClass.name, ...fields })
}

const CLASSES: Readonly<Record<ToolErrorCode, { readonly name: string; readonly prototype: AnyToolError }>> =
  {
    TOOL_NOT_FOUND: ToolNotFoundError,
    RESOURCE_NOT_FOUND: ResourceNotFoundError,
    PROMPT_NOT_FOUND: PromptNotFoundError,
    TOOL_UNAVAILABLE: ToolUnavailableError,
    DUPLICATE_TOOL: DuplicateToolError,
    INVALID_ARGUMENTS: InvalidArgumentsError,
    INVALID_RESULT: InvalidResultError,
    RESULT_TOO_LARGE: InvalidResultError,
    RATE_LIMITED: RateLimitedError,
    OVERLOADED: OverloadedError,
    CIRCUIT_OPEN: CircuitOpenError,
    TIMEOUT: ToolTimeoutError,
    ABORTED: ToolAbortedError,
    SHUTTING_DOWN: ShuttingDownError,
    UNAUTHENTICATED: UnauthenticatedError,
    FORBIDDEN: ForbiddenError,
    APPROVAL_REQUIRED: ApprovalRequiredError,
    APPROVAL_DENIED: ApprovalDeniedError,
    ASK_UNSUPPORTED: AskUnsupportedError,
    IDEMPOTENCY_CONFLICT: IdempotencyConflictError,
    UPSTREAM_FAILED: UpstreamError,
    EXECUTION_FAILED: ToolExecutionError,
  }
