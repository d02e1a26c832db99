import { eraOf } from './era.js'
import type { Eras } from './eras.js'
import { errorAnswer, type HttpAnswer, type HttpExchange } from './http-exchange.js'
import { HttpGuard, type HttpGuardOptions } from './http-guard.js'
import { INTERNAL_ERROR, isJsonRpcMessage, type JsonRpcMessage, PARSE_ERROR } from './json-rpc.js'
import type { McpHost } from './mcp-host.js'

export interface HttpHostOptions extends HttpGuardOptions {
  /** The largest request body, in bytes. Default 4 MiB. */
  readonly maxBodyBytes?: number
}

/** A request as a server hands it over, before anything is known to be right about it. */
export interface HttpArrival {
  readonly method: string
  readonly address: string
  header(name: string): string | undefined
  onEnd(listener: () => void): void
  toRequest(): Request
  /** The parsed body, if something in front of us has parsed it. */
  readonly parsedBody?: unknown
  /** Resolves to `undefined` once the body is larger than `maxBytes`. */
  readBody(maxBytes: number): Promise<string | undefined>
}

/** The one HTTP endpoint for both eras: refuses what is not an MCP request, and routes the rest by the era it speaks. */
export class HttpHost {
  readonly #host: McpHost
  readonly #eras: Eras
  readonly #guard: HttpGuard
  readonly #maxBodyBytes: number
  #closed = false
  #hasLoggedRefusal = false

  constructor(host: McpHost, eras: Eras, { maxBodyBytes = 4 * 1024 * 1024, ...guard }: HttpHostOptions) {
    this.#host = host
    this.#eras = eras
    this.#guard = new HttpGuard(guard)
    this.#maxBodyBytes = maxBodyBytes
  }

  /** Never rejects: a failure of ours is logged and answered without a detail. */
  async answer(arrival: HttpArrival): Promise<HttpAnswer> {
    try {
      return this.#refusal(arrival) ?? (await this.#dispatch(arrival))
    } catch (thrown) {
      this.#host.logger.error({ err: thrown }, 'MCP request over HTTP failed')
      return errorAnswer(500, 'Internal error', { code: INTERNAL_ERROR })
    }
  }

  /** From now on every request is refused. */
  close(): void {
    this.#closed = true
  }

  /** Once: who mounts the bridge under a name of its own finds the option; who attacks cannot fill the log. */
  #logRefusal(arrival: HttpArrival): void {
    if (this.#hasLoggedRefusal) return
    this.#hasLoggedRefusal = true
    const fields = { host: arrival.header('host'), origin: arrival.header('origin') }
    this.#host.logger.warn(
      fields,
      'MCP request refused: name the host in http.allowedHosts, the page in http.allowedOrigins',
    )
  }

  #refusal(arrival: HttpArrival): HttpAnswer | undefined {
    const refusal = this.#guard.refusal(arrival.header('host'), arrival.header('origin'))
    if (refusal !== undefined) {
      this.#logRefusal(arrival)
      return refusal
    }
    if (!isServedMethod(arrival.method)) {
      return errorAnswer(405, `Method ${arrival.method} is not allowed`, {
        headers: { allow: 'POST, GET, DELETE' },
      })
    }
    if (this.#closed) return errorAnswer(503, 'The service is shutting down')
    if (arrival.method === 'POST' && !isJson(arrival.header('content-type'))) {
      return errorAnswer(415, 'Content-Type must be application/json')
    }
    return undefined
  }

  async #dispatch(arrival: HttpArrival): Promise<HttpAnswer> {
    if (arrival.method !== 'POST') return (await this.#eras.serverOf('legacy')).answer(exchange(arrival))
    const body = await this.#readJson(arrival)
    if ('refusal' in body) return body.refusal
    if (!isJsonRpcMessage(body.json)) return errorAnswer(400, 'The body must be one JSON-RPC 2.0 message')
    const era = eraOf(body.json, arrival.header('mcp-protocol-version'))
    return (await this.#eras.serverOf(era)).answer(exchange(arrival, body.json))
  }

  async #readJson(
    arrival: HttpArrival,
  ): Promise<{ readonly json: unknown } | { readonly refusal: HttpAnswer }> {
    const { parsedBody } = arrival
    if (typeof parsedBody === 'object' && parsedBody !== null && !Buffer.isBuffer(parsedBody))
      return { json: parsedBody }
    const text = parsedBody === undefined ? await this.#readText(arrival) : String(parsedBody)
    if (typeof text === 'object') return { refusal: text }
    try {
      return { json: JSON.parse(text) }
    } catch {
      return { refusal: errorAnswer(400, 'The body is not valid JSON', { code: PARSE_ERROR }) }
    }
  }

  async #readText(arrival: HttpArrival): Promise<string | HttpAnswer> {
    const max = this.#maxBodyBytes
    try {
      const text = await arrival.readBody(max)
      if (text !== undefined) return text
      return errorAnswer(413, `The body must not be larger than ${max} bytes`, {
        headers: { connection: 'close' },
      })
    } catch {
      return errorAnswer(400, 'The body could not be read', { code: PARSE_ERROR })
    }
  }
}

function isServedMethod(method: string): method is HttpExchange['method'] {
  return method === 'POST' || method === 'GET' || method === 'DELETE'
}

/** The media type itself, not just somewhere in the header. */
function isJson(contentType = ''): boolean {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

function exchange(arrival: HttpArrival, message?: JsonRpcMessage): HttpExchange {
  return {
    method: arrival.method as HttpExchange['method'], // checked before
    address: arrival.address,
    header: (name) => arrival.header(name),
    onEnd: (listener) => arrival.onEnd(listener),
    toRequest: () => arrival.toRequest(),
    ...(message && { message }),
  }
}
