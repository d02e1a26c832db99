import { shortened } from './shortened.js'

/** A name in a message: quoted, and cut, since it may be anything that a caller sent. */
export function quoteName(name: string): string {
  return JSON.stringify(shortened(name, 80))
}
