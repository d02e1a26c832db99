import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type {
  Implementation,
  ServerNotification,
  ServerRequest,
  ServerResult,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import type { DefinitionKind } from '../../registry/definition-kind.js'
import type { LogLevel } from '../../registry/tool-execution-context.js'
import { connectionErrorLog } from '../connection-error-log.js'
import type { EraSettings } from '../era-settings.js'
import { INVALID_PARAMS, JsonRpcError, membersOf, SERVER_ERROR } from '../json-rpc.js'
import { tellListChanged } from '../list-changed.js'
import { isLogLevel } from '../log-level.js'
import type { McpHost } from '../mcp-host.js'
import type { McpPeer } from '../mcp-peer.js'
import type { McpRequest } from '../mcp-request.js'
import { askClient } from './ask-client.js'
import { clientId } from './legacy-transport.js'
import { originOf } from './origin.js'

/** The peer is that of requests which come without an origin of their own. */
export interface LegacyServerOptions extends McpPeer {
  /** Several clients talk to it: it remembers nothing of any of them. */
  readonly shared?: boolean
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** More than a client has use for would only be held for as long as the session lasts. */
const MAX_SUBSCRIPTIONS = 1_000

/** A server of SDK 1.x for one transport, that the host answers for. */
export class LegacyServer {
  readonly server: Server
  readonly #host: McpHost
  readonly #peer: McpPeer
  readonly #shared: boolean
  #logLevel: LogLevel = 'debug'
  /**
   * URIs of resources whose changes the client wants to hear of, and who it was when it said
   * so: its token may be a new one.
   */
  readonly #subscriptions = new Map<string, McpPeer>()

  constructor({ host, info, instructions }: EraSettings, { shared = false, ...peer }: LegacyServerOptions) {
    this.#host = host
    this.#peer = peer
    this.#shared = shared
    this.server = new Server(
      structuredClone(info) as Implementation, // whose arrays are not readonly
      {
        capabilities: {
          tools: { listChanged: !shared },
          resources: { listChanged: !shared, subscribe: !shared },
          prompts: { listChanged: !shared },
          completions: {},
          logging: {},
        },
        jsonSchemaValidator: sharedValidator,
        ...(instructions !== undefined && { instructions }),
      },
    )
    // The SDK's own handlers parse what we have to parse ourselves, and leak the parser's report. The fallback is raw.
    this.server.removeRequestHandler('logging/setLevel')
    this.server.fallbackRequestHandler = ({ method, params }, extra) =>
      // What the host gives is the result of that method.
      this.#answer(method, params, this.#toMcpRequest(extra)) as Promise<ServerResult>
    this.server.onerror = connectionErrorLog(host.logger)
  }

  listChanged(kind: DefinitionKind): void {
    tellListChanged(this.server, kind)
  }

  resourceUpdated(uri: string): void {
    const peer = this.#subscriptions.get(uri)
    // What it may see can have changed since it subscribed.
    if (peer === undefined || !this.#host.canRead(uri, peer)) return
    this.server.sendResourceUpdated({ uri }).catch(() => undefined)
  }

  async #answer(method: string, params: unknown, request: McpRequest): Promise<object> {
    if (method === 'logging/setLevel') return this.#setLevel(params)
    if (method === 'resources/subscribe' && !this.#shared) return this.#subscribe(params, request)
    if (method === 'resources/unsubscribe' && !this.#shared) return this.#unsubscribe(params)
    return this.#host.request(method, params, request)
  }

  #setLevel(params: unknown): object {
    const { level } = membersOf(params)
    if (!isLogLevel(level))
      throw new JsonRpcError(INVALID_PARAMS, 'logging/setLevel needs params.level, an MCP log level')
    if (!this.#shared) this.#logLevel = level
    return {}
  }

  #subscribe(params: unknown, request: McpRequest): object {
    const uri = this.#host.subscribedUri(params, request)
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS && !this.#subscriptions.has(uri)) {
      throw new JsonRpcError(SERVER_ERROR, `A client can follow ${MAX_SUBSCRIPTIONS} resources at once`)
    }
    this.#subscriptions.set(uri, { address: request.address, principal: request.principal })
    return {}
  }

  #unsubscribe(params: unknown): object {
    const { uri } = membersOf(params)
    if (typeof uri !== 'string')
      throw new JsonRpcError(INVALID_PARAMS, 'resources/unsubscribe needs params.uri')
    this.#subscriptions.delete(uri)
    return {}
  }

  /** Of a client that could be asked: of several, the SDK knows what the last one said, and not whose request it serves. */
  #capabilities(): object | undefined {
    return this.#shared ? undefined : this.server.getClientCapabilities()
  }

  #toMcpRequest(extra: Extra): McpRequest {
    const origin = originOf(extra.authInfo)
    const { address, principal } = origin ?? this.#peer
    return {
      era: 'legacy',
      id: origin?.id ?? clientId(extra.requestId),
      sessionId: extra.sessionId,
      address,
      principal,
      signal: extra.signal,
      logLevel: this.#logLevel,
      ask: (question, signal) => askClient(this.#capabilities(), extra, question, signal),
      notify: (method, params) => {
        // Late ones reject: the request is answered, or its client is gone.
        extra.sendNotification({ method, params } as ServerNotification).catch(() => undefined)
      },
    }
  }
}

let ajv: AjvJsonSchemaValidator | undefined

/** One for all servers, made when it is first used: each costs as much as a hundred servers. */
const sharedValidator: jsonSchemaValidator = {
  getValidator: (schema) => {
    ajv ??= new AjvJsonSchemaValidator()
    return ajv.getValidator(schema)
  },
}
