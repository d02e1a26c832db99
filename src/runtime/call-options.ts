import type { AskAnswer, AskedQuestion } from '../registry/ask.js'
import { describe } from '../registry/json-value.js'
import type { Principal } from '../registry/principal.js'
import { ToolExecutionError } from '../registry/tool-error.js'
import type { LogLevel } from '../registry/tool-execution-context.js'
import type { ExposureRule } from './catalog.js'

/** Who calls and how; everything is optional. */
export interface CallOptions {
  /** Unique in its session. Default: a random UUID. */
  readonly callId?: string | number
  readonly sessionId?: string
  /** W3C trace id. Default: a random one. */
  readonly traceId?: string
  readonly agentId?: string
  readonly principal?: Principal
  /** Where the caller's connection comes from; set for calls from outside this process, and then part of its key. */
  readonly address?: string
  /**
   * Repeats of the call under the same key are one call, where an `IdempotencyInterceptor` guards the definition: a string
   * that this caller makes up for what it wants once.
   */
  readonly idempotencyKey?: string
  /** Cancels the call. */
  readonly signal?: AbortSignal
  /** The deadline, if it is earlier than the definition's own. */
  readonly timeoutMs?: number
  /** Leaves what it does not return `true` for unknown to this call. */
  readonly exposes?: ExposureRule
  /**
   * Answers the questions of `ctx.ask`, in the form that MCP gives the answer. Reject with `AskUnsupportedError` what nobody
   * can answer.
   */
  readonly ask?: (question: AskedQuestion, signal: AbortSignal) => Promise<AskAnswer>
  readonly onProgress?: (progress: number, total?: number, message?: string) => void
  readonly onLog?: (level: LogLevel, data: unknown, logger?: string) => void
}

/** Names the caller for every key: the principal, else the peer's address, else, in this process, session or agent. */
export function callerKey({ principal, address, sessionId, agentId }: CallOptions): string {
  if (principal !== undefined) return `principal:${principal.key}`
  if (address !== undefined) return `address:${address}`
  if (sessionId !== undefined) return `session:${sessionId}`
  return agentId === undefined ? 'anonymous' : `agent:${agentId}`
}

/**
 * Throws where a part is not what it must be; from JavaScript it may be anything. A signal that is none would end the process
 * later, and a key that is no text may be taken for another.
 */
export function requireUsable({ signal, idempotencyKey }: CallOptions): void {
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw misuse(`signal must be an AbortSignal (got ${describe(signal)})`)
  if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string')
    throw misuse(`idempotencyKey must be a string (got ${describe(idempotencyKey)})`)
}

/** For whoever wrote the call, and not for a model. */
function misuse(what: string): ToolExecutionError {
  return new ToolExecutionError(undefined, { cause: new TypeError(what), outcome: 'not-started' })
}
