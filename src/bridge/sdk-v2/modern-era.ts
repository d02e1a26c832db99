import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { EraServer } from '../era.js'
import type { EraSettings } from '../era-settings.js'
import { isTooLargeToHold, MAX_HELD_BYTES } from '../held-message.js'
import { answerOf, errorAnswer, type HttpAnswer, type HttpExchange } from '../http-exchange.js'
import type { McpConnection, McpTransport } from '../mcp-transport.js'
import { ModernServer } from './modern-server.js'

/** Serves revision 2026-07-28 with SDK 2.x: over HTTP an SDK server for each request, else one for each connection. */
export class ModernEra implements EraServer {
  readonly sessionCount = 0
  readonly #settings: EraSettings
  readonly #http: McpHttpHandler
  readonly #addresses = new WeakMap<Request, string>()
  readonly #connections = new Set<McpConnection>()
  readonly #servers = new Set<ModernServer>()
  readonly #changes: Disposable

  constructor(settings: EraSettings) {
    this.#settings = settings
    this.#http = createMcpHandler(
      ({ requestInfo }) =>
        new ModernServer(settings, (requestInfo && this.#addresses.get(requestInfo)) ?? 'unknown'),
      { legacy: 'reject', onerror: this.#onError },
    )
    this.#changes = settings.host.onToolsChanged(() => {
      this.#http.notify.toolsChanged()
      for (const { server } of this.#servers) server.sendToolListChanged().catch(() => undefined)
    })
  }

  async answer(exchange: HttpExchange): Promise<HttpAnswer> {
    const { message } = exchange
    if (message?.method === 'subscriptions/listen' && isTooLargeToHold(message)) {
      return errorAnswer(413, `A subscription request must not be larger than ${MAX_HELD_BYTES} bytes`, {
        id: message.id ?? null,
      })
    }
    const request = exchange.toRequest()
    this.#addresses.set(request, exchange.address)
    return answerOf(await this.#http.fetch(request, { parsedBody: message }))
  }

  async connect(transport: McpTransport, address: string): Promise<McpConnection> {
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
    const connection = serveStdio(() => this.#serverFor(address), {
      transport,
      legacy: 'reject',
      onerror: this.#onError,
    })
    this.#connections.add(connection)
    const { onclose } = transport
    transport.onclose = () => {
      this.#connections.delete(connection)
      onclose?.()
    }
    return connection
  }

  async close(): Promise<void> {
    this.#changes[Symbol.dispose]()
    await this.#http.close()
    await Promise.all([...this.#connections].map((connection) => connection.close()))
    this.#connections.clear()
  }

  #serverFor(address: string): ModernServer {
    const modern = new ModernServer(this.#settings, address)
    this.#servers.add(modern)
    modern.server.onclose = () => void this.#servers.delete(modern)
    return modern
  }

  readonly #onError = (error: Error): void => {
    this.#settings.host.logger.debug({ err: error }, 'MCP connection reported an error')
  }
}
