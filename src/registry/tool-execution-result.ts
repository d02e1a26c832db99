import { hasBrand } from './brand.js'
import { type AnyToolError, ToolError } from './tool-error.js'

const BRAND: unique symbol = Symbol.for('toolwire.ToolExecutionResult')

/** One block of MCP content (2025-11-25 "Tool Result"): text, image, audio, resource link or embedded resource. */
export interface ToolContent {
  readonly type: string
  readonly [field: string]: unknown
}

/** What is known of every call that has ended. */
interface Ended {
  /** Only `ToolExecutionResult` makes results, so that a look-alike does not compile. */
  readonly [BRAND]: true
  readonly toolName: string
  /** From the start of the call to its answer, in milliseconds. */
  readonly durationMs: number
}

/** The tool did its work. */
export interface ToolSuccess<Value = unknown> extends Ended {
  readonly ok: true
  /**
   * What the executor returned: the same object, which has been checked, but neither copied nor frozen. It is the caller's
   * from then on; an executor that keeps what it returns, and changes it, changes answers that were given.
   */
  readonly value: Value
  /** What a model is shown, where that is not just `value` as JSON. */
  readonly content?: readonly ToolContent[]
  /** Extra data for the client, as MCP's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** A stand-in, not the tool's own answer: from a fallback or the last good result. */
  readonly degraded?: true
  /** The tool's own value was too large (`metadata.largeResult`): `value` says instead where it is, `{ uri, size }`. */
  readonly spilled?: true
}

/** The tool did not do its work, or not as promised. */
export interface ToolFailure extends Ended {
  readonly ok: false
  readonly error: AnyToolError
  /** Of the call: what the log has of it has the same. */
  readonly traceId?: string
  /** The work may have taken effect, and is not known to be harmless: look before it is repeated. */
  readonly mayHaveActed?: true
}

/** The parts of a failure beside its error. */
type ToolFailureParts = Partial<Omit<ToolFailure, 'ok' | 'error' | typeof BRAND>>

/** The answer to every call: frozen, never thrown. `if (result.ok) result.value else result.error`. */
export type ToolExecutionResult<Value = unknown> = ToolSuccess<Value> | ToolFailure

/** What an executor may return: its value, or a result made with `ToolExecutionResult`, now or later. */
export type Returned<Value> =
  | Value
  | ToolSuccess<Value>
  | ToolFailure
  | Promise<Value | ToolSuccess<Value> | ToolFailure>

/** The parts of a success beside its value. */
export type ToolSuccessParts = Partial<Omit<ToolSuccess, 'ok' | 'value' | typeof BRAND>>

/** Makes and recognises results; the only way to make one, so that a look-alike is never taken for one. */
export const ToolExecutionResult = Object.freeze({
  /** An executor returns one to add `content`, and a hook to answer in the tool's place. The router fills in the rest. */
  success<Value>(value: Value, parts: ToolSuccessParts = {}): ToolSuccess<Value> {
    return new Success(value, parts)
  },
  /** For a tool whose answer is nothing but content, such as an image: there is no value beside it. */
  content(...content: readonly ToolContent[]): ToolSuccess<undefined> {
    return new Success(undefined, { content })
  },
  /** From a hook the same as throwing `error`. */
  failure(error: unknown, parts: ToolFailureParts = {}): ToolFailure {
    return new Failure(ToolError.from(error), parts)
  },
  is(value: unknown): value is ToolExecutionResult {
    return hasBrand(value, BRAND)
  },
})

abstract class Result {
  readonly toolName: string
  readonly durationMs: number
  constructor({ toolName = '', durationMs = 0 }: Partial<Ended>) {
    this.toolName = toolName
    this.durationMs = durationMs
  }
  get [BRAND](): true {
    return true
  }
}

class Success<Value> extends Result implements ToolSuccess<Value> {
  readonly ok = true
  readonly value: Value
  declare readonly content?: readonly ToolContent[]
  declare readonly meta?: Readonly<Record<string, unknown>>
  declare readonly degraded?: true
  declare readonly spilled?: true
  constructor(value: Value, parts: ToolSuccessParts) {
    super(parts)
    this.value = value
    if (parts.content !== undefined) {
      this.content = Object.freeze(parts.content.map((block) => Object.freeze({ ...block })))
    }
    if (parts.meta !== undefined) this.meta = Object.freeze({ ...parts.meta })
    if (parts.degraded) this.degraded = true
    if (parts.spilled) this.spilled = true
    Object.freeze(this)
  }
}

class Failure extends Result implements ToolFailure {
  readonly ok = false
  readonly error: AnyToolError
  declare readonly traceId?: string
  declare readonly mayHaveActed?: true
  constructor(error: AnyToolError, parts: ToolFailureParts) {
    super(parts)
    this.error = error
    if (parts.traceId !== undefined) this.traceId = parts.traceId
    if (parts.mayHaveActed) this.mayHaveActed = true
    Object.freeze(this)
  }
}
