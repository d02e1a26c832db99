import { describe, isObject } from './json-value.js'
import { listOfStrings } from './list-of-strings.js'
import type { Principal } from './principal.js'

/** Who may see, and so call, a definition: principals with all of these scopes, or those that the function says `true` of. */
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

/** Whether the principal may see what has this visibility. Throws what a function of it throws. */
export function isVisibleTo(visibility: Visibility | undefined, principal: Principal | undefined): boolean {
  if (visibility === undefined) return true
  if (typeof visibility === 'function') return visibility(principal) === true
  return principal !== undefined && visibility.scopes.every((scope) => principal.hasScope(scope))
}
