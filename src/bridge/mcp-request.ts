import type { LogLevel } from '../registry/tool-execution-context.js'
import type { Era } from './era.js'
import type { JsonRpcId } from './json-rpc.js'

/** One request of a client, as the adapter of its era sees it. */
export interface McpRequest {
  readonly era: Era
  /** The client's own JSON-RPC id. */
  readonly id: JsonRpcId
  readonly sessionId?: string | undefined
  /** Where the client is: names it in quotas, where nothing better does. */
  readonly address: string
  /** Aborts when the client cancels or is gone. */
  readonly signal: AbortSignal
  /** The least severe log lines that the client wants; without it, none. */
  readonly logLevel?: LogLevel | undefined
  /** Sends a notification that belongs to this request. Never throws, whatever has become of the client. */
  notify(method: string, params: Readonly<Record<string, unknown>>): void
}
