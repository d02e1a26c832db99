import { fingerprint } from '../../registry/fingerprint.js'
import type { ToolExecutionContext } from '../../registry/tool-execution-context.js'
import { boundedStoreKey } from '../stores/bounded-key.js'
import { argumentsDigest } from './arguments-digest.js'

/**
 * The key of a result in a store: the same for calls of one caller that ask for the same, by definition (as it is now: see
 * `fingerprint`), URI and arguments. Nothing where that cannot be told: arguments that cannot be compared, a completion,
 * whose argument is not among the arguments, and what does not exist.
 */
export function resultKey(
  prefix: string,
  { kind, target, callerKey, uri, args }: ToolExecutionContext,
): string | undefined {
  if (target === undefined || kind === 'completion') return undefined
  const digest = argumentsDigest(args)
  if (digest === undefined) return undefined
  return boundedStoreKey(prefix, callerKey, kind, target.name, uri, fingerprint(target), digest)
}
