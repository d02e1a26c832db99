import { describe, frozenCopy } from './json-value.js'
import { listOfStrings } from './list-of-strings.js'

/** What a {@link Principal} is made from. */
export interface PrincipalInit {
  readonly subject: string
  readonly tenant?: string
  readonly scopes?: Iterable<string>
  readonly claims?: Readonly<Record<string, unknown>>
}

/** Who is calling. Immutable; it is part of every key: quota, cache, idempotency, approval. */
export class Principal {
  /** The caller's id, such as the `sub` of a token. */
  readonly subject: string
  declare readonly tenant?: string
  /** What the caller's token allows (RFC 6749 section 3.3). */
  readonly scopes: readonly string[]
  readonly claims: Readonly<Record<string, unknown>>
  /** Names this caller and no other: tenant and subject, joined so that two pairs never give the same text. */
  readonly key: string

  constructor({ subject, tenant, scopes = [], claims = {} }: PrincipalInit) {
    if (typeof subject !== 'string' || subject === '') {
      throw new TypeError('A principal needs a subject: a non-empty string that names the caller')
    }
    if (tenant !== undefined && typeof tenant !== 'string') {
      throw new TypeError(`tenant must be a string, or left out (got ${describe(tenant)})`)
    }
    this.subject = subject
    if (tenant !== undefined) this.tenant = tenant
    this.scopes = Object.freeze([...new Set(listOfStrings(scopes, 'scopes'))])
    this.claims = frozenCopy(claims, 'claims')
    this.key = JSON.stringify([tenant ?? null, subject])
    Object.freeze(this)
  }

  hasScope(scope: string): boolean {
    return this.scopes.includes(scope)
  }
}
