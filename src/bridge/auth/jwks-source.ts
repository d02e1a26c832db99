import type { FetchImplementation, JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { isObject } from '../../registry/json-value.js'
import { wholeNumber } from '../whole-number.js'

export interface JwksOptions {
  readonly jwksUri?: string
  readonly jwks?: JSONWebKeySet
  readonly jwksMaxAgeMs?: number
  readonly jwksCooldownMs?: number
}

/** After a failure nobody asks the issuer again for so long: a flood of tokens must not become a flood of requests. */
const FAILURE_COOLDOWN_MS = 1_000

/** Where the keys of an issuer come from. jose is loaded, and a key fetched, when the first token comes. */
export function jwksSource(options: JwksOptions): () => Promise<JWTVerifyGetKey> {
  const { jwksUri, jwks } = options
  if ((jwksUri === undefined) === (jwks === undefined)) {
    throw new TypeError('jwtVerifier needs the keys of the issuer: either jwksUri or jwks')
  }
  const load = jwksUri === undefined ? () => localKeys(jwks) : remoteKeys(jwksUri, options)
  if (jwks !== undefined && !(isObject(jwks) && Array.isArray(jwks.keys))) {
    throw new TypeError('jwtVerifier: jwks must be a JSON Web Key Set (RFC 7517): { keys: [ … ] }')
  }
  let keys: Promise<JWTVerifyGetKey> | undefined
  return () => {
    keys ??= load()
    return keys
  }
}

async function localKeys(jwks: JSONWebKeySet | undefined): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet } = await import('jose')
  return createLocalJWKSet(jwks as JSONWebKeySet) // checked before
}

function remoteKeys(
  jwksUri: string,
  { jwksMaxAgeMs = 600_000, jwksCooldownMs = 10_000 }: JwksOptions,
): () => Promise<JWTVerifyGetKey> {
  const url = readUri(jwksUri)
  const cacheMaxAge = wholeNumber(jwksMaxAgeMs, 'jwtVerifier: jwksMaxAgeMs', 1)
  const cooldownDuration = wholeNumber(jwksCooldownMs, 'jwtVerifier: jwksCooldownMs', 0)
  return async () => {
    const { createRemoteJWKSet, customFetch } = await import('jose')
    return createRemoteJWKSet(url, {
      cacheMaxAge,
      cooldownDuration,
      [customFetch]: calmFetch(),
    })
  }
}

/** A `fetch` of keys that fails again, without asking, soon after it has failed. */
function calmFetch(): FetchImplementation {
  let failure: { readonly error: unknown; readonly until: number } | undefined
  return async (url, init) => {
    if (failure !== undefined && performance.now() < failure.until) throw failure.error
    try {
      const response = await fetch(url, init)
      if (response.status !== 200)
        throw new Error(`The issuer answered ${response.status} when asked for its keys`)
      failure = undefined
      return response
    } catch (error) {
      failure = { error, until: performance.now() + FAILURE_COOLDOWN_MS }
      throw error
    }
  }
}

/** Whoever controls the way to the keys can make tokens. */
function readUri(jwksUri: string): URL {
  const url = URL.canParse(jwksUri) ? new URL(jwksUri) : undefined
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return url
  throw new TypeError(`jwtVerifier: jwksUri must be an https URL (got "${jwksUri}")`)
}
