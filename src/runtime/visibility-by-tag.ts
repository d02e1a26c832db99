import type { VisibilityRule } from './catalog.js'

/**
 * A rule of visibility for definitions by their tags: one with a tag named here is seen by principals that have all scopes
 * of the tag; with several such tags, of each of them.
 *
 * @example visibilityByTag({ admin: ['tools:admin'] })
 */
export function visibilityByTag(scopesByTag: Readonly<Record<string, readonly string[]>>): VisibilityRule {
  const rules = new Map(Object.entries(scopesByTag).map(([tag, scopes]) => [tag, [...scopes]]))
  return ({ metadata }, principal) =>
    metadata.tags.every(
      (tag) => rules.get(tag)?.every((scope) => principal?.hasScope(scope) === true) ?? true,
    )
}
