export type { BridgedRuntime } from './bridged-runtime.js'
export type { Era } from './era.js'
export type { ServerInfo, SessionLimits } from './era-settings.js'
export type { FastifyLike, FastifyPlugin } from './fastify-plugin.js'
export { DEGRADED_META, ERROR_META } from './mcp-result.js'
export {
  type ConnectOptions,
  type McpHttpOptions,
  McpToolBridge,
  type McpToolBridgeOptions,
} from './mcp-tool-bridge.js'
export type { McpConnection, McpTransport } from './mcp-transport.js'
export type { NodeHandler } from './node-http.js'
export type { AttachableServer, AttachTarget } from './sdk-v1/attach.js'
export type { FetchOptions } from './web-http.js'
