import type { JsonRpcId, JsonRpcMessage } from './json-rpc.js'

/**
 * A two-way stream of messages, in the shape that `Transport` has in SDK 1.x and 2.x: in-memory, stdio, a socket. Whoever
 * serves it sets the three callbacks.
 */
export interface McpTransport {
  start(): Promise<void>
  // The SDKs differ in the types of messages and extras, not in what they carry.
  // biome-ignore lint/suspicious/noExplicitAny: parameter of foreign classes, bivariant on purpose
  send(message: any, options?: any): Promise<void>
  close(): Promise<void>
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  // biome-ignore lint/suspicious/noExplicitAny: as above
  onmessage?: ((message: any, extra?: any) => void) | undefined
  sessionId?: string | undefined
}

/** What the SDKs hand to `send` besides the message. */
export interface SendOptions {
  readonly relatedRequestId?: JsonRpcId | undefined
}

/** A message on its way in, with what the transport knows about it. */
export type Inbound = (message: JsonRpcMessage, extra?: unknown) => void

/** One served transport. Closing it closes the transport. */
export interface McpConnection {
  close(): Promise<void>
}
