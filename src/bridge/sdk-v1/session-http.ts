import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { SessionLimits } from '../era-settings.js'
import { answerOf, errorAnswer, type HttpAnswer, type HttpExchange, REFUSED } from '../http-exchange.js'
import type { JsonRpcId } from '../json-rpc.js'
import type { McpHost } from '../mcp-host.js'
import type { McpConnection } from '../mcp-transport.js'
import type { LegacyConnect, LegacyHttp } from './legacy-http.js'
import { carryOrigin } from './origin.js'

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  connection?: McpConnection
  /** Requests and streams that are being answered. */
  inUse: number
  lastUsedAt: number
}

/** How often sessions are looked through, at the most. */
const SWEEP_MS = 60_000

/** Streamable HTTP with sessions (MCP 2025-11-25 "Session Management"). Clients seldom end theirs, so time does. */
export class SessionHttp implements LegacyHttp {
  readonly #connect: LegacyConnect
  readonly #host: McpHost
  readonly #limits: Required<SessionLimits>
  readonly #sessions = new Map<string, Session>()
  #sweep: NodeJS.Timeout | undefined

  constructor(connect: LegacyConnect, host: McpHost, limits: Required<SessionLimits>) {
    this.#connect = connect
    this.#host = host
    this.#limits = limits
  }

  get sessionCount(): number {
    return this.#sessions.size
  }

  async answer(exchange: HttpExchange): Promise<HttpAnswer> {
    // A client that begins anew may still send the id of a session that is gone.
    if (exchange.message?.method === 'initialize') return this.#open(exchange)
    const id = exchange.header('mcp-session-id')
    if (id === undefined) return errorAnswer(400, 'Mcp-Session-Id header is required', { code: REFUSED })
    const session = this.#sessions.get(id)
    if (session === undefined) return errorAnswer(404, 'Session not found', { code: -32001 })
    return this.#handle(session, exchange)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ connection }) => connection?.close()))
    this.#sessions.clear()
    clearInterval(this.#sweep)
  }

  async #open(exchange: HttpExchange): Promise<HttpAnswer> {
    if (this.#host.isClosing) return errorAnswer(503, 'The service is shutting down')
    if (this.#sessions.size >= this.#limits.max) {
      return errorAnswer(503, 'Too many sessions are open', { headers: { 'retry-after': '30' } })
    }
    const id = randomUUID()
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id })
    const session: Session = { transport, inUse: 0, lastUsedAt: performance.now() }
    this.#sessions.set(id, session)
    this.#sweep ??= setInterval(() => this.#endIdle(), Math.min(this.#limits.idleMs, SWEEP_MS)).unref()
    session.connection = await this.#connect(transport, {
      address: exchange.address,
      releaseStream: (requestId) => releaseStream(transport, requestId),
      onClose: () => this.#forget(id),
    })
    const answer = await this.#handle(session, exchange)
    // A handshake that fails opens no session.
    if (transport.sessionId === undefined) await session.connection.close()
    return answer
  }

  async #handle(session: Session, exchange: HttpExchange): Promise<HttpAnswer> {
    session.inUse++
    exchange.onEnd(() => {
      session.inUse--
      session.lastUsedAt = performance.now()
    })
    const response = await session.transport.handleRequest(exchange.toRequest(), {
      parsedBody: exchange.message,
      authInfo: carryOrigin({ address: exchange.address }),
    })
    return answerOf(response)
  }

  #endIdle(): void {
    const before = performance.now() - this.#limits.idleMs
    for (const { connection, inUse, lastUsedAt } of this.#sessions.values()) {
      if (inUse > 0 || lastUsedAt > before) continue
      connection
        ?.close()
        .catch((error) => this.#host.logger.warn({ err: error }, 'MCP session did not close'))
    }
  }

  #forget(id: string): void {
    this.#sessions.delete(id)
    if (this.#sessions.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }
}

/**
 * Ends the stream of a request that was cancelled. The answer that is sent after it reaches nobody: it makes the transport
 * forget the request, which it does only once it is answered.
 */
function releaseStream(transport: WebStandardStreamableHTTPServerTransport, id: JsonRpcId): void {
  transport.closeSSEStream(id)
  const answer: JSONRPCMessage = {
    jsonrpc: '2.0',
    id,
    error: { code: REFUSED, message: 'Request cancelled' },
  }
  transport.send(answer).catch(() => undefined)
}
