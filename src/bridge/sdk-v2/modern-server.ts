import {
  type Implementation,
  isJSONRPCRequest,
  McpServer,
  type Result,
  type ServerContext,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/server'
import type { DefinitionKind } from '../../registry/definition-kind.js'
import { supports } from '../client-capabilities.js'
import { connectionErrorLog } from '../connection-error-log.js'
import type { EraSettings } from '../era-settings.js'
import { INVALID_PARAMS } from '../json-rpc.js'
import { tellListChanged } from '../list-changed.js'
import { isLogLevel } from '../log-level.js'
import type { McpHost } from '../mcp-host.js'
import type { McpPeer } from '../mcp-peer.js'
import type { McpRequest } from '../mcp-request.js'
import { CAPABILITIES_META, declaresTasks, TASKS_EXTENSION } from '../tasks-extension.js'
import { callFault } from '../tool-methods.js'

const LOG_LEVEL_META = 'io.modelcontextprotocol/logLevel'

/**
 * A server of SDK 2.x that the host answers for. It is an `McpServer`, although none of its tool registry is used: only
 * for one does the SDK check the `Mcp-Param-*` headers against the tool's schema.
 */
export class ModernServer extends McpServer {
  readonly #host: McpHost
  readonly #peer: McpPeer

  constructor({ host, info, instructions }: EraSettings, peer: McpPeer) {
    super(
      structuredClone(info) as Implementation, // whose arrays are not readonly
      {
        capabilities: {
          tools: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          prompts: { listChanged: true },
          completions: {},
          logging: {},
          extensions: { [TASKS_EXTENSION]: {} },
        },
        ...(instructions !== undefined && { instructions }),
      },
    )
    this.#host = host
    this.#peer = peer
    this.server.onerror = connectionErrorLog(host.logger)
    for (const method of host.methods) {
      this.server.setRequestHandler(method, { params: unparsed }, async (params, ctx) => {
        return (await host.request(method, params, toMcpRequest(ctx, peer))) as Result
      })
    }
  }

  /** Tells the client of a connection; over HTTP there is nobody to tell. */
  listChanged(kind: DefinitionKind): void {
    tellListChanged(this.server, kind)
  }

  /** The SDK knows which resources the client of a connection follows. */
  resourceUpdated(uri: string): void {
    if (this.#host.canRead(uri, this.#peer)) this.server.sendResourceUpdated({ uri }).catch(() => undefined)
  }

  /** Answers a malformed `tools/call` before the SDK does, whose answer is its parser's report. */
  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport)
    const { onmessage } = transport
    transport.onmessage = (message, extra) => {
      const isToolCall = 'method' in message && message.method === 'tools/call'
      if (isToolCall && message.params?.arguments === null) {
        // Some clients write it for none, and the SDK's parser would refuse it.
        const { arguments: _none, ...params } = message.params
        return onmessage?.({ ...message, params }, extra)
      }
      const fault = isToolCall ? callFault(message.params) : undefined
      if (fault === undefined || !isJSONRPCRequest(message)) return onmessage?.(message, extra)
      transport
        .send({ jsonrpc: '2.0', id: message.id, error: { code: INVALID_PARAMS, message: fault } })
        .catch(() => undefined)
    }
  }

  /** Called by the SDK for the header check. Marked internal there; a test of ours notices if that ends. */
  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#host.toolSchema(name, this.#peer)
  }
}

/** The host reads the parameters itself. */
const unparsed: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'toolwire', validate: (value) => ({ value }) },
}

function toMcpRequest({ mcpReq, sessionId }: ServerContext, { address, principal }: McpPeer): McpRequest {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {}
  const logLevel = envelope[LOG_LEVEL_META]
  return {
    era: 'modern',
    id: mcpReq.id,
    sessionId,
    address,
    principal,
    signal: mcpReq.signal,
    logLevel: isLogLevel(logLevel) ? logLevel : undefined,
    hasTasks: declaresTasks(envelope[CAPABILITIES_META]),
    round: {
      supports: (capability) => supports(envelope[CAPABILITIES_META], capability),
      inputResponses: mcpReq.inputResponses,
      requestState: mcpReq.requestState(),
    },
    notify: (method, params) => {
      // Late ones reject: the request is answered, or its client is gone.
      mcpReq.notify({ method, params } as Parameters<typeof mcpReq.notify>[0]).catch(() => undefined)
    },
  }
}
