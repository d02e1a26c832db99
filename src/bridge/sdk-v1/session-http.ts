import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { storeKey } from '../../interceptors/stores/store.js'
import type { SessionLimits } from '../era-settings.js'
import { answerOf, errorAnswer, type HttpAnswer, type HttpExchange } from '../http-exchange.js'
import { isRequest, type JsonRpcId, SERVER_ERROR, SESSION_NOT_FOUND } from '../json-rpc.js'
import type { McpHost } from '../mcp-host.js'
import type { McpPeer } from '../mcp-peer.js'
import type { McpConnection } from '../mcp-transport.js'
import type { Resumability } from '../resumability.js'
import type { LegacyConnect, LegacyHttp } from './legacy-http.js'
import { LegacyTransport } from './legacy-transport.js'
import { carryOrigin } from './origin.js'
import { SessionEvents } from './session-events.js'

export interface SessionHttpOptions {
  readonly host: McpHost
  readonly limits: Required<SessionLimits>
  /** How long an event stream may be silent, in milliseconds. */
  readonly keepAliveMs: number
  /** Without it, what is sent to a client that has lost its connection is lost. */
  readonly resumability?: Resumability | undefined
}

interface Session {
  readonly id: string
  /** The principal that opened it, if there was one: nobody else can use it. */
  readonly owner: string | undefined
  /** Whose share of the sessions it counts in. */
  readonly holder: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly line: LegacyTransport
  readonly events: SessionEvents | undefined
  connection?: McpConnection
  /** Requests and streams that are being answered. */
  inUse: number
  lastUsedAt: number
}

/** How often sessions are looked through, at the most. */
const SWEEP_MS = 60_000
/** After so long without a request or a stream a session makes room for another, if all are taken. */
const ABANDONED_MS = 60_000
/** Clients of earlier ones cannot read an event without data, which tells them where to resume. */
const FIRST_RESUMABLE_REVISION = '2025-11-25'

/**
 * Streamable HTTP with sessions (MCP 2025-11-25 "Session Management"). A session belongs to the principal that opened
 * it. Clients seldom end theirs, so time does. When all are taken, the caller that holds the most (a principal, or else an
 * address) makes room for one that holds less, so that nobody can keep others out.
 */
export class SessionHttp implements LegacyHttp {
  readonly #connect: LegacyConnect
  readonly #host: McpHost
  readonly #limits: Required<SessionLimits>
  readonly #keepAliveMs: number
  readonly #resumability: Resumability | undefined
  readonly #sessions = new Map<string, Session>()
  #sweep: NodeJS.Timeout | undefined
  #hasWarned = false

  constructor(connect: LegacyConnect, { host, limits, resumability, keepAliveMs }: SessionHttpOptions) {
    this.#connect = connect
    this.#host = host
    this.#limits = limits
    this.#keepAliveMs = keepAliveMs
    this.#resumability = resumability
  }

  get sessionCount(): number {
    return this.#sessions.size
  }

