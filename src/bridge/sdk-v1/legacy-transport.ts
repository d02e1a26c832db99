import { isObject } from '../../registry/json-value.js'
import { isRequest, type JsonRpcId, type JsonRpcMessage } from '../json-rpc.js'
import type { Inbound, McpTransport, SendOptions } from '../mcp-transport.js'

/**
 * Stands between a server of SDK 1.x and a transport, for two things that the SDK leaves undone: it cannot cancel a
 * request whose id is 0 or "", and a cancelled request, which is never answered, would keep its response stream open for
 * as long as the session lasts.
 */
export class LegacyTransport implements McpTransport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Inbound | undefined
  readonly #inner: McpTransport
  readonly #releaseStream: (id: JsonRpcId) => void
  readonly #unanswered = new Set<JsonRpcId>()

  constructor(inner: McpTransport, releaseStream: (id: JsonRpcId) => void = () => undefined) {
    this.#inner = inner
    this.#releaseStream = releaseStream
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.()
    this.#inner.onerror = (error) => this.onerror?.(error)
    this.#inner.onmessage = (message: JsonRpcMessage, extra?: unknown) => this.#receive(message, extra)
    return this.#inner.start()
  }

  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    if (message.method === undefined && message.id !== undefined) {
      const id = clientId(message.id)
      this.#unanswered.delete(id)
      return this.#inner.send(id === message.id ? message : { ...message, id }, options)
    }
    const related = options?.relatedRequestId
    return this.#inner.send(
      message,
      related === undefined ? options : { ...options, relatedRequestId: clientId(related) },
    )
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #receive(message: JsonRpcMessage, extra: unknown): void {
    if (isRequest(message)) {
      this.#unanswered.add(message.id)
      this.onmessage?.(message.id ? message : { ...message, id: sdkId(message.id) }, extra)
    } else if (message.method === 'notifications/cancelled') this.#cancel(message, extra)
    else this.onmessage?.(message, extra)
  }

  #cancel(message: JsonRpcMessage, extra: unknown): void {
    const id = isObject(message.params) ? message.params.requestId : undefined
    if (typeof id !== 'string' && typeof id !== 'number') return
    // Unknown and answered ones are to be ignored (MCP "Cancellation").
    if (!this.#unanswered.delete(id)) return
    this.onmessage?.({ ...message, params: { ...message.params, requestId: sdkId(id) } }, extra)
    this.#releaseStream(id)
  }
}

/** No client has reason to use such an id itself. */
const FALSY_ID = '\u0000toolwire:'

/** The id that the SDK gets to see. */
function sdkId(id: JsonRpcId): JsonRpcId {
  return id === 0 || id === '' ? FALSY_ID + JSON.stringify(id) : id
}

/** The client's id for one that the SDK has seen. */
export function clientId(id: JsonRpcId): JsonRpcId {
  return typeof id === 'string' && id.startsWith(FALSY_ID) ? JSON.parse(id.slice(FALSY_ID.length)) : id
}
