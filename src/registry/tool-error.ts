import type { AskCapability } from './ask-capability.js'
import { hasBrand } from './brand.js'
import { subjectOf } from './definition-kind.js'
import { quoteName } from './quoted-name.js'
import { shortened } from './shortened.js'
import { TOOL_ERROR, ToolErrorBase, type ToolErrorOptions } from './tool-error-base.js'
import { isTransientStatus } from './transient-status.js'
import type { ValidationIssue } from './validation-issue.js'

export type { ToolErrorOptions, ToolOutcome } from './tool-error-base.js'

/**
 * Base of every failure of a call. `message` is fit for a model to read; `cause` is for the log and never reaches a
 * client. Recognise one with {@link ToolError.is}: it also holds across two copies of this package.
 */
export abstract class ToolError extends ToolErrorBase {
  static is(value: unknown): value is AnyToolError {
    // One of a copy so old that it lacks a method is as good as any exception.
    return hasBrand(value, TOOL_ERROR) && typeof (value as ToolErrorBase).withOutcomeOf === 'function'
  }

  /** The one door in: a `ToolError` as it is, anything else masked as `EXECUTION_FAILED` with the original as `cause`. */
  static from(thrown: unknown): AnyToolError {
    return ToolError.is(thrown) ? thrown : new ToolExecutionError(undefined, { cause: thrown })
  }
}

/** No such tool, or none that this caller may see. On MCP: JSON-RPC error -32602. */
export class ToolNotFoundError extends ToolError {
  readonly code = 'TOOL_NOT_FOUND'
  constructor(toolName: string, options?: ToolErrorOptions) {
    super(`Unknown tool ${quoteName(toolName)}`, options)
  }
}

/** No such resource, or none that this caller may see. On MCP: -32602, or -32002 before 2026-07-28, with `data.uri`. */
export class ResourceNotFoundError extends ToolError {
  readonly code = 'RESOURCE_NOT_FOUND'
  readonly uri: string
  constructor(uri: string, options?: ToolErrorOptions) {
    super(`Resource not found: ${shortened(uri, 200)}`, options)
    this.uri = uri
  }
}

/** No such prompt, or none that this caller may see. On MCP: -32602. */
export class PromptNotFoundError extends ToolError {
  readonly code = 'PROMPT_NOT_FOUND'
  constructor(promptName: string, options?: ToolErrorOptions) {
    super(`Unknown prompt ${quoteName(promptName)}`, options)
  }
}

/** What is called exists and cannot be called now: it is being removed, or its schema does not compile. */
export class ToolUnavailableError extends ToolError {
  readonly code = 'TOOL_UNAVAILABLE'
  constructor(toolName: string, reason: string, options?: ToolErrorOptions) {
    super(`${subjectOf(toolName, options)} is unavailable: ${reason}`, options)
  }
}

/** A second definition under a name, or URI, that is taken. The first one keeps working. */
export class DuplicateToolError extends ToolError {
  readonly code = 'DUPLICATE_TOOL'
  constructor(toolName: string, registeredBy: string, refused: string, options?: ToolErrorOptions) {
    super(`${subjectOf(toolName, options)} of ${refused} is already registered by ${registeredBy}`)
  }
}

/** The arguments break the schema of what is called; `issues` says where and how. */
export class InvalidArgumentsError extends ToolError {
  readonly code = 'INVALID_ARGUMENTS'
  readonly issues: readonly ValidationIssue[]
  constructor(toolName: string, issues: readonly ValidationIssue[], options?: ToolErrorOptions) {
    const faults = issues.map(({ message }) => message).join('; ')
    super(`Invalid arguments for ${quoteName(toolName)}: ${faults}`, options)
    this.issues = Object.freeze(issues.map((issue) => Object.freeze({ ...issue })))
  }
}

/** The executor ran, and what it returned is not JSON, breaks its `outputSchema`, or is larger than the limit. */
export class InvalidResultError extends ToolError {
  readonly code: 'INVALID_RESULT' | 'RESULT_TOO_LARGE'
  constructor(
    toolName: string,
    reason: string,
    options: ToolErrorOptions & { readonly code?: 'INVALID_RESULT' | 'RESULT_TOO_LARGE' } = {},
  ) {
    const what = options.code === 'RESULT_TOO_LARGE' ? 'a result that is too large' : 'an invalid result'
    super(`${subjectOf(toolName, options)} returned ${what}: ${reason}`, { outcome: 'completed', ...options })
    this.code = options.code ?? 'INVALID_RESULT'
  }
}

abstract class WaitError extends ToolError {
  /** How long to wait before a repeat can succeed, in milliseconds. */
  readonly retryAfterMs: number
  constructor(message: string, retryAfterMs: number, options?: ToolErrorOptions) {
    super(`${message}; try again in ${Math.ceil(retryAfterMs / 1000)} s`, { retryable: true, ...options })
    this.retryAfterMs = retryAfterMs
  }
}

/** The caller has used up its quota. */
export class RateLimitedError extends WaitError {
  readonly code = 'RATE_LIMITED'
  constructor(toolName: string, retryAfterMs: number, options?: ToolErrorOptions) {
    super(`Too many calls of ${quoteName(toolName)}`, retryAfterMs, options)
  }
}

