import { BearerAuth } from './auth/bearer-auth.js'
import { type Caller, callerOfService } from './auth/caller.js'
import type { McpAuthOptions } from './auth/mcp-auth-options.js'
import { type Era, eraOf } from './era.js'
import type { Eras } from './eras.js'
import { notAccepted } from './http-accept.js'
import type { HttpArrival } from './http-arrival.js'
import { readJson } from './http-body.js'
import { errorAnswer, type HttpAnswer, type HttpExchange } from './http-exchange.js'
import { HttpGate, type HttpGateOptions } from './http-gate.js'
import { sdkRequest } from './http-request.js'
import { INTERNAL_ERROR, isJsonRpcMessage, isRequest, type JsonRpcMessage } from './json-rpc.js'
import type { McpHost } from './mcp-host.js'
import { wholeNumber } from './whole-number.js'

export interface HttpHostOptions extends HttpGateOptions {
  /** The largest request body, in bytes. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /** Lets nobody in without an access token. Default: anonymous callers, or those that the service around it knows. */
  readonly auth?: McpAuthOptions
}

export interface HttpHostParts {
  readonly host: McpHost
  readonly eras: Eras
  /** Without sessions the older era answers with JSON alone. */
  readonly hasSessions: boolean
}

/**
 * The one HTTP endpoint for both eras: refuses what is not an MCP request, or not of somebody who may send one, and
 * routes the rest by the era that it speaks.
 */
export class HttpHost {
  readonly #host: McpHost
  readonly #eras: Eras
  readonly #hasSessions: boolean
  readonly #auth: BearerAuth | undefined
  readonly #gate: HttpGate
  readonly #maxBodyBytes: number
  #state: 'open' | 'draining' | 'closed' = 'open'

  constructor(options: HttpHostOptions, { host, eras, hasSessions }: HttpHostParts) {
    const { maxBodyBytes = 4 * 1024 * 1024, auth, ...gate } = options
    const { logger } = host
    this.#host = host
    this.#eras = eras
    this.#hasSessions = hasSessions
    this.#auth = auth && new BearerAuth(auth, logger)
    this.#gate = new HttpGate(gate, { logger, metadata: this.#auth?.metadata })
    this.#maxBodyBytes = wholeNumber(maxBodyBytes, 'http.maxBodyBytes', 1)
  }

  /** Tokens say who is calling: nobody else is to. */
  get verifiesTokens(): boolean {
    return this.#auth !== undefined
  }

  /** Never rejects: a failure of ours is logged and answered without a detail. */
  async answer(arrival: HttpArrival): Promise<HttpAnswer> {
    const answer = await this.#answer(arrival).catch((thrown: unknown) => this.#failure(thrown))
    const headers = { ...this.#gate.headers(arrival), ...answer.headers }
    return { ...answer, headers: isEventStream(answer) ? { ...headers, ...STREAM_HEADERS } : headers }
  }

  /** From now on nothing begins; what is running may be cancelled, answered and read to its end. */
  drain(): void {
    this.#state = 'draining'
  }

  /** From now on every request is refused. */
  close(): void {
    this.#state = 'closed'
  }

  async #answer(arrival: HttpArrival): Promise<HttpAnswer> {
    const answer = this.#gate.answer(arrival)
    if (answer !== undefined) return answer
    // Before anything else of the request is looked at.
    const caller = await (this.#auth?.callerOf(arrival) ?? callerOfService(arrival, this.#host.logger))
    if ('refusal' in caller) return caller.refusal
    if (this.#state === 'closed') return shuttingDown()
    return arrival.method === 'POST' ? this.#post(arrival, caller) : this.#getOrDelete(arrival, caller)
  }

  /** Streams and sessions are of the older era. */
  async #getOrDelete(arrival: HttpArrival, caller: Caller): Promise<HttpAnswer> {
    if (arrival.method === 'GET') {
      // One that broke off is read to its end.
      if (this.#state !== 'open' && arrival.header('last-event-id') === undefined) return shuttingDown()
      const refusal = this.#hasSessions ? acceptRefusal(arrival, [EVENT_STREAM]) : undefined
      if (refusal !== undefined) return refusal
    }
    return (await this.#eras.serverOf('legacy')).answer(exchange(arrival, caller))
  }

  async #post(arrival: HttpArrival, caller: Caller): Promise<HttpAnswer> {
    if (!isJson(arrival.header('content-type'))) {
      return errorAnswer(415, 'Content-Type must be application/json')
    }
    const body = await readJson(arrival, this.#maxBodyBytes)
    if ('refusal' in body) return body.refusal
    const message = body.json
    if (!isJsonRpcMessage(message)) return errorAnswer(400, 'The body must be one JSON-RPC 2.0 message')
    if (this.#isRefusedNow(arrival, message)) return shuttingDown()
    const era = eraOf(message, arrival.header('mcp-protocol-version'))
    const refusal = acceptRefusal(arrival, this.#answerTypes(era))
    return refusal ?? (await this.#eras.serverOf(era)).answer(exchange(arrival, caller, message))
  }

  /**
   * What would begin while all comes to its end; not the answer or the cancellation that something running waits for. While
   * the runtime alone closes, open sessions go on, and hear of their calls that there are no more.
   */
  #isRefusedNow(arrival: HttpArrival, message: JsonRpcMessage): boolean {
    if (!isRequest(message)) return false
    if (this.#state !== 'open') return true
    const isInSession = message.method !== 'initialize' && arrival.header('mcp-session-id') !== undefined
    return this.#host.isClosing && !isInSession
  }

  #answerTypes(era: Era): readonly string[] {
    return era === 'legacy' && !this.#hasSessions ? [JSON_TYPE] : [JSON_TYPE, EVENT_STREAM]
  }

  #failure(thrown: unknown): HttpAnswer {
    // It was under way when the servers of the eras closed.
    if (this.#state === 'closed') return shuttingDown()
    this.#host.logger.error({ err: thrown }, 'MCP request over HTTP failed')
    return errorAnswer(500, 'Internal error', { code: INTERNAL_ERROR })
  }
}

const JSON_TYPE = 'application/json'
const EVENT_STREAM = 'text/event-stream'

/** A proxy, or a middleware that compresses, must pass on each event as it comes. */
const STREAM_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' }

function isEventStream({ headers }: HttpAnswer): boolean {
  return headers['content-type'] === EVENT_STREAM
}

function shuttingDown(): HttpAnswer {
  return errorAnswer(503, 'The service is shutting down', { headers: { 'retry-after': '5' } })
}

function acceptRefusal(arrival: HttpArrival, needed: readonly string[]): HttpAnswer | undefined {
  if (notAccepted(arrival.header('accept'), needed).length === 0) return undefined
  return errorAnswer(406, `The client must accept ${needed.join(' and ')}`)
}

/** The media type itself, not just somewhere in the header. */
function isJson(contentType = ''): boolean {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === JSON_TYPE
}

function exchange(arrival: HttpArrival, { principal }: Caller, message?: JsonRpcMessage): HttpExchange {
  return {
    method: arrival.method as HttpExchange['method'], // checked by the gate
    address: arrival.address,
    principal,
    header: (name) => arrival.header(name),
    onEnd: (listener) => arrival.onEnd(listener),
    toRequest: () => sdkRequest(arrival),
    ...(message && { message }),
  }
}
