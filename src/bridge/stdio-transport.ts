import type { Readable, Writable } from 'node:stream'
import type { Logger } from '../interceptors/logger.js'
import { LONGEST_TIMER_MS } from '../registry/idle-wait.js'
import { isObject } from '../registry/json-value.js'
import {
  INVALID_REQUEST,
  isJsonRpcMessage,
  isRequest,
  type JsonRpcId,
  type JsonRpcMessage,
  PARSE_ERROR,
} from './json-rpc.js'
import { LineReader } from './line-reader.js'
import type { Inbound, McpTransport } from './mcp-transport.js'

export interface StdioTransportOptions {
  readonly input: Readable
  readonly output: Writable
  /** After the end of the input, how long requests that are running may take to be answered, in milliseconds. */
  readonly drainMs: number
  /** Hears of what a client loses: a line that is too long to be read. */
  readonly logger: Logger
}

const MAX_LINE_BYTES = 10 * 1024 * 1024

/**
 * JSON-RPC messages, one a line (MCP "stdio"). A line that is none is answered so, and reading goes on. When the input
 * ends, what has been asked is still answered; then the transport closes.
 */
export class StdioTransport implements McpTransport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Inbound | undefined
  /** Resolves when it has closed and all that was sent is written. */
  readonly closed: Promise<void>
  readonly #options: StdioTransportOptions
  readonly #unanswered = new Set<JsonRpcId>()
  readonly #onClosed: () => void
  readonly #lines = new LineReader({
    maxBytes: MAX_LINE_BYTES,
    onLine: (line) => this.#receive(line),
    onTooLong: () => this.#onTooLong(),
  })
  #pendingWrites = 0
  #drainTimer: NodeJS.Timeout | undefined
  #inputEnded = false
  #isClosed = false

  constructor(options: StdioTransportOptions) {
    this.#options = options
    let resolveClosed = () => {}
    this.closed = new Promise((resolve) => {
      resolveClosed = resolve
    })
    this.#onClosed = resolveClosed
  }

  async start(): Promise<void> {
    const { input, output } = this.#options
    input
      .on('data', this.#onData)
      .on('end', this.#onInputEnd)
      .on('close', this.#onInputEnd)
      .on('error', this.#onInputEnd)
    output.on('error', this.#onOutputError)
    if (input.readableEnded || input.destroyed) this.#onInputEnd()
  }

  /** Resolves when the line is written. Rejects once closed: nobody would read it. */
  async send(message: JsonRpcMessage): Promise<void> {
    try {
      await this.#write(message)
    } finally {
      if (message.method === undefined) this.#settle(message.id)
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#drainTimer)
    const { input } = this.#options
    input
      .off('data', this.#onData)
      .off('end', this.#onInputEnd)
      .off('close', this.#onInputEnd)
      .off('error', this.#onInputEnd)
    if (input.listenerCount('data') === 0) input.pause()
    this.#lines.clear()
    this.onclose?.()
    this.#finishIfWritten()
  }

  #write(message: object): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The stdio transport is closed'))
    return new Promise((resolve, reject) => {
      this.#pendingWrites++
      this.#options.output.write(`${JSON.stringify(message)}\n`, (error) => {
        this.#pendingWrites--
        if (error) reject(error)
        else resolve()
        this.#finishIfWritten()
      })
    })
  }

  #finishIfWritten(): void {
    if (!this.#isClosed || this.#pendingWrites > 0) return
    const { output } = this.#options
    // A broken pipe says so once more after the callback of the write that has failed.
    if (output.errored === null) output.off('error', this.#onOutputError)
    this.#onClosed()
  }

  readonly #onData = (chunk: Buffer | string): void => {
    this.#lines.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  }

  #onTooLong(): void {
    const fault = `A line must not be longer than ${MAX_LINE_BYTES} bytes`
    this.#options.logger.warn({}, `MCP message over stdio skipped: ${fault}`)
    this.#refuse(INVALID_REQUEST, fault)
  }

  #receive(line: string): void {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      this.#refuse(PARSE_ERROR, 'A line is not valid JSON')
      return
    }
    if (!isJsonRpcMessage(message)) this.#refuseMessage(message)
    else if (isRequest(message) && this.#unanswered.has(message.id)) {
      this.#refuse(INVALID_REQUEST, 'A request with this id is still running')
    } else this.#deliver(message)
  }

  #deliver(message: JsonRpcMessage): void {
    if (isRequest(message) && message.method !== LISTEN) this.#unanswered.add(message.id)
    else if (message.method === 'notifications/cancelled') this.#settle(message.params?.requestId)
    try {
      this.onmessage?.(message)
    } catch (thrown) {
      this.onerror?.(thrown as Error)
    }
  }

  /** Only a request that is none gets an answer (JSON-RPC 2.0, section 5): two sides would go on refusing refusals. */
  #refuseMessage(message: unknown): void {
    const fault = 'A line must be one JSON-RPC 2.0 message, with an id that is a string or a whole number'
    if (isObject(message) && ('result' in message || 'error' in message)) this.onerror?.(new Error(fault))
    else this.#refuse(INVALID_REQUEST, fault)
  }

  /** Under no id: whatever id is in it, the answer must not be taken for the answer to another request. */
  #refuse(code: number, message: string): void {
    this.onerror?.(new Error(message))
    this.#write({ jsonrpc: '2.0', id: null, error: { code, message } }).catch(() => undefined)
  }

  #settle(id: unknown): void {
    this.#unanswered.delete(id as JsonRpcId) // a value of another type is not in it
    this.#closeIfDone()
  }

  readonly #onInputEnd = (): void => {
    if (this.#inputEnded || this.#isClosed) return
    this.#lines.end()
    this.#inputEnded = true
    this.#drainTimer = setTimeout(() => void this.close(), Math.min(this.#options.drainMs, LONGEST_TIMER_MS))
    this.#closeIfDone()
  }

  /** The client is gone: nothing that is still running can reach it. */
  readonly #onOutputError = (error: Error): void => {
    this.onerror?.(error)
    void this.close()
  }

  #closeIfDone(): void {
    if (this.#inputEnded && this.#unanswered.size === 0) void this.close()
  }
}

/** A subscription is answered only when the server ends it. */
const LISTEN = 'subscriptions/listen'