/** There is no room for another call, whoever makes it. */
export class OverloadedError extends WaitError {
  readonly code = 'OVERLOADED'
  constructor(toolName: string, retryAfterMs: number, options?: ToolErrorOptions) {
    super(`${subjectOf(toolName, options)} is overloaded`, retryAfterMs, options)
  }
}

/** What is called failed too often lately and is given a rest. */
export class CircuitOpenError extends WaitError {
  readonly code = 'CIRCUIT_OPEN'
  constructor(toolName: string, retryAfterMs: number, options?: ToolErrorOptions) {
    super(`${subjectOf(toolName, options)} is failing and is not called for now`, retryAfterMs, options)
  }
}

/** The deadline passed. `outcome` is `unknown` if the executor had started. */
export class ToolTimeoutError extends ToolError {
  readonly code = 'TIMEOUT'
  constructor(toolName: string, timeoutMs: number, options?: ToolErrorOptions, failedTo = 'finish') {
    const fault = `${subjectOf(toolName, options)} did not ${failedTo} within ${Math.round(timeoutMs)} ms`
    super(fault, { retryable: true, ...options })
  }
}

/** The caller gave up. */
export class ToolAbortedError extends ToolError {
  readonly code = 'ABORTED'
  constructor(toolName: string, options?: ToolErrorOptions) {
    super(`The call of ${quoteName(toolName)} was cancelled`, options)
  }
}

/** The runtime is draining and takes no new calls, or ended a running one. */
export class ShuttingDownError extends ToolError {
  readonly code = 'SHUTTING_DOWN'
  constructor(options?: ToolErrorOptions) {
    super('The service is shutting down', { retryable: true, ...options })
  }
}

/** Nobody is known to be calling, and somebody has to be. On HTTP: 401 before dispatch. */
export class UnauthenticatedError extends ToolError {
  readonly code = 'UNAUTHENTICATED'
  constructor(message = 'Authentication is required', options?: ToolErrorOptions) {
    super(message, options)
  }
}

/** The caller is known and may not do this. */
export class ForbiddenError extends ToolError {
  readonly code = 'FORBIDDEN'
  constructor(message = 'Not allowed', options?: ToolErrorOptions) {
    super(message, options)
  }
}

/** A person has to approve this call; repeat it once `approvalId` is approved. */
export class ApprovalRequiredError extends ToolError {
  readonly code = 'APPROVAL_REQUIRED'
  readonly approvalId: string
  constructor(toolName: string, approvalId: string, options?: ToolErrorOptions) {
    const message = `The call of ${quoteName(toolName)} waits for approval ${approvalId}`
    super(message, { retryable: true, ...options })
    this.approvalId = approvalId
  }
}

/** A person said no. */
export class ApprovalDeniedError extends ToolError {
  readonly code = 'APPROVAL_DENIED'
  constructor(toolName: string, options?: ToolErrorOptions) {
    super(`The call of ${quoteName(toolName)} was not approved`, options)
  }
}

/** The executor asked something, and this caller lacks the `capability` to answer. */
export class AskUnsupportedError extends ToolError {
  readonly code = 'ASK_UNSUPPORTED'
  readonly capability: AskCapability
  constructor(capability: AskCapability = 'elicitation', options?: ToolErrorOptions) {
    super(`This caller cannot be asked: it does not support ${capability}`, options)
    this.capability = capability
  }
}

/** The idempotency key was used before with other arguments. */
export class IdempotencyConflictError extends ToolError {
  readonly code = 'IDEMPOTENCY_CONFLICT'
  constructor(toolName: string, options?: ToolErrorOptions) {
    super(`The idempotency key of this call of ${quoteName(toolName)} was used with other arguments`, options)
  }
}

/** A service behind the tool failed; `retryable` as its status says. Thrown on purpose: `message` reaches the model. */
export class UpstreamError extends ToolError {
  readonly code = 'UPSTREAM_FAILED'
  /** The HTTP status, where there is one. */
  declare readonly status?: number
  constructor(message: string, { status, ...options }: ToolErrorOptions & { readonly status?: number } = {}) {
    super(message, { outcome: 'unknown', retryable: isTransientStatus(status), ...options })
    if (status !== undefined) this.status = status
  }
}

/** The executor failed: on purpose, with a message for the model, or masked, with what it threw as the `cause`. */
export class ToolExecutionError extends ToolError {
  readonly code = 'EXECUTION_FAILED'
  constructor(message = 'The tool failed', options?: ToolErrorOptions) {
    super(message, { outcome: 'unknown', ...options })
  }
}

/** Every error a call can end with; `switch (error.code)` narrows to the class and its fields. */
export type AnyToolError =
  | ToolNotFoundError
  | ResourceNotFoundError
  | PromptNotFoundError
  | ToolUnavailableError
  | DuplicateToolError
  | InvalidArgumentsError
  | InvalidResultError
  | RateLimitedError
  | OverloadedError
  | CircuitOpenError
  | ToolTimeoutError
  | ToolAbortedError
  | ShuttingDownError
  | UnauthenticatedError
  | ForbiddenError
  | ApprovalRequiredError
  | ApprovalDeniedError
  | AskUnsupportedError
  | IdempotencyConflictError
  | UpstreamError
  | ToolExecutionError

/** The stable codes; see the README's table. */
export type ToolErrorCode = AnyToolError['code']
