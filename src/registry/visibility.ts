import { isPromise } from './awaitable.js'
import { describe, isObject } from './json-value.js'
import { listOfStrings } from './list-of-strings.js'
import type { Principal } from './principal.js'

/**
 * Who may see, and so call, a definition: principals with all of these scopes, or those
 * that the function says `true` of.
 */
export type Visibility =
  | { readonly scopes: readonly string[] }
  | ((principal: Principal | undefined) => boolean)

/** A frozen copy. Throws a `TypeError` that names the field of a value that makes no sense. */
export function frozenVisibility(visibility: Visibility): Visibility {
  if (typeof visibility === 'function') return visibility
  if (!isObject(visibility)) {
    throw new TypeError(
      `metadata.visibility must be { scopes } or a function of the principal (got ${describe(visibility)})`,
    )
  }
  return Object.freeze({
    scopes: Object.freeze(listOfStrings(visibility.scopes, 'metadata.visibility.scopes')),
  })
}

/**
 * Whether the principal may see what has this visibility. Throws what a function of it
 * throws, and for what is no verdict.
 */
export function isVisibleTo(visibility: Visibility | undefined, principal: Principal | undefined): boolean {
  if (visibility === undefined) return true
  if (typeof visibility === 'function') return verdict(visibility(principal))
  return principal !== undefined && visibility.scopes.every((scope) => principal.hasScope(scope))
}

/**
 * What a rule has said. Throws a `TypeError` for anything but `true` and `false`: a rule that is asynchronous, or forgets to
 * return, would hide everything from everybody without a word.
 */
export function verdict(said: unknown, rule = 'A rule of visibility'): boolean {
  if (typeof said === 'boolean') return said
  // Nobody waits for it; its failure must not end the process.
  if (isPromise(said)) Promise.resolve(said).catch(() => undefined)
  const given = isPromise(said) ? 'a promise' : describe(said)
  throw new TypeError(`${rule} must return true or false, at once (got ${given})`)
}
