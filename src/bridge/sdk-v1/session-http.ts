import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { SessionLimits } from '../era-settings.js'
import { answerOf, errorAnswer, type HttpAnswer, type HttpExchange, REFUSED } from '../http-exchange.js'
import { isRequest, type JsonRpcId } from '../json-rpc.js'
import type { McpHost } from '../mcp-host.js'
import type { McpConnection } from '../mcp-transport.js'
import type { LegacyConnect, LegacyHttp } from './legacy-http.js'
import { LegacyTransport } from './legacy-transport.js'
import { carryOrigin } from './origin.js'

interface Session {
  readonly id: string
  readonly address: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly line: LegacyTransport
  connection?: McpConnection
  /** Requests and streams that are being answered. */
  inUse: number
  lastUsedAt: number
}

/** How often sessions are looked through, at the most. */
const SWEEP_MS = 60_000

/**
 * Streamable HTTP with sessions (MCP 2025-11-25 "Session Management"). Clients seldom end theirs, so time does. When all
 * are taken, the address that holds the most makes room for one that holds less, so that nobody can keep others out.
 */
export class SessionHttp implements LegacyHttp {
  readonly #connect: LegacyConnect
  readonly #host: McpHost
  readonly #limits: Required<SessionLimits>
  readonly #sessions = new Map<string, Session>()
  #sweep: NodeJS.Timeout | undefined
  #hasWarned = false

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
    if (!this.#makeRoom(exchange.address)) {
      return errorAnswer(503, 'Too many sessions are open', { headers: { 'retry-after': '30' } })
    }
    const id = randomUUID()
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id })
    const line = new LegacyTransport(transport, (requestId) => releaseStream(transport, requestId))
    const { address } = exchange
    const session: Session = { id, address, transport, line, inUse: 0, lastUsedAt: performance.now() }
    this.#sessions.set(id, session)
    this.#sweep ??= setInterval(() => this.#endIdle(), Math.min(this.#limits.idleMs, SWEEP_MS)).unref()
    session.connection = await this.#connect(line, { address, onClose: () => this.#forget(id) })
    // It may have had to make room meanwhile.
    if (!this.#sessions.has(id)) await session.connection.close()
    const answer = await this.#handle(session, exchange)
    // A handshake that fails opens no session.
    if (transport.sessionId === undefined) await session.connection.close()
    return answer
  }

  async #handle(session: Session, exchange: HttpExchange): Promise<HttpAnswer> {
    const { message } = exchange
    const requestId = message !== undefined && isRequest(message) ? message.id : undefined
    if (requestId !== undefined && !session.line.claim(requestId)) {
      return errorAnswer(400, 'A request with this id is still running in this session')
    }
    session.inUse++
    exchange.onEnd(() => {
      session.inUse--
      session.lastUsedAt = performance.now()
    })
    const response = await session.transport.handleRequest(exchange.toRequest(), {
      parsedBody: message,
      authInfo: carryOrigin({ address: exchange.address }),
    })
    if (requestId !== undefined && !response.ok) session.line.release(requestId)
    return answerOf(response)
  }

  /** Whether there is, or could be made, room for one more session of the address. */
  #makeRoom(address: string): boolean {
    if (this.#sessions.size < this.#limits.max) return true
    if (!this.#hasWarned) {
      this.#hasWarned = true
      this.#host.logger.warn({ max: this.#limits.max }, 'All MCP sessions are taken: see http.sessions.max')
    }
    const held = this.#heldByAddress()
    const [most = []] = [...held.values()].sort((a, b) => b.length - a.length)
    // With a difference of one, the two would take turns in ending each other's.
    if (most.length < (held.get(address)?.length ?? 0) + 2) return false
    const [idlest] = most.sort(
      (a, b) => Math.sign(a.inUse) - Math.sign(b.inUse) || a.lastUsedAt - b.lastUsedAt,
    )
    if (idlest !== undefined) this.#end(idlest)
    return idlest !== undefined
  }

  #heldByAddress(): Map<string, Session[]> {
    const held = new Map<string, Session[]>()
    for (const session of this.#sessions.values()) {
      const group = held.get(session.address)
      if (group === undefined) held.set(session.address, [session])
      else group.push(session)
    }
    return held
  }

  #endIdle(): void {
    const before = performance.now() - this.#limits.idleMs
    for (const session of this.#sessions.values()) {
      if (session.inUse === 0 && session.lastUsedAt <= before) this.#end(session)
    }
  }

  #end({ id, connection }: Session): void {
    this.#forget(id)
    connection?.close().catch((error) => this.#host.logger.warn({ err: error }, 'MCP session did not close'))
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
