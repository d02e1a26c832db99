import { createHash } from 'node:crypto'
import { storeKey } from './store.js'

/** Beyond it a key is a burden for a store that others share. */
const MAX_LENGTH = 500

/** {@link storeKey} of parts that a caller may make as long as it likes: a long key is the prefix and a SHA-256. */
export function boundedStoreKey(prefix: string, ...parts: readonly (string | undefined)[]): string {
  const key = storeKey(prefix, ...parts)
  if (key.length <= MAX_LENGTH) return key
  // Its JSON escapes half characters, which UTF-8 would make equal.
  return storeKey(prefix, createHash('sha256').update(key).digest('base64url'))
}
