import type { PrincipalInit } from '../../registry/principal.js'
import { UnauthenticatedError } from '../../registry/tool-error.js'

/** The claims of a token whose signature, issuer, audience and times have been checked. */
export type JwtClaims = Readonly<Record<string, unknown>>

/** The caller by the claims that RFC 9068 names. `tenantClaim` is the claim with the tenant, where there are any. */
export function principalOf(claims: JwtClaims, tenantClaim: string | undefined): PrincipalInit {
  const tenant = tenantClaim === undefined ? undefined : textOf(claims, tenantClaim)
  return {
    subject: textOf(claims, 'sub'),
    scopes: scopesOf(claims),
    claims,
    ...(tenant !== undefined && { tenant }),
  }
}

/** `scope` of RFC 8693, or `scp`, as some issuers have it; each as a list, or as a text with spaces. */
function scopesOf({ scope, scp }: JwtClaims): readonly string[] {
  const scopes = scope ?? scp
  if (typeof scopes === 'string') return scopes.split(' ').filter((name) => name !== '')
  return Array.isArray(scopes) ? scopes.filter((name) => typeof name === 'string') : []
}

function textOf(claims: JwtClaims, name: string): string {
  const value = claims[name]
  if (typeof value === 'string' && value !== '') return value
  throw new UnauthenticatedError(`The claim "${name}" must be a text`)
}
