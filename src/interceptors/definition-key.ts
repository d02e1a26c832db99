/** Names what is called, or the alternative of it that is tried: names are unique only within a kind. */
export function definitionKey(kind: string, name: string, alternative?: string): string {
  return alternative === undefined ? `${kind}:${name}` : `${kind}:${name}/${alternative}`
}
