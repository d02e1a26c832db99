import type { TokenVerifier } from './token-verifier.js'

/** Makes the endpoint an OAuth 2.1 resource server, as MCP's authorization chapter describes it. */
export interface McpAuthOptions {
  readonly verifier: TokenVerifier
  /**
   * The endpoint's public URL (RFC 8707), such as `https://api.example.com/mcp`: what a token must be meant for, and where
   * clients find the metadata. Its host is then a `Host` to answer to.
   */
  readonly resource: string
  /** Issuers of tokens for it, such as `https://login.example.com`. */
  readonly authorizationServers: readonly string[]
  /** Scopes that every request needs; 403 without them. Default: none. */
  readonly requiredScopes?: readonly string[]
  /** Scopes that a client may ask for. Default: those that are required. */
  readonly scopesSupported?: readonly string[]
  /** The name of the service, for people. */
  readonly resourceName?: string
  /** Where people read about it. */
  readonly resourceDocumentation?: string
  /** How long the verifier may take, in milliseconds. Default 10 000. */
  readonly verifyTimeoutMs?: number
}
