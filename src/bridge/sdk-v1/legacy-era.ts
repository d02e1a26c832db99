import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { EraServer } from '../era.js'
import type { EraSettings } from '../era-settings.js'
import { errorAnswer, type HttpAnswer, type HttpExchange } from '../http-exchange.js'
import type { McpConnection, McpTransport } from '../mcp-transport.js'
import { handshakeFault } from './handshake.js'
import type { LegacyConnect, LegacyHttp } from './legacy-http.js'
import { legacyServer } from './legacy-server.js'
import { LegacyTransport } from './legacy-transport.js'

/** Serves revisions up to 2025-11-25 with SDK 1.x: one SDK server for each connection and session. */
export class LegacyEra implements EraServer {
  readonly #settings: EraSettings
  readonly #servers = new Set<Server>()
  readonly #changes: Disposable
  #loadingHttp: Promise<LegacyHttp> | undefined
  #http: LegacyHttp | undefined

  constructor(settings: EraSettings) {
    this.#settings = settings
    this.#changes = settings.host.onToolsChanged(() => {
      for (const server of this.#servers) server.sendToolListChanged().catch(() => undefined)
    })
  }

  get sessionCount(): number {
    return this.#http?.sessionCount ?? 0
  }

  async answer(exchange: HttpExchange): Promise<HttpAnswer> {
    const refusal = this.#handshakeRefusal(exchange)
    if (refusal !== undefined) return refusal
    this.#loadingHttp ??= this.#loadHttp()
    this.#http ??= await this.#loadingHttp
    return this.#http.answer(exchange)
  }

  connect(transport: McpTransport, address: string): Promise<McpConnection> {
    return this.#connect(new LegacyTransport(transport), { address })
  }

  async close(): Promise<void> {
    this.#changes[Symbol.dispose]()
    await (await this.#loadingHttp)?.close()
    await Promise.all([...this.#servers].map((server) => server.close()))
  }

  readonly #connect: LegacyConnect = async (transport, { onClose, ...options }) => {
    const server = legacyServer(this.#settings, options)
    server.onclose = () => {
      this.#servers.delete(server)
      onClose?.()
    }
    this.#servers.add(server)
    await server.connect(transport)
    return server
  }

  #handshakeRefusal({ message }: HttpExchange): HttpAnswer | undefined {
    if (message?.method !== 'initialize') return undefined
    if (this.#settings.host.isClosing) return errorAnswer(503, 'The service is shutting down')
    const fault = handshakeFault(message)
    return fault && errorAnswer(fault.status, fault.message, { code: fault.code, id: message.id ?? null })
  }

  /** A stdio server never pays for it. */
  async #loadHttp(): Promise<LegacyHttp> {
    const { host, sessions } = this.#settings
    if (sessions === undefined) {
      return (await import('./stateless-http.js')).StatelessHttp.start(this.#connect)
    }
    return new (await import('./session-http.js')).SessionHttp(this.#connect, host, sessions)
  }
}
