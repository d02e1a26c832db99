import type { Logger } from '../../interceptors/logger.js'
import type { Principal } from '../../registry/principal.js'
import type { HttpArrival } from '../http-arrival.js'
import type { HttpAnswer } from '../http-exchange.js'
import { wholeNumber } from '../whole-number.js'
import { readBearerToken } from './bearer-token.js'
import { type CallerOrRefusal, cannotTell, loggable } from './caller.js'
import { type Challenge, challengeAnswer } from './challenge.js'
import { identify } from './identification.js'
import type { McpAuthOptions } from './mcp-auth-options.js'
import { ResourceMetadata } from './resource-metadata.js'
import type { TokenVerifier } from './token-verifier.js'

/** Lets nobody in without a token that the verifier vouches for, on each request anew (MCP 2025-11-25 "Authorization"). */
export class BearerAuth {
  readonly metadata: ResourceMetadata
  readonly #verifier: TokenVerifier
  readonly #scopes: readonly string[]
  readonly #timeoutMs: number
  readonly #logger: Logger

  constructor(options: McpAuthOptions, logger: Logger) {
    const { verifier, requiredScopes = [], scopesSupported = [], verifyTimeoutMs = 10_000 } = options
    if (typeof verifier?.verify !== 'function') {
      throw new TypeError('http.auth.verifier must be a TokenVerifier, such as jwtVerifier({ … })')
    }
    for (const scope of [...requiredScopes, ...scopesSupported]) requireScope(scope)
    this.metadata = new ResourceMetadata(options)
    this.#verifier = verifier
    this.#scopes = [...requiredScopes]
    this.#timeoutMs = wholeNumber(verifyTimeoutMs, 'http.auth.verifyTimeoutMs', 1)
    this.#logger = logger
  }

  /** Looks at nothing of the request but its `Authorization`. Never rejects. */
  async callerOf(arrival: HttpArrival): Promise<CallerOrRefusal> {
    const sent = readBearerToken(arrival.header('authorization'))
    if (sent.kind === 'token') return this.#verify(sent.token, arrival)
    this.#logger.debug({ reason: CHALLENGES[sent.kind].message }, 'MCP request refused: it has no token')
    return { refusal: this.#challenge(CHALLENGES[sent.kind]) }
  }

  async #verify(token: string, arrival: HttpArrival): Promise<CallerOrRefusal> {
    const logger = this.#logger
    const identification = await identify((signal) => this.#verifier.verify(token, { signal }), {
      client: arrival.signal,
      timeoutMs: this.#timeoutMs,
    })
    if (identification.kind === 'refused') {
      // The message alone: what caused it may hold the claims.
      const { message } = identification.reason
      logger.debug({ reason: loggable(message, token) }, 'MCP request refused: its token is not valid')
      return { refusal: this.#challenge(CHALLENGES.invalid) }
    }
    if (identification.kind === 'unknown') {
      return { refusal: cannotTell(identification.reason, { arrival, logger, token }) }
    }
    const { principal } = identification
    if (principal === undefined) {
      return { refusal: cannotTell(new TypeError('The verifier returned no Principal'), { arrival, logger }) }
    }
    if (!this.#lacksScope(principal)) return { principal }
    logger.debug(
      { subject: loggable(principal.subject, token) },
      'MCP request refused: its token lacks a scope',
    )
    return { refusal: this.#challenge(CHALLENGES.insufficient) }
  }

  #lacksScope(principal: Principal): boolean {
    return this.#scopes.some((scope) => !principal.hasScope(scope))
  }

  #challenge(challenge: Challenge): HttpAnswer {
    return challengeAnswer({ ...challenge, scopes: this.#scopes, resourceMetadata: this.metadata.url })
  }
}

const CHALLENGES = {
  none: { status: 401, message: 'Authentication is required' },
  invalid: { status: 401, error: 'invalid_token', message: 'The access token is not valid' },
  malformed: {
    status: 400,
    error: 'invalid_request',
    message: 'There must be one Authorization header, with one token',
  },
  insufficient: {
    status: 403,
    error: 'insufficient_scope',
    message: 'The access token lacks a scope that is needed',
  },
} as const satisfies Record<string, Challenge>

/** RFC 6749 section 3.3 */
function requireScope(scope: string): void {
  if (/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) return
  throw new TypeError(`http.auth: a scope is a text without spaces and quotes (got ${JSON.stringify(scope)})`)
}
