import type { JSONWebKeySet } from 'jose'
import type { Awaitable } from '../../registry/awaitable.js'
import { Principal, type PrincipalInit } from '../../registry/principal.js'
import { wholeNumber } from '../whole-number.js'
import { jwksSource } from './jwks-source.js'
import { verifiedClaims } from './jwt-checks.js'
import { type JwtClaims, principalOf } from './jwt-claims.js'
import type { TokenVerifier } from './token-verifier.js'

export interface JwtVerifierOptions {
  /** The `iss` of every token. */
  readonly issuer: string
  /** What the tokens are meant for, one of these: the `resource` of the endpoint, or the name that the issuer has for it. */
  readonly audience: string | readonly string[]
  /** Where the issuer publishes its keys: `https`, or this machine. This or `jwks`. */
  readonly jwksUri?: string
  /** The issuer's public keys themselves. */
  readonly jwks?: JSONWebKeySet
  /** Default: all of the asymmetric ones. */
  readonly algorithms?: readonly string[]
  /** How far the clocks may be apart, in seconds. Default 5. */
  readonly clockToleranceSec?: number
  /** Claims that a token must have besides `iss`, `aud`, `exp` and (without `principal`) `sub`. */
  readonly requiredClaims?: readonly string[]
  /** The claim that names the caller's tenant, such as `tid` or `org_id`. Every token must then have it. */
  readonly tenantClaim?: string
  /**
   * Who the caller is, by the claims of a token that is valid; instead of `sub`, `scope` or `scp`, and `tenantClaim`.
   * It may throw an `UnauthenticatedError` to refuse the token.
   */
  readonly principal?: (claims: JwtClaims) => Awaitable<PrincipalInit>
  /** How long fetched keys are used, in milliseconds. Default 600 000. */
  readonly jwksMaxAgeMs?: number
  /** How long to wait before keys are fetched again for a key that is not among them, in milliseconds. Default 10 000. */
  readonly jwksCooldownMs?: number
}

const ASYMMETRIC = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** Verifies JWT access tokens (RFC 9068, and JWTs of issuers from before it) by the issuer's published keys. */
export function jwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  const { issuer, tenantClaim, principal: read, requiredClaims = [], clockToleranceSec = 5 } = options
  if (!issuer) throw new TypeError('jwtVerifier: issuer must be the iss of the tokens')
  const checks = {
    issuer,
    audience: readAudience(options.audience),
    algorithms: readAlgorithms(options.algorithms ?? ASYMMETRIC),
    clockTolerance: wholeNumber(clockToleranceSec, 'jwtVerifier: clockToleranceSec', 0),
    requiredClaims: [
      'exp',
      ...(read === undefined ? ['sub'] : []),
      ...(tenantClaim === undefined ? [] : [tenantClaim]),
      ...requiredClaims,
    ],
  }
  const keys = jwksSource(options)
  return Object.freeze({
    verify: async (token: string) => {
      const claims = await verifiedClaims(token, { keys: await keys(), checks })
      return new Principal(read === undefined ? principalOf(claims, tenantClaim) : await read(claims))
    },
  })
}

function readAudience(audience: string | readonly string[]): string[] {
  const names = typeof audience === 'string' ? [audience] : [...audience]
  if (names.length > 0 && names.every((name) => typeof name === 'string' && name !== '')) return names
  throw new TypeError(
    'jwtVerifier: audience must say what a token has to be meant for (RFC 8707): else one for any other service would do',
  )
}

/** With a shared secret, whoever verifies could also sign; with `none`, everybody. */
function readAlgorithms(algorithms: readonly string[]): string[] {
  const wrong = algorithms.find((algorithm) => !ASYMMETRIC.includes(algorithm))
  if (wrong === undefined && algorithms.length > 0) return [...algorithms]
  throw new TypeError(
    `jwtVerifier: algorithms must be some of ${ASYMMETRIC.join(', ')} (got ${JSON.stringify(wrong ?? [])})`,
  )
}
