import { describe } from './json-value.js'

/**
 * The strings that `source` yields, read once. Throws a `TypeError` that begins with `subject` for anything else, a string
 * included: it is an iterable of its characters, but whoever passes 'read write' does not mean those.
 */
export function listOfStrings(source: Iterable<string>, subject: string): readonly string[] {
  const given: unknown = source
  if (typeof given !== 'object' || given === null || !(Symbol.iterator in given)) {
    throw new TypeError(`${subject} must be a list of strings, such as ['a', 'b'] (got ${describe(given)})`)
  }
  const strings: readonly unknown[] = [...source]
  const wrong = strings.findIndex((string) => typeof string !== 'string')
  if (wrong !== -1)
    throw new TypeError(`${subject} must hold strings alone (got ${describe(strings[wrong])})`)
  return strings as readonly string[]
}
