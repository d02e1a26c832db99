import { isObject } from '../../registry/json-value.js'
import { isRequest, type JsonRpcId, type JsonRpcMessage, type JsonRpcRequest } from '../json-rpc.js'
import type { Inbound, McpTransport, SendOptions } from '../mcp-transport.js'
import { handshakeFault } from './handshake.js'

/**
 * Stands between a server of SDK 1.x and a transport, for what the SDK leaves undone: it cannot cancel a request whose id
 * is 0 or "", and gives its own first request the id 0; a cancelled request, which is never answered, would keep its
 * response stream open for as long as the session lasts; it keeps whatever a client sends as its handshake; and it
 * refuses a request that asks to be a task.
 */
export class LegacyTransport implements McpTransport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Inbound | undefined
  readonly #inner: McpTransport
  readonly #releaseStream: (id: JsonRpcId) => void
  readonly #unanswered = new Set<JsonRpcId>()

  /** `releaseStream` ends the response stream of a request that will not be answered. */
  constructor(inner: McpTransport, releaseStream: (id: JsonRpcId) => void = () => undefined) {
    this.#inner = inner
    this.#releaseStream = releaseStream
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  /** Marks a request as running; `false` if one with this id is, whose answer would be taken for the other's. */
  claim(id: JsonRpcId): boolean {
    if (this.#unanswered.has(id)) return false
    this.#unanswered.add(id)
    return true
  }

  /** A claimed request was refused before it got here. */
  release(id: JsonRpcId): void {
    this.#unanswered.delete(id)
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
      countedFromOne(message),
      related === undefined ? options : { ...options, relatedRequestId: clientId(related) },
    )
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #receive(message: JsonRpcMessage, extra: unknown): void {
    if (message.method === 'initialize' && this.#refuse(message)) return
    if (isRequest(message)) {
      this.#unanswered.add(message.id)
      this.onmessage?.(sdkRequest(message), extra)
    } else if (message.method === 'notifications/cancelled') this.#cancel(message, extra)
    else if (typeof message.id === 'number') this.onmessage?.({ ...message, id: message.id - 1 }, extra)
    else this.onmessage?.(message, extra)
  }

  #refuse(handshake: JsonRpcMessage): boolean {
    const fault = handshakeFault(handshake)
    if (fault === undefined) return false
    const { code, message } = fault
    if (isRequest(handshake)) {
      const refusal = { jsonrpc: '2.0', id: handshake.id, error: { code, message } }
      this.#inner.send(refusal).catch(() => undefined)
    }
    return true
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

/**
 * The SDK counts its own requests from 0. A client of the same SDK could not take back a question that is cancelled
 * under that id, so the wire counts from 1.
 */
function countedFromOne(message: JsonRpcMessage): JsonRpcMessage {
  const { id, method, params } = message
  if (typeof id === 'number') return { ...message, id: id + 1 }
  const cancelled = method === 'notifications/cancelled' ? params?.requestId : undefined
  if (typeof cancelled !== 'number') return message
  return { ...message, params: { ...params, requestId: cancelled + 1 } }
}

const REPLACED_ID = '\u0000toolwire:'

/**
 * The request that the SDK gets to see. Not whether it is to be a task: a server that has none must serve it as any other
 * (MCP 2025-11-25 "Tasks", task support and handling), and the SDK refuses it.
 */
function sdkRequest(request: JsonRpcRequest): JsonRpcRequest {
  const { id, params } = request
  const asTask = params !== undefined && 'task' in params
  if (id === sdkId(id) && !asTask) return request
  const { task: _task, ...others } = params ?? {}
  return { ...request, id: sdkId(id), ...(asTask && { params: others }) }
}

/** The id that the SDK gets to see. One that looks like a replacement is replaced as well, so that each means one id. */
function sdkId(id: JsonRpcId): JsonRpcId {
  const isReplaced = id === 0 || id === '' || (typeof id === 'string' && id.startsWith(REPLACED_ID))
  return isReplaced ? REPLACED_ID + JSON.stringify(id) : id
}

/** The client's id for one that the SDK has seen. */
export function clientId(id: JsonRpcId): JsonRpcId {
  return typeof id === 'string' && id.startsWith(REPLACED_ID) ? JSON.parse(id.slice(REPLACED_ID.length)) : id
}
