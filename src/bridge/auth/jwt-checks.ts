import type { JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose'
import { UnauthenticatedError } from '../../registry/tool-error.js'
import type { JwtClaims } from './jwt-claims.js'

/**
 * The `typ` of access tokens, if they have one; other kinds of token of the same issuer are not
 * for us (RFC 8725 section 3.11).
 */
const ACCESS_TOKEN_TYPES = /^(?:jwt|(?:application\/)?at\+jwt)$/i

/** What jose says when the fault is not the token's: the keys could not be had, or are none. */
const NOT_THE_TOKEN: readonly unknown[] = [
  'ERR_JOSE_GENERIC',
  'ERR_JWK_INVALID',
  'ERR_JWKS_INVALID',
  'ERR_JWKS_TIMEOUT',
]

/** Resolves to the claims of a token that passes; rejects with an `UnauthenticatedError` if it does not. */
export async function verifiedClaims(
  token: string,
  { keys, checks }: { readonly keys: JWTVerifyGetKey; readonly checks: JWTVerifyOptions },
): Promise<JwtClaims> {
  const { errors } = await import('jose')
  try {
    const { payload, protectedHeader } = await verify(token, keys, checks)
    const { typ } = protectedHeader
    if (typ === undefined || ACCESS_TOKEN_TYPES.test(String(typ))) return payload
  } catch (thrown) {
    if (!(thrown instanceof errors.JOSEError) || NOT_THE_TOKEN.includes(thrown.code)) throw thrown
    throw new UnauthenticatedError(`The token is not valid: ${thrown.message}`, { cause: thrown })
  }
  throw new UnauthenticatedError('The token is not valid: it is no access token')
}

/** A token need not name its key; then each that could be it is tried. */
async function verify(
  token: string,
  keys: JWTVerifyGetKey,
  checks: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  const { errors, jwtVerify } = await import('jose')
  try {
    return await jwtVerify(token, keys, checks)
  } catch (thrown) {
    if (!(thrown instanceof errors.JWKSMultipleMatchingKeys)) throw thrown
    for await (const key of thrown) {
      const verified = await jwtVerify(token, key, checks).catch((error: unknown) => {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
      })
      if (verified !== undefined) return verified
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}
