const MAX_LENGTH = 80

/** A name in a message: quoted, and cut, since it may be anything that a caller sent. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}…` : name)
}
