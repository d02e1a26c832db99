import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { DefinitionKind } from '../../registry/definition-kind.js'
import { connectionErrorLog } from '../connection-error-log.js'
import type { EraServer } from '../era.js'
import type { EraSettings } from '../era-settings.js'
import { isTooLargeToHold, MAX_HELD_BYTES } from '../held-message.js'
import { answerOf, errorAnswer, type HttpAnswer, type HttpExchange, jsonAnswer } from '../http-exchange.js'
import { INVALID_REQUEST, isRequest, JsonRpcError, type JsonRpcMessage } from '../json-rpc.js'
import type { McpPeer } from '../mcp-peer.js'
import type { McpConnection, McpTransport } from '../mcp-transport.js'
import { withoutParserReport } from './envelope-fault.js'
import { LISTEN, Listeners, listenFault, readableOnly } from './listeners.js'
import { ModernServer } from './modern-server.js'

const NOBODY: McpPeer = { address: 'unknown' }
const TOO_LARGE = `A subscription request must not be larger than ${MAX_HELD_BYTES} bytes`

/** Serves revision 2026-07-28 with SDK 2.x: over HTTP an SDK server for each request, else one for each connection. */
export class ModernEra implements EraServer {
  readonly sessionCount = 0
  readonly #settings: EraSettings
  readonly #listeners: Listeners
  readonly #http: McpHttpHandler
  readonly #peers = new WeakMap<Request, McpPeer>()
  readonly #connections = new Set<McpConnection>()
  readonly #servers = new Set<ModernServer>()
  readonly #changes: Disposable
  readonly #onError: (error: Error) => void

  constructor(settings: EraSettings) {
    this.#settings = settings
    this.#onError = connectionErrorLog(settings.host.logger)
    this.#listeners = new Listeners(settings.host)
    this.#http = createMcpHandler(
      ({ requestInfo }) =>
        new ModernServer(settings, (requestInfo && this.#peers.get(requestInfo)) ?? NOBODY),
      {
        legacy: 'reject',
        bus: this.#listeners,
        keepAliveMs: settings.keepAliveMs,
        onerror: this.#onError,
      },
    )
    this.#changes = settings.host.addListener({
      onListChanged: (kind) => {
        this.#notifyOverHttp(kind)
        for (const server of this.#servers) server.listChanged(kind)
      },
      onResourceUpdated: (uri) => {
        this.#http.notify.resourceUpdated(uri)
        for (const server of this.#servers) server.resourceUpdated(uri)
      },
    })
  }

  async answer(exchange: HttpExchange): Promise<HttpAnswer> {
    const { message, address, principal } = exchange
    const peer = { address, principal }
    const request = exchange.toRequest()
    this.#peers.set(request, peer)
    const serve = (parsedBody: JsonRpcMessage | undefined) => this.#http.fetch(request, { parsedBody })
    const isListening = message?.method === LISTEN
    if (isListening && isTooLargeToHold(message))
      return errorAnswer(413, TOO_LARGE, { id: message.id ?? null })
    const fault = isListening && listenFault(message)
    if (fault) return jsonAnswer({ jsonrpc: '2.0', id: message?.id, ...errorOf(fault) }, 400)
    const response = await (isListening ? this.#listeners.serve(message, peer, serve) : serve(message))
    // A refusal is no stream.
    return response.status === 400 ? refusalOf(response) : answerOf(response)
  }

  async connect(transport: McpTransport, peer: McpPeer): Promise<McpConnection> {
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
    const send = transport.send.bind(transport)
    transport.send = (message, options) => send(withoutParserReport(message), options)
    const connection = serveStdio(() => this.#serverFor(peer), {
      transport,
      legacy: 'reject',
      onerror: this.#onError,
    })
    this.#connections.add(connection)
    const { onclose, onmessage } = transport
    transport.onclose = () => {
      this.#connections.delete(connection)
      onclose?.()
    }
    transport.onmessage = (message: JsonRpcMessage, extra?: unknown) => {
      if (message.method !== LISTEN) return onmessage?.(message, extra)
      const fault = isTooLargeToHold(message)
        ? new JsonRpcError(INVALID_REQUEST, TOO_LARGE)
        : listenFault(message)
      if (fault === undefined) onmessage?.(readableOnly(message, this.#settings.host, peer), extra)
      else refuse(transport, message, fault)
    }
    return connection
  }

  async close(): Promise<void> {
    this.#changes[Symbol.dispose]()
    await this.#http.close()
    await Promise.all([...this.#connections].map((connection) => connection.close()))
    this.#connections.clear()
  }

  #serverFor(peer: McpPeer): ModernServer {
    const modern = new ModernServer(this.#settings, peer)
    this.#servers.add(modern)
    modern.server.onclose = () => void this.#servers.delete(modern)
    return modern
  }

  #notifyOverHttp(kind: DefinitionKind): void {
    const { notify } = this.#http
    if (kind === 'tool') notify.toolsChanged()
    else if (kind === 'resource') notify.resourcesChanged()
    else notify.promptsChanged()
  }
}

async function refusalOf(response: Response): Promise<HttpAnswer> {
  const { status, headers } = answerOf(response)
  return { status, headers, body: JSON.stringify(withoutParserReport(await response.json())) }
}

function refuse(transport: McpTransport, message: JsonRpcMessage, fault: JsonRpcError): void {
  if (isRequest(message))
    transport.send({ jsonrpc: '2.0', id: message.id, ...errorOf(fault) }).catch(() => undefined)
}

function errorOf({ code, message, data }: JsonRpcError) {
  return { error: { code, message, ...(data !== undefined && { data }) } }
}
