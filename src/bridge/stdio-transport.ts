import type { Readable, Writable } from 'node:stream'
import { LONGEST_TIMER_MS } from '../registry/idle-wait.js'
import { isObject } from '../registry/json-value.js'
import { isRequest, type JsonRpcId, type JsonRpcMessage } from './json-rpc.js'
import type { Inbound, McpTransport } from './mcp-transport.js'

export interface StdioTransportOptions {
  readonly input: Readable
  readonly output: Writable
  /** After the end of the input, how long requests that are running may take to be answered, in milliseconds. */
  readonly drainMs: number
}

const MAX_LINE_BYTES = 10 * 1024 * 1024
const LINE_FEED = 10

/**
 * JSON-RPC messages, one a line (MCP "stdio"). When the input ends, what has been asked is still answered; then the
 * transport closes.
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
  #chunks: Buffer[] = []
  #buffered = 0
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
  send(message: JsonRpcMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The stdio transport is closed'))
    return new Promise((resolve, reject) => {
      this.#options.output.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error) reject(error)
        else resolve()
        if (message.method === undefined) this.#settle(message.id)
      })
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#drainTimer)
    const { input, output } = this.#options
    input
      .off('data', this.#onData)
      .off('end', this.#onInputEnd)
      .off('close', this.#onInputEnd)
      .off('error', this.#onInputEnd)
    if (input.listenerCount('data') === 0) input.pause()
    this.#chunks = []
    this.onclose?.()
    // An empty write is called back after all that came before it.
    output.write('', () => {
      output.off('error', this.#onOutputError)
      this.#onClosed()
    })
  }

  readonly #onData = (chunk: Buffer | string): void => {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      const line = Buffer.concat([...this.#chunks, rest.subarray(0, end)]).toString()
      this.#chunks = []
      this.#buffered = 0
      rest = rest.subarray(end + 1)
      if (line.trim() !== '') this.#receive(line)
    }
    if (rest.length === 0) return
    this.#chunks.push(rest)
    this.#buffered += rest.length
    if (this.#buffered <= MAX_LINE_BYTES) return
    this.onerror?.(new Error(`A message is larger than ${MAX_LINE_BYTES} bytes: the connection is closed`))
    void this.close()
  }

  #receive(line: string): void {
    try {
      const message = JSON.parse(line)
      if (isRequest(message) && message.method !== LISTEN) this.#unanswered.add(message.id)
      else if (message.method === 'notifications/cancelled' && isObject(message.params)) {
        this.#settle(message.params.requestId)
      }
      this.onmessage?.(message)
    } catch (cause) {
      this.onerror?.(new Error('A line of the input is not a JSON-RPC message', { cause }))
    }
  }

  #settle(id: unknown): void {
    this.#unanswered.delete(id as JsonRpcId) // a value of another type is not in it
    this.#closeIfDone()
  }

  readonly #onInputEnd = (): void => {
    if (this.#inputEnded || this.#isClosed) return
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
