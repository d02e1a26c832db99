import type { AskCapability } from '../registry/ask-capability.js'
import type { LogLevel } from '../registry/tool-execution-context.js'
import type { CallOptions } from '../runtime/call-options.js'
import type { Era } from './era.js'
import type { JsonRpcId } from './json-rpc.js'
import type { McpPeer } from './mcp-peer.js'

/** What a client of 2026-07-28 sends with a request that may take several rounds. */
export interface ClientRound {
  readonly supports: (capability: AskCapability) => boolean
  /** Answers to what the last round asked, by key. */
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined
  /** What the last round left. */
  readonly requestState?: unknown
}

/** One request of a client, as the adapter of its era sees it. */
export interface McpRequest extends McpPeer {
  readonly era: Era
  /** The client's own JSON-RPC id. */
  readonly id: JsonRpcId
  readonly sessionId?: string | undefined
  /** Aborts when the client cancels or is gone. */
  readonly signal: AbortSignal
  /** The least severe log lines that the client wants; without it, none. */
  readonly logLevel?: LogLevel | undefined
  /** Asks the client while the request runs (up to 2025-11-25). */
  readonly ask?: CallOptions['ask']
  /** The request is one round of a call (from 2026-07-28). */
  readonly round?: ClientRound | undefined
  /** The client has declared the extension for tasks (from 2026-07-28). */
  readonly hasTasks?: boolean
  /** Sends a notification that belongs to this request. Never throws, whatever has become of the client. */
  notify(method: string, params: Readonly<Record<string, unknown>>): void
}
