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
/** The largest answer that is read: a set of keys has some kilobytes. */
const MAX_BYTES = 1024 * 1024

/** Where the keys of an issuer come from. jose is loaded, and a key fetched, when the first token comes. */
export function jwksSource(options: JwksOptions): () => Promise<JWTVerifyGetKey> {
  const { jwksUri, jwks } = options
  if ((jwksUri === undefined) === (jwks === undefined)) {
    throw new TypeError('jwtVerifier needs the keys of the issuer: either jwksUri or jwks')
  }
  const load = jwksUri === undefined ? () => localKeys(jwks) : remoteKeys(jwksUri, options)
  if (jwks !== undefined && !isKeySet(jwks)) {
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

/** A `fetch` of keys that fails again, without asking, soon after it has failed or brought something else. */
function calmFetch(): FetchImplementation {
  let failure: { readonly error: unknown; readonly until: number } | undefined
  return async (url, init) => {
    if (failure !== undefined && performance.now() < failure.until) throw failure.error
    try {
      const keySet = await readKeySet(await fetch(url, init))
      failure = undefined
      return Response.json(keySet)
    } catch (error) {
      failure = { error, until: performance.now() + FAILURE_COOLDOWN_MS }
      throw error
    }
  }
}

async function readKeySet({ status, body }: Response): Promise<JSONWebKeySet> {
  if (status !== 200) {
    await body?.cancel()
    throw new Error(`The issuer answered ${status} when asked for its keys`)
  }
  const keySet = parse(await readText(body))
  if (!isKeySet(keySet)) throw new Error('The issuer answered with no JSON Web Key Set (RFC 7517)')
  return keySet
}

async function readText(body: Response['body']): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    // Leaving the loop cancels the rest of the body.
    if (size > MAX_BYTES) throw new Error(`The issuer answered with more than ${MAX_BYTES} bytes of keys`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The message of `JSON.parse` would bring a piece of the answer into the log. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  return isObject(value) && Array.isArray(value.keys) && value.keys.every(isObject)
}

/** Whoever controls the way to the keys can make tokens. */
function readUri(jwksUri: string): URL {
  const url = URL.canParse(jwksUri) ? new URL(jwksUri) : undefined
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return url
  throw new TypeError(`jwtVerifier: jwksUri must be an https URL (got "${jwksUri}")`)
}
