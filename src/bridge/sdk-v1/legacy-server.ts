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
import { isObject } from '../../registry/json-value.js'
import type { LogLevel } from '../../registry/tool-execution-context.js'
import type { EraSettings } from '../era-settings.js'
import { INVALID_PARAMS, JsonRpcError } from '../json-rpc.js'
import { isLogLevel } from '../log-level.js'
import type { McpRequest } from '../mcp-request.js'
import { clientId } from './legacy-transport.js'
import { originOf } from './origin.js'

export interface LegacyServerOptions {
  /** Of requests that come without an origin of their own. */
  readonly address: string
  /** Several clients talk to it: it remembers nothing of any of them. */
  readonly shared?: boolean
}

/** A server of SDK 1.x for one transport, that the host answers for. */
export function legacyServer(
  { host, info, instructions }: EraSettings,
  { address, shared = false }: LegacyServerOptions,
): Server {
  const server = new Server(
    structuredClone(info) as Implementation, // whose arrays are not readonly
    {
      capabilities: { tools: { listChanged: !shared }, logging: {} },
      jsonSchemaValidator: sharedValidator,
      ...(instructions !== undefined && { instructions }),
    },
  )
  let logLevel: LogLevel = 'debug'
  // The SDK's own handlers parse what we have to parse ourselves, and leak the parser's report. The fallback is raw.
  server.removeRequestHandler('logging/setLevel')
  server.fallbackRequestHandler = ({ method, params }, extra) => {
    if (method === 'logging/setLevel') return setLevel(params)
    // What the host gives is the result of that method.
    return host.request(method, params, toMcpRequest(extra, address, logLevel)) as Promise<ServerResult>
  }
  async function setLevel(params: unknown): Promise<ServerResult> {
    const level = isObject(params) ? params.level : undefined
    if (!isLogLevel(level))
      throw new JsonRpcError(INVALID_PARAMS, 'logging/setLevel needs params.level, an MCP log level')
    if (!shared) logLevel = level
    return {}
  }
  server.onerror = (error) => host.logger.debug({ err: error }, 'MCP connection reported an error')
  return server
}

function toMcpRequest(
  extra: RequestHandlerExtra<ServerRequest, ServerNotification>,
  address: string,
  logLevel: LogLevel,
): McpRequest {
  const origin = originOf(extra.authInfo)
  return {
    era: 'legacy',
    id: origin?.id ?? clientId(extra.requestId),
    sessionId: extra.sessionId,
    address: origin?.address ?? address,
    signal: extra.signal,
    logLevel,
    notify: (method, params) => {
      // Late ones reject: the request is answered, or its client is gone.
      extra.sendNotification({ method, params } as ServerNotification).catch(() => undefined)
    },
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
