import type { HttpAnswer, HttpExchange } from '../http-exchange.js'
import type { McpConnection } from '../mcp-transport.js'
import type { LegacyServerOptions } from './legacy-server.js'
import type { LegacyTransport } from './legacy-transport.js'

/** HTTP of the legacy era, with sessions or without. */
export interface LegacyHttp {
  readonly sessionCount: number
  answer(exchange: HttpExchange): Promise<HttpAnswer>
  close(): Promise<void>
}

export interface LegacyConnectOptions extends LegacyServerOptions {
  readonly onClose?: () => void
}

/** Connects a server of its own to the transport. */
export type LegacyConnect = (
  transport: LegacyTransport,
  options: LegacyConnectOptions,
) => Promise<McpConnection>
