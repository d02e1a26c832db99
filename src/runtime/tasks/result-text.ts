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
  ToolTimeoutError,
  ToolUnavailableError,
  UnauthenticatedError,
  UpstreamError,
} from '../../registry/tool-error.js'
import { ToolExecutionResult } from '../../registry/tool-execution-result.js'

/** The JSON text of a result. The cause of an error stays behind, and so does whatever has been put onto the error. */
export function resultText(result: ToolExecutionResult): string {
  if (result.ok) return JSON.stringify(result)
  const { toolName, durationMs, error } = result
  const { code, message } = error
  const fields = Object.fromEntries(FIELDS.map((name) => [name, (error as object as Fields)[name]]))
  return JSON.stringify({ ok: false, toolName, durationMs, error: { ...fields, code, message } })
}

/** The result whose {@link resultText} it is. An error is of its class again. */
export function resultOf(text: string): ToolExecutionResult {
  const { ok, value, error, ...parts } = JSON.parse(text)
  if (ok) return ToolExecutionResult.success(value, parts)
  return ToolExecutionResult.failure(errorOf(error), parts)
}

type Fields = Readonly<Record<string, unknown>>

/** All that errors of a call have besides code and message. */
const FIELDS = [
  'retryable',
  'outcome',
  'retryAfterMs',
  'approvalId',
  'status',
  'issues',
  'uri',
  'capability',
] as const

const CLASSES: Readonly<Record<ToolErrorCode, { readonly prototype: object; readonly name: string }>> = {
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

/** Its message is a whole one, which no constructor takes. A class of a user's own comes back as the most general one. */
function errorOf({ message, ...fields }: { readonly message: string; readonly code: string }): AnyToolError {
  const known = Object.hasOwn(CLASSES, fields.code) ? CLASSES[fields.code as ToolErrorCode] : undefined
  const { prototype, name } = known ?? ToolExecutionError
  const error: AnyToolError = Object.setPrototypeOf(new Error(message), prototype)
  return Object.assign(error, { name, ...fields })
}
