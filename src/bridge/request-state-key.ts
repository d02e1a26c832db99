import { hkdfSync, randomBytes } from 'node:crypto'
import { describe } from '../registry/json-value.js'

/** At least 32 random bytes, as they are or as base64 or base64url text, such as `openssl rand -base64 32` prints. */
export type RequestStateKey = Uint8Array | string

const MIN_BYTES = 32

/** The keys that states are sealed with: derived, so that a secret which serves other ends too is safe to use here. */
export function sealingKeys(
  key: RequestStateKey | readonly RequestStateKey[] = randomBytes(MIN_BYTES),
): readonly Uint8Array[] {
  const secrets = typeof key === 'string' || key instanceof Uint8Array ? [key] : key
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw new TypeError(`The key of a requestState must be a key, or a list of keys (got ${describe(key)})`)
  }
  return secrets.map((secret) => derived(bytesOf(secret)))
}

function bytesOf(secret: unknown): Uint8Array {
  const bytes = typeof secret === 'string' ? decoded(secret) : secret
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(
      `The key of a requestState must be bytes, or base64 text of them (got ${describe(secret)})`,
    )
  }
  if (bytes.length < MIN_BYTES) {
    throw new TypeError(
      `The key of a requestState must have at least ${MIN_BYTES} random bytes (got ${bytes.length})`,
    )
  }
  return bytes
}

function decoded(text: string): Uint8Array | undefined {
  return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : undefined
}

/** HKDF (RFC 5869): 32 bytes for A256GCM, of no use for anything else. */
function derived(secret: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'toolwire requestState', 32))
}
