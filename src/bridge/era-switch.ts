import type { Logger } from '../interceptors/logger.js'
import { IdleWait } from '../registry/idle-wait.js'
import { isObject } from '../registry/json-value.js'
import { connectionErrorLog } from './connection-error-log.js'
import { type Era, eraOf } from './era.js'
import { INTERNAL_ERROR, isRequest, type JsonRpcId, type JsonRpcMessage } from './json-rpc.js'
import type { Inbound, McpConnection, McpTransport } from './mcp-transport.js'

export interface EraSwitchOptions {
  readonly logger: Logger
  /** Serves the transport in one era. */
  readonly connect: (era: Era, transport: McpTransport) => Promise<McpConnection>
  /** Hears that the transport has closed. */
  readonly onClosed: () => void
}

/**
 * Serves a transport in the era that its client opens with. A client that asks what the new era offers (`server/discover`)
 * may still turn to the old one with `initialize`.
 */
export class EraSwitch implements McpConnection {
  readonly #transport: McpTransport
  readonly #options: EraSwitchOptions
  readonly #inbox: JsonRpcMessage[] = []
  #delivering = false
  #isClosed = false
  #line: Line | undefined
  /** The new era is settled: something else than the question what it offers was asked. */
  #settled = false

  constructor(transport: McpTransport, options: EraSwitchOptions) {
    this.#transport = transport
    this.#options = options
  }

  async start(): Promise<void> {
    this.#transport.onmessage = (message: unknown) => {
      // stdio and HTTP have looked; a transport of somebody else may bring anything.
      if (!isMessage(message)) return this.#reportError(new Error('A message is not JSON-RPC 2.0'))
      if (this.#isSettledFor(message)) return this.#line?.onmessage?.(message)
      this.#inbox.push(message)
      void this.#deliver()
    }
    this.#transport.onerror = (error) => this.#reportError(error)
    this.#transport.onclose = () => {
      this.#isClosed = true
      this.#line?.onclose?.()
      this.#options.onClosed()
    }
    await this.#transport.start()
  }

  async close(): Promise<void> {
    await this.#line?.connection?.close()
    await this.#transport.close()
  }

  /** Nothing is left to decide, and nothing waits before it: the way of nearly every message. */
  #isSettledFor(message: JsonRpcMessage): boolean {
    if (this.#delivering || this.#isClosed || this.#line === undefined) return false
    return this.#line.era === 'legacy' || (this.#settled && message.method !== 'initialize')
  }

  /** One after the other, also while an SDK is loading. */
  async #deliver(): Promise<void> {
    if (this.#delivering) return
    this.#delivering = true
    for (let message = this.#inbox.shift(); message !== undefined; message = this.#inbox.shift()) {
      if (this.#isClosed) break
      try {
        const line = await this.#lineFor(message)
        if (!this.#isClosed) line.deliver(message)
      } catch (thrown) {
        this.#options.logger.error({ err: thrown }, 'MCP connection failed')
        await this.#refuse(message)
      }
    }
    this.#delivering = false
  }

  async #lineFor(message: JsonRpcMessage): Promise<Line> {
    const era = isObject(message) ? eraOf(message) : 'legacy'
    const isFallback =
      this.#line?.era === 'modern' && !this.#settled && era === 'legacy' && message.method === 'initialize'
    if (this.#line === undefined || isFallback) await this.#open(era)
    if (era === 'modern' && isRequest(message) && message.method !== 'server/discover') this.#settled = true
    if (this.#line === undefined) throw new Error('The connection has no era')
    return this.#line
  }

  async #open(era: Era): Promise<void> {
    const previous = this.#line
    await previous?.whenAnswered()
    this.#line = undefined
    previous?.detach()
    await previous?.connection?.close()
    const line = new Line(era, this.#transport)
    line.connection = await this.#options.connect(era, line)
    this.#line = line
    if (this.#isClosed) line.onclose?.()
  }

  #reportError(error: Error): void {
    if (this.#line === undefined) connectionErrorLog(this.#options.logger)(error)
    else this.#line.onerror?.(error)
  }

  async #refuse(message: JsonRpcMessage): Promise<void> {
    if (!isRequest(message) || this.#isClosed) return
    const error = { code: INTERNAL_ERROR, message: 'Internal error' }
    await this.#transport.send({ jsonrpc: '2.0', id: message.id, error }).catch(() => undefined)
  }
}

/** Enough not to fail on it: stdio and HTTP have looked closer, and the SDKs look themselves. */
function isMessage(value: unknown): value is JsonRpcMessage {
  return isObject(value) && value.jsonrpc === '2.0'
}

/** To say what the new era offers takes no time at all. */
const ANSWER_MS = 3_000

/** The transport as the server of one era has it. */
class Line implements McpTransport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Inbound | undefined
  connection?: McpConnection
  readonly era: Era
  readonly #transport: McpTransport
  readonly #unanswered = new Set<JsonRpcId>()
  readonly #answered = new IdleWait()
  #attached = true

  constructor(era: Era, transport: McpTransport) {
    this.era = era
    this.#transport = transport
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId
  }

  async start(): Promise<void> {}

  deliver(message: JsonRpcMessage): void {
    if (isRequest(message)) this.#unanswered.add(message.id)
    this.onmessage?.(message)
  }

  /** Resolves when all that was delivered is answered, or after a while. */
  async whenAnswered(): Promise<void> {
    await this.#answered.wait(() => this.#unanswered.size === 0, ANSWER_MS)
  }

  send(message: JsonRpcMessage, options?: unknown): Promise<void> {
    if (message.method === undefined && message.id !== undefined) {
      this.#unanswered.delete(message.id)
      this.#answered.wake()
    }
    return this.#attached ? this.#transport.send(message, options) : Promise.resolve()
  }

  async close(): Promise<void> {
    if (this.#attached) await this.#transport.close()
    else this.onclose?.()
  }

  /** The transport goes on without it. */
  detach(): void {
    this.#attached = false
  }
}
