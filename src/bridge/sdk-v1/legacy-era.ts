import type { EraServer } from '../era.js'
import type { EraSettings } from '../era-settings.js'
import { errorAnswer, type HttpAnswer, type HttpExchange } from '../http-exchange.js'
import type { McpPeer } from '../mcp-peer.js'
import type { McpConnection, McpTransport } from '../mcp-transport.js'
import { handshakeFault } from './handshake.js'
import type { LegacyConnect, LegacyHttp } from './legacy-http.js'
import { LegacyServer } from './legacy-server.js'
import { LegacyTransport } from './legacy-transport.js'

/** Serves revisions up to 2025-11-25 with SDK 1.x: one SDK server for each connection and session. */
export class LegacyEra implements EraServer {
  readonly #settings: EraSettings
  readonly #servers = new Set<LegacyServer>()
  readonly #changes: Disposable
  #loadingHttp: Promise<LegacyHttp> | undefined
  #http: LegacyHttp | undefined

  constructor(settings: EraSettings) {
    this.#settings = settings
    this.#changes = settings.host.addListener({
      onListChanged: (kind) => {
        for (const server of this.#servers) server.listChanged(kind)
      },
      onResourceUpdated: (uri) => {
        for (const server of this.#servers) server.resourceUpdated(uri)
      },
    })
  }

  get sessionCount(): number {
    return this.#http?.sessionCount ?? 0
  }

  async answer(exchange: HttpExchange): Promise<HttpAnswer> {
    const refusal = handshakeRefusal(exchange)
    if (refusal !== undefined) return refusal
    this.#loadingHttp ??= this.#loadHttp()
    this.#http ??= await this.#loadingHttp
    return this.#http.answer(exchange)
  }

  connect(transport: McpTransport, { address, principal }: McpPeer): Promise<McpConnection> {
    return this.#connect(new LegacyTransport(transport), { address, principal })
  }

  async close(): Promise<void> {
    this.#changes[Symbol.dispose]()
    await (await this.#loadingHttp)?.close()
    await Promise.all([...this.#servers].map(({ server }) => server.close()))
  }

  readonly #connect: LegacyConnect = async (transport, { onClose, ...options }) => {
    const legacy = new LegacyServer(this.#settings, options)
    const { server } = legacy
    server.onclose = () => {
      this.#servers.delete(legacy)
      onClose?.()
    }
    this.#servers.add(legacy)
    await server.connect(transport)
    return server
  }

  /** A stdio server never pays for it. */
  async #loadHttp(): Promise<LegacyHttp> {
    const { host, sessions, resumability, keepAliveMs } = this.#settings
    if (sessions === undefined) {
      return (await import('./stateless-http.js')).StatelessHttp.start(this.#connect)
    }
    const { SessionHttp } = await import('./session-http.js')
    return new SessionHttp(this.#connect, { host, limits: sessions, resumability, keepAliveMs })
  }
}

function handshakeRefusal({ message }: HttpExchange): HttpAnswer | undefined {
  if (message?.method !== 'initialize') return undefined
  const fault = handshakeFault(message)
  return fault && errorAnswer(fault.status, fault.message, { code: fault.code, id: message.id ?? null })
}
