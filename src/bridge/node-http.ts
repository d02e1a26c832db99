import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Awaitable } from '../registry/awaitable.js'
import type { Principal } from '../registry/principal.js'
import type { HttpArrival } from './http-arrival.js'
import type { HttpAnswer } from './http-exchange.js'

/** For node:http, Express, Connect and their like, wherever they mount it. */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse) => void

export interface NodeHandlerOptions {
  /**
   * Who is calling, where the service has found it out, such as in a middleware; `undefined`: nobody in particular.
   * Throws an `UnauthenticatedError` for 401.
   */
  principal?(req: IncomingMessage): Awaitable<Principal | undefined>
}

/** A request of node:http, also behind a body parser. */
export class NodeArrival implements HttpArrival {
  readonly method: string
  readonly url: string
  readonly address: string
  readonly parsedBody?: unknown
  readonly identify: HttpArrival['identify']
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  #gone: AbortController | undefined
  #raw: Map<string, string[]> | undefined

  constructor(req: IncomingMessage, res: ServerResponse, identify?: HttpArrival['identify']) {
    // Express and others put what they parsed, and what a router took away, here.
    const { body, originalUrl } = req as { readonly body?: unknown; readonly originalUrl?: unknown }
    this.#req = req
    this.#res = res
    this.method = req.method ?? 'GET'
    this.url = typeof originalUrl === 'string' ? originalUrl : (req.url ?? '/')
    this.address = req.socket.remoteAddress ?? 'unknown'
    if (body !== undefined) this.parsedBody = body
    this.identify = identify
  }

  get signal(): AbortSignal {
    if (this.#gone !== undefined) return this.#gone.signal
    const gone = new AbortController()
    this.#gone = gone
    this.onEnd(() => {
      if (!this.#res.writableFinished) gone.abort()
    })
    return gone.signal
  }

  header(name: string): string | undefined {
    // HTTP/2 has the host under another name.
    return this.#values(name) ?? (name === 'host' ? this.#values(':authority') : undefined)
  }

  *headers(): Iterable<readonly [name: string, value: string]> {
    for (const name of Object.keys(this.#req.headers)) {
      const value = name.startsWith(':') ? undefined : this.#values(name)
      if (value !== undefined) yield [name, value]
    }
  }

  onEnd(listener: () => void): void {
    if (this.#res.closed) listener()
    else this.#res.once('close', listener)
  }

  async readBody(maxBytes: number): Promise<string | undefined> {
    if (Number(this.#req.headers['content-length']) > maxBytes) return undefined
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of this.#req as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) return undefined
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  }

  /** Of some headers Node keeps the first value and says nothing of the others: those are in the raw ones alone. */
  #values(name: string): string | undefined {
    const value = this.#req.headers[name]
    if (value === undefined) return undefined
    this.#raw ??= valuesByName(this.#req.rawHeaders)
    const values = this.#raw.get(name) ?? []
    if (values.length > 1) return values.join(', ')
    return typeof value === 'object' ? value.join(', ') : value
  }
}

function valuesByName(rawHeaders: readonly string[] = []): Map<string, string[]> {
  const byName = new Map<string, string[]>()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? ''
    const values = byName.get(name)
    if (values === undefined) byName.set(name, [rawHeaders[i + 1] ?? ''])
    else values.push(rawHeaders[i + 1] ?? '')
  }
  return byName
}

/** More than any answer is large: whoever has so much to read still is not reading. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** Resolves when the answer is written or the client is gone. */
export async function writeAnswer(res: ServerResponse, { status, headers, body }: HttpAnswer): Promise<void> {
  if (res.destroyed || res.headersSent) {
    if (typeof body === 'object') await body.cancel().catch(() => undefined)
    return
  }
  // HTTP/2 knows no such header, and Node warns of it.
  if (res.req.httpVersionMajor >= 2) {
    const { connection: _connection, ...kept } = headers
    headers = kept
  }
  if (typeof body !== 'object') {
    res.writeHead(status, {
      ...headers,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    })
    res.end(body)
    return
  }
  res.writeHead(status, { ...headers })
  res.flushHeaders()
  const reader = body.getReader()
  res.once('close', () => void reader.cancel().catch(() => undefined))
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    if (res.write(chunk.value)) continue
    // Whoever does not read gets no more: what an SDK sends goes on to pile up while we wait.
    if (res.writableLength > MAX_UNREAD_BYTES) return void res.destroy()
  }
  res.end()
}
