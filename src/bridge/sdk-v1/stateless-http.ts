import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import { errorAnswer, type HttpAnswer, type HttpExchange, jsonAnswer } from '../http-exchange.js'
import { isRequest, type JsonRpcMessage, type JsonRpcRequest, SERVER_ERROR } from '../json-rpc.js'
import type { Inbound, McpConnection, McpTransport } from '../mcp-transport.js'
import type { LegacyConnect, LegacyHttp } from './legacy-http.js'
import { LegacyTransport } from './legacy-transport.js'
import { carryOrigin } from './origin.js'

/** Streamable HTTP without sessions: each request stands alone and is answered with JSON. */
export class StatelessHttp implements LegacyHttp {
  readonly sessionCount = 0
  readonly #requests: SharedTransport
  readonly #connection: McpConnection

  private constructor(requests: SharedTransport, connection: McpConnection) {
    this.#requests = requests
    this.#connection = connection
  }

  static async start(connect: LegacyConnect): Promise<StatelessHttp> {
    const requests = new SharedTransport()
    const connection = await connect(new LegacyTransport(requests), { address: 'unknown', shared: true })
    return new StatelessHttp(requests, connection)
  }

  async answer(exchange: HttpExchange): Promise<HttpAnswer> {
    const { message } = exchange
    if (message === undefined) {
      return errorAnswer(405, 'There are no sessions here: use POST', { headers: { allow: 'POST' } })
    }
    const refusal = refusalOf(exchange, message)
    if (refusal !== undefined) return refusal
    // Nothing here outlives a request, so there is nothing that a notification or a response could be about.
    if (!isRequest(message)) return { status: 202, headers: {} }
    return jsonAnswer(await this.#requests.request(message, exchange))
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}

function refusalOf(exchange: HttpExchange, message: JsonRpcMessage): HttpAnswer | undefined {
  const revision = exchange.header('mcp-protocol-version')
  if (
    message.method === 'initialize' ||
    revision === undefined ||
    SUPPORTED_PROTOCOL_VERSIONS.includes(revision)
  ) {
    return undefined
  }
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ')
  return errorAnswer(400, `Unsupported protocol version: ${revision} (supported versions: ${supported})`, {
    code: SERVER_ERROR,
  })
}

/**
 * Lets requests of any number of clients share one SDK server, since to make one for each request costs more than the
 * request. Each gets an id of ours, so that equal ids of two clients never meet. Only an answer goes back; a progress or
 * log notification has no place in it.
 */
class SharedTransport implements McpTransport {
  onclose?: (() => void) | undefined
  onmessage?: Inbound | undefined
  readonly #waiting = new Map<number, (answer: JsonRpcMessage | undefined) => void>()
  #lastId = 0

  async start(): Promise<void> {}

  /** Resolves to the answer under the client's id, or to `undefined` when the client is gone first. */
  async request(message: JsonRpcRequest, exchange: HttpExchange): Promise<JsonRpcMessage | undefined> {
    const id = ++this.#lastId
    const answered = new Promise<JsonRpcMessage | undefined>((resolve) => this.#waiting.set(id, resolve))
    exchange.onEnd(() => this.#giveUp(id))
    const authInfo = carryOrigin({ address: exchange.address, principal: exchange.principal, id: message.id })
    this.onmessage?.({ ...message, id }, { authInfo })
    const answer = await answered
    return answer && { ...answer, id: message.id }
  }

  async send(message: JsonRpcMessage): Promise<void> {
    if (message.method !== undefined && message.id !== undefined) {
      throw new Error('A client without a session cannot be asked')
    }
    if (typeof message.id === 'number') this.#settle(message.id, message)
  }

  async close(): Promise<void> {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, undefined)
    this.onclose?.()
  }

  #giveUp(id: number): void {
    if (!this.#waiting.has(id)) return
    this.#settle(id, undefined)
    this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
  }

  #settle(id: number, answer: JsonRpcMessage | undefined): void {
    this.#waiting.get(id)?.(answer)
    this.#waiting.delete(id)
  }
}
