import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { copyJson } from './json-value.js'

/** What a fingerprint is taken of: what a definition of any kind says about itself. It must not change afterwards. */
export interface FingerprintSource {
  readonly kind?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: unknown
  readonly meta?: unknown
  readonly metadata?:
    | {
        readonly readOnly?: boolean
        readonly destructive?: boolean
        readonly idempotent?: boolean
        readonly forwardsIdempotencyKey?: boolean | undefined
      }
    | undefined
}

const known = new WeakMap<FingerprintSource, string>()

/**
 * Names what a caller relies on: two definitions have the same fingerprint if they have the same kind, name, description,
 * schemas, annotations and `_meta`, and are as safe to run. What is operated differently (owner, timeout, quota) is the
 * same. A SHA-256 in base64url, the same in every process.
 */
export function fingerprint(definition: FingerprintSource): string {
  const cached = known.get(definition)
  if (cached !== undefined) return cached
  const { kind, name, description, inputSchema, outputSchema, annotations, meta, metadata = {} } = definition
  const { readOnly, destructive, idempotent, forwardsIdempotencyKey } = metadata
  const relied = { kind, name, description, inputSchema, outputSchema, annotations, meta }
  const print = digest({
    ...relied,
    metadata: { readOnly, destructive, idempotent, forwardsIdempotencyKey },
  })
  known.set(definition, print)
  return print
}

/**
 * The SHA-256, in base64url, of a JSON value in canonical form (RFC 8785), so that the order of members does not matter.
 * `undefined` counts as `{}`, as it does for arguments. Throws on what JSON cannot carry.
 */
export function digest(value: unknown): string {
  const json = copyJson(value === undefined ? {} : value, 'A value to digest')
  return createHash('sha256').update(canonicalText(json)).digest('base64url')
}

function canonicalText(json: unknown): string {
  try {
    return canonicalize(json) as string // undefined for what is not JSON alone
  } catch (cause) {
    // JSON text can name half a character, UTF-8 cannot: two such values would be one.
    throw new TypeError('A value to digest must be well-formed Unicode', { cause })
  }
}
