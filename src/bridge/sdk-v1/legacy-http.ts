import type { HttpAnswer, HttpExchange } from '../http-exchange.js'
import type { JsonRpcId } from '../json-rpc.js'
import type { McpConnection, McpTransport } from '../mcp-transport.js'
import type { LegacyServerOptions } from './legacy-server.js'

/** HTTP of the legacy era, with sessions or without. */
export interface LegacyHttp {
  readonly sessionCount: number
  answer(exchange: HttpExchange): Promise<HttpAnswer>
  close(): Promise<void>
}

export interface LegacyConnectOptions extends LegacyServerOptions {
  /** Ends the response stream of a request that will not be answered. */
  readonly releaseStream?: (id: JsonRpcId) => void
  readonly onClose?: () => void
}

/** Connects a server of its own to the transport. */
export type LegacyConnect = (transport: McpTransport, options: LegacyConnectOptions) => Promise<McpConnection>
