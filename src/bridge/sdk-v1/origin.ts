import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { JsonRpcId } from '../json-rpc.js'
import type { McpPeer } from '../mcp-peer.js'

/** What is known of the sender of one message, where a connection has several. */
export interface Origin extends McpPeer {
  /** The client's own id of the request, where the SDK got another one. */
  readonly id?: JsonRpcId
}

/** Packs it into what the SDK hands on, untouched, from a transport to the handler of a request. */
export function carryOrigin(origin: Origin): AuthInfo {
  return { token: '', clientId: '', scopes: [], extra: { origin } }
}

export function originOf(authInfo: AuthInfo | undefined): Origin | undefined {
  return authInfo?.extra?.origin as Origin | undefined // put there by `carryOrigin` alone
}
