import { listOfStrings } from '../registry/list-of-strings.js'
import { isVisibleTo } from '../registry/visibility.js'
import type { VisibilityRule } from './catalog.js'

/**
 * A rule of visibility for definitions by their tags: one with a tag named here is seen by principals that have all scopes
 * of the tag; with several such tags, of each of them. Throws a `TypeError` for scopes that are no list.
 *
 * @example visibilityByTag({ admin: ['tools:admin'] })
 */
export function visibilityByTag(scopesByTag: Readonly<Record<string, readonly string[]>>): VisibilityRule {
  const rules = new Map(
    Object.entries(scopesByTag).map(([tag, scopes]) => [
      tag,
      listOfStrings(scopes, `The scopes of the tag ${JSON.stringify(tag)}`),
    ]),
  )
  return ({ metadata }, principal) =>
    metadata.tags.every((tag) => {
      const scopes = rules.get(tag)
      return scopes === undefined || isVisibleTo({ scopes }, principal)
    })
}