  async answer(exchange: HttpExchange): Promise<HttpAnswer> {
    // A client that begins anew may still send the id of a session that is gone.
    if (exchange.message?.method === 'initialize') return this.#open(exchange)
    const id = exchange.header('mcp-session-id')
    if (id === undefined) return errorAnswer(400, 'Mcp-Session-Id header is required', { code: SERVER_ERROR })
    const session = this.#sessions.get(id)
    // An id does not say who is calling (MCP "Security Best Practices": session hijacking).
    if (session === undefined || session.owner !== exchange.principal?.key)
      return errorAnswer(404, 'Session not found', { code: SESSION_NOT_FOUND })
    return this.#handle(session, exchange)
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.#sessions.values()].map(async ({ connection, events }) => {
        await connection?.close()
        await events?.end()
      }),
    )
    this.#sessions.clear()
    clearInterval(this.#sweep)
  }

  async #open(exchange: HttpExchange): Promise<HttpAnswer> {
    if (!this.#makeRoom(holderOf(exchange))) {
      return errorAnswer(503, 'Too many sessions are open', { headers: { 'retry-after': '30' } })
    }
    const session = this.#newSession(exchange)
    const { id, transport, line } = session
    this.#sessions.set(id, session)
    this.#sweep ??= setInterval(() => this.#endIdle(), Math.min(this.#limits.idleMs, SWEEP_MS)).unref()
    session.connection = await this.#connect(line, {
      address: exchange.address,
      principal: exchange.principal,
      onClose: () => this.#forget(id),
    })
    // It may have had to make room meanwhile.
    if (!this.#sessions.has(id)) await session.connection.close()
    const answer = await this.#handle(session, exchange)
    // A handshake that fails opens no session.
    if (transport.sessionId === undefined) await session.connection.close()
    return answer
  }

  #newSession(exchange: HttpExchange): Session {
    const id = randomUUID()
    const resumability = this.#resumability
    const events =
      resumability && new SessionEvents({ sessionId: id, resumability, logger: this.#host.logger })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      keepAliveMs: this.#keepAliveMs,
      ...(events && { eventStore: events, retryInterval: resumability.retryMs }),
    })
    return {
      id,
      owner: exchange.principal?.key,
      holder: holderOf(exchange),
      transport,
      line: new LegacyTransport(transport, (requestId) => answerCancelled({ transport, events }, requestId)),
      events,
      inUse: 0,
      lastUsedAt: performance.now(),
    }
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
    const answer = await respond(session, exchange)
    const { status, body } = answer
    if (requestId !== undefined && status >= 400) session.line.release(requestId)
    if (typeof body === 'object') exchange.onEnd(() => void discard(body))
    return answer
  }

  /** Whether there is, or could be made, room for one more session of the holder. */
  #makeRoom(holder: string): boolean {
    if (this.#sessions.size < this.#limits.max) return true
    if (!this.#hasWarned) {
      this.#hasWarned = true
      this.#host.logger.warn({ max: this.#limits.max }, 'All MCP sessions are taken: see http.sessions.max')
    }
    const held = this.#byHolder()
    const [most = []] = [...held.values()].sort((a, b) => b.length - a.length)
    // With a difference of one, the two would take turns in ending each other's.
    const isUnfair = most.length >= (held.get(holder)?.length ?? 0) + 2
    const [idlest] = (isUnfair ? most : this.#abandoned()).sort(
      (a, b) => Math.sign(a.inUse) - Math.sign(b.inUse) || a.lastUsedAt - b.lastUsedAt,
    )
    if (idlest !== undefined) this.#end(idlest)
    return idlest !== undefined
  }

  /** Clients seldom end their sessions: one that has been silent for a while is most likely left behind. */
  #abandoned(): Session[] {
    const before = performance.now() - ABANDONED_MS
    return [...this.#sessions.values()].filter(({ inUse, lastUsedAt }) => inUse === 0 && lastUsedAt <= before)
  }

  #byHolder(): Map<string, Session[]> {
    const held = new Map<string, Session[]>()
    for (const session of this.#sessions.values()) {
      const group = held.get(session.holder)
      if (group === undefined) held.set(session.holder, [session])
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
    void this.#sessions.get(id)?.events?.end() // never rejects
    this.#sessions.delete(id)
    if (this.#sessions.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }
}

/** A principal goes from address to address, and many share one. */
function holderOf({ principal, address }: McpPeer): string {
  return principal === undefined ? storeKey('address', address) : storeKey('principal', principal.key)
}

async function respond({ transport, events }: Session, exchange: HttpExchange): Promise<HttpAnswer> {
  const { method, message, address, principal } = exchange
  const byTransport = async () => {
    const authInfo = carryOrigin({ address, principal })
    return answerOf(await transport.handleRequest(exchange.toRequest(), { parsedBody: message, authInfo }))
  }
  if (events === undefined) return byTransport()
  const primes = (exchange.header('mcp-protocol-version') ?? '') >= FIRST_RESUMABLE_REVISION
  const lastEventId = exchange.header('last-event-id')
  if (method === 'GET' && lastEventId) return events.resume(lastEventId, byTransport, { primes })
  const answer = await byTransport()
  return method === 'POST' && primes ? events.polled(answer) : answer
}

/** A stream that nobody has begun to read, since its client was gone before, would stay open. */
async function discard(body: ReadableStream): Promise<void> {
  if (!body.locked) await body.cancel().catch(() => undefined)
}

/**
 * Ends the stream of a request that was cancelled. The transport forgets a request only once it is answered, so it is; a
 * client whose stream just ended would come back for the answer, so that one gets it, the others do not.
 */
function answerCancelled({ transport, events }: Pick<Session, 'transport' | 'events'>, id: JsonRpcId): void {
  if (events === undefined) transport.closeSSEStream(id)
  const answer: JSONRPCMessage = {
    jsonrpc: '2.0',
    id,
    error: { code: SERVER_ERROR, message: 'Request cancelled' },
  }
  transport.send(answer).catch(() => undefined)
}
