import { isObject } from '../registry/json-value.js'
import type { HttpAnswer, HttpExchange } from './http-exchange.js'
import { type JsonRpcMessage, metaOf } from './json-rpc.js'
import type { McpPeer } from './mcp-peer.js'
import type { McpConnection, McpTransport } from './mcp-transport.js'

/** `legacy`: revisions up to 2025-11-25, which begin with `initialize`. `modern`: 2026-07-28 on, without a handshake. */
export type Era = 'legacy' | 'modern'

/** Serves the clients of one era, with the SDK line that speaks it. */
export interface EraServer {
  /** Sessions that are open over HTTP. */
  readonly sessionCount: number
  answer(exchange: HttpExchange): Promise<HttpAnswer>
  /** Serves a transport until either side closes it. */
  connect(transport: McpTransport, peer: McpPeer): Promise<McpConnection>
  /** Ends sessions, streams and connections, and lets go of everything else. */
  close(): Promise<void>
}

const FIRST_MODERN_REVISION = '2026-07-28'
const REVISION_META = 'io.modelcontextprotocol/protocolVersion'

/**
 * The era of a message. A message of the modern era names its revision in `_meta`, or in the header over HTTP; everything
 * else is legacy. The same decision as `isLegacyRequest` of SDK 2.x, which is not loaded for it.
 */
export function eraOf(message: JsonRpcMessage, revisionHeader?: string): Era {
  if (message.method === undefined) return 'legacy'
  if (revisionHeader !== undefined && isModern(revisionHeader.trim())) return 'modern'
  const meta = metaOf(message.params)
  if (!(REVISION_META in meta)) return 'legacy'
  if (message.method !== 'initialize') return 'modern'
  // A handshake belongs to the old era, unless it is without doubt a request of the new one.
  const capabilities = meta['io.modelcontextprotocol/clientCapabilities']
  return isModern(meta[REVISION_META]) && isObject(capabilities) ? 'modern' : 'legacy'
}

/** Revisions are dates, so they compare as text. */
function isModern(revision: unknown): boolean {
  return typeof revision === 'string' && revision >= FIRST_MODERN_REVISION
}
