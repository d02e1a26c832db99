import { hasBrand } from './brand.js'
import { quoteName } from './quoted-name.js'
import { TOOL_ERROR, ToolErrorBase, type ToolErrorOptions } from './tool-error-base.js'

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

/** The tool exists and cannot be called now: it is being removed, or its schema does not compile. */
export class ToolUnavailableError extends ToolError {
  readonly code = 'TOOL_UNAVAILABLE'
  constructor(toolName: string, reason: string, options?: ToolErrorOptions) {
    super(`Tool ${quoteName(toolName)} is unavailable: ${reason}`, options)
  }
}

/** A second tool under a name that is taken. The first one keeps working. */
export class DuplicateToolError extends ToolError {
  readonly code = 'DUPLICATE_TOOL'
  constructor(toolName: string, registeredBy: string, refused: string) {
    super(`Tool ${quoteName(toolName)} of ${refused} is already registered by ${registeredBy}`)
  }
}

/** One thing wrong with an argument or a result. */
export interface ValidationIssue {
  /** JSON Pointer (RFC 6901) into the value; `''` is the value itself. */
  readonly path: string
  /** The JSON Schema keyword that refused, or `'custom'`. */
  readonly keyword: string
  /** A sentence that names the place, the rule and what is allowed. */
  readonly message: string
  /** The rule in machine form, such as `{ allowedValues: ['a', 'b'] }`. */
  readonly params?: Readonly<Record<string, unknown>>
}

/** The arguments break the tool's schema; `issues` says where and how. */
export class InvalidArgumentsError extends ToolError {
  readonly code = 'INVALID_ARGUMENTS'
  readonly issues: readonly ValidationIssue[]
  constructor(toolName: string, issues: readonly ValidationIssue[], options?: ToolErrorOptions) {
    super(
      `Invalid arguments for ${quoteName(toolName)}: ${issues.map((issue) => issue.message).join('; ')}`,
      options,
    )
    this.issues = Object.freeze(issues.map((issue) => Object.freeze({ ...issue })))
  }
}

/** The tool ran, and what it returned is not JSON, breaks its `outputSchema`, or is larger than the limit. */
export class InvalidResultError extends ToolError {
  readonly code: 'INVALID_RESULT' | 'RESULT_TOO_LARGE'
  constructor(
    toolName: string,
    reason: string,
    {
      code = 'INVALID_RESULT',
      ...options
    }: ToolErrorOptions & { readonly code?: InvalidResultError['code'] } = {},
  ) {
    super(`Tool ${quoteName(toolName)} returned an invalid result: ${reason}`, {
      outcome: 'completed',
      ...options,
    })
    this.code = code
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
    super(`Tool ${quoteName(toolName)} is overloaded`, retryAfterMs, options)
  }
}

/** The tool failed too often lately and is given a rest. */
export class CircuitOpenError extends WaitError {
  readonly code = 'CIRCUIT_OPEN'
  constructor(toolName: string, retryAfterMs: number, options?: ToolErrorOptions) {
    super(`Tool ${quoteName(toolName)} is failing and is not called for now`, retryAfterMs, options)
  }
}

/** The deadline passed. `outcome` is `unknown` if the executor had started. */
export class ToolTimeoutError extends ToolError {
  readonly code = 'TIMEOUT'
  constructor(toolName: string, timeoutMs: number, options?: ToolErrorOptions) {
    super(`Tool ${quoteName(toolName)} did not finish within ${Math.round(timeoutMs)} ms`, {
      retryable: true,
      ...options,
    })
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
    super(`The call of ${quoteName(toolName)} waits for approval ${approvalId}`, {
      retryable: true,
      ...options,
    })
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

/** The executor asked the user something, and this caller has no way to answer. */
export class AskUnsupportedError extends ToolError {
  readonly code = 'ASK_UNSUPPORTED'
  constructor(what = 'answer questions', options?: ToolErrorOptions) {
    super(`This client cannot ${what}`, options)
  }
}

/** The idempotency key was used before with other arguments. */
export class IdempotencyConflictError extends ToolError {
  readonly code = 'IDEMPOTENCY_CONFLICT'
  constructor(toolName: string, options?: ToolErrorOptions) {
    super(`The idempotency key of this call of ${quoteName(toolName)} was used with other arguments`, options)
  }
}

/** A service behind the tool failed. Executors throw it on purpose, so `message` reaches the model. */
export class UpstreamError extends ToolError {
  readonly code = 'UPSTREAM_FAILED'
  /** The HTTP status, where there is one. */
  declare readonly status?: number
  constructor(message: string, { status, ...options }: ToolErrorOptions & { readonly status?: number } = {}) {
    super(message, { outcome: 'unknown', ...options })
    if (status !== undefined) this.status = status
  }
}

/**
 * The executor failed. Thrown on purpose, with a message, that message reaches the model; anything else an executor
 * throws becomes one with the message "The tool failed" and the original as `cause`.
 */
export class ToolExecutionError extends ToolError {
  readonly code = 'EXECUTION_FAILED'
  constructor(message = 'The tool failed', options?: ToolErrorOptions) {
    super(message, { outcome: 'unknown', ...options })
  }
}

/** Every error a call can end with; `switch (error.code)` narrows to the class and its fields. */
export type AnyToolError =
  | ToolNotFoundError
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
