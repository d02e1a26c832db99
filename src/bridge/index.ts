export type { JwtClaims } from './auth/jwt-claims.js'
export { type JwtVerifierOptions, jwtVerifier } from './auth/jwt-verifier.js'
export type { McpAuthOptions } from './auth/mcp-auth-options.js'
export type { TokenVerifier } from './auth/token-verifier.js'
export type { BridgedRuntime } from './bridged-runtime.js'
export type { Era } from './era.js'
export type { ServerInfo, SessionLimits } from './era-settings.js'
export type { EventStore } from './event-store.js'
export type { FastifyLike, FastifyOptions, FastifyPlugin, FastifyRequestLike } from './fastify-plugin.js'
export type { CorsOptions } from './http-cors.js'
export { DEGRADED_META, ERROR_META } from './mcp-result.js'
export { McpToolBridge } from './mcp-tool-bridge.js'
export type {
  ConnectOptions,
  Exposure,
  McpHttpOptions,
  McpToolBridgeOptions,
  StdioOptions,
} from './mcp-tool-bridge-options.js'
export type { McpConnection, McpTransport } from './mcp-transport.js'
export { MemoryEventStore, type MemoryEventStoreOptions } from './memory-event-store.js'
export type { NodeHandler, NodeHandlerOptions } from './node-http.js'
export type { RequestStatesOptions } from './request-state.js'
export type { RequestStateKey } from './request-state-key.js'
export type { ResumabilityOptions } from './resumability.js'
export type { AttachableServer, AttachOptions, AttachTarget } from './sdk-v1/attach.js'
export type { FetchOptions } from './web-http.js'
