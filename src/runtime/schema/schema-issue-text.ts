import { segmentsOf } from '../../registry/json-pointer.js'
import { isObject } from '../../registry/json-value.js'
import { shortened } from '../../registry/shortened.js'

/** Characters of a value, a name or a pattern that a message repeats. */
const SHOWN_TEXT = 60
/** Values or names that a message lists. */
const SHOWN_ITEMS = 20

/** A place in a value as a model writes it: `"guest.rooms[0].size"`; the value itself is `the value`. */
export function placeName(path: string): string {
  return path === '' ? 'the value' : quoted(bareName(path))
}

/** The same without quotation marks. */
export function bareName(path: string): string {
  const segments = segmentsOf(path).map((segment) => {
    if (/^\d+$/.test(segment)) return `[${segment}]`
    return /^[\p{L}\p{N}_$-]+$/u.test(segment) ? `.${segment}` : `[${brief(JSON.stringify(segment))}]`
  })
  return segments.join('').replace(/^\./, '')
}

/** A value in a message: scalars are shown, shortened; of anything larger only the kind. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isObject(value)) return 'an object'
  return typeof value === 'string' ? quoted(value) : String(value)
}

/** Quoted as JSON, shortened. */
export function quoted(text: string): string {
  return JSON.stringify(brief(text))
}

/** Values as a list: `"a", "b", 3`, at most twenty of them. */
export function listed(values: readonly unknown[]): string {
  return joined(values, ', ', (value) => (isLarge(value) ? brief(JSON.stringify(value)) : shown(value)))
}

/** Patterns as alternatives: `^x- or ^y-`, at most twenty of them. */
export function alternatives(patterns: readonly string[]): string {
  return joined(patterns, ' or ', brief)
}

/** A text as it stands, shortened. */
export function brief(text: string): string {
  return shortened(text, SHOWN_TEXT)
}

function joined<T>(items: readonly T[], separator: string, show: (item: T) => string): string {
  const list = items.slice(0, SHOWN_ITEMS).map(show).join(separator)
  return items.length > SHOWN_ITEMS ? `${list} … (${items.length} in all)` : list
}

function isLarge(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
