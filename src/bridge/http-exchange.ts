import { INVALID_REQUEST, type JsonRpcId, type JsonRpcMessage, SERVER_ERROR } from './json-rpc.js'
import type { McpPeer } from './mcp-peer.js'

/** One HTTP request that has passed the guard, whichever server it came through. Its principal is the verified one. */
export interface HttpExchange extends McpPeer {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The parsed body of a POST. */
  readonly message?: JsonRpcMessage
  header(name: string): string | undefined
  /** Calls `listener` when the exchange is over: the answer is written, or the client is gone. */
  onEnd(listener: () => void): void
  /** The request without its body and credentials, for an SDK. Its signal aborts when the client is gone. */
  toRequest(): Request
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | ReadableStream<Uint8Array>
}

export function jsonAnswer(value: unknown, status = 200): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** A refusal in JSON-RPC's form. */
export function errorAnswer(
  status: number,
  message: string,
  {
    code = status === 400 ? INVALID_REQUEST : SERVER_ERROR,
    id = null,
    headers = {},
  }: {
    readonly code?: number
    readonly id?: JsonRpcId | null
    readonly headers?: Readonly<Record<string, string>>
  } = {},
): HttpAnswer {
  const answer = jsonAnswer({ jsonrpc: '2.0', error: { code, message }, id }, status)
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

/** What an SDK answered. Whether the connection stays open is between the server and the client, not for an SDK to say. */
export function answerOf({ status, headers, body }: Response): HttpAnswer {
  const { connection: _connection, ...kept } = Object.fromEntries(headers)
  return { status, headers: kept, ...(body !== null && { body }) }
}
