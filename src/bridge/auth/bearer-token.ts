/** What an `Authorization` header brings. `none`: no bearer token at all. `malformed`: more than one value. */
export type BearerToken =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'none' | 'invalid' | 'malformed' }

/** Reads the header (RFC 6750 section 2.1), which is the only place where a token counts: an URL ends up in logs. */
export function readBearerToken(authorization: string | undefined): BearerToken {
  if (authorization === undefined) return { kind: 'none' }
  const [scheme = '', ...rest] = authorization.trim().split(/[ \t]+/)
  if (authorization.includes(',') && /\bbearer\b/i.test(authorization)) return { kind: 'malformed' }
  if (scheme.toLowerCase() !== 'bearer' || rest.length === 0) return { kind: 'none' }
  const [token = ''] = rest
  return rest.length === 1 && /^[\w.~+/-]+=*$/.test(token) ? { kind: 'token', token } : { kind: 'invalid' }
}
