import type { Principal } from '../registry/principal.js'
import type { AskAnswer, AskQuestion, LogLevel } from '../registry/tool-execution-context.js'

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
  /** Cancels the call. */
  readonly signal?: AbortSignal
  /** The deadline, if it is earlier than the tool's own. */
  readonly timeoutMs?: number
  /** Answers the executor's questions to the user. */
  readonly ask?: (question: AskQuestion) => Promise<AskAnswer>
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
