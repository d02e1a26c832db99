import { segmentsOf } from '../../registry/json-pointer.js'
import { isObject } from '../../registry/json-value.js'

/** Characters of a value that a message repeats. */
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
    return /^[\p{L}\p{N}_$-]+$/u.test(segment) ? `.${segment}` : `[${shorten(JSON.stringify(segment))}]`
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
  return JSON.stringify(shorten(text))
}

/** Values as a list: `"a", "b", 3`, at most twenty of them. */
export function listed(values: readonly unknown[]): string {
  const items = values
    .slice(0, SHOWN_ITEMS)
    .map((value) => (isLarge(value) ? shorten(JSON.stringify(value)) : shown(value)))
  return values.length > SHOWN_ITEMS ? `${items.join(', ')} … (${values.length} in all)` : items.join(', ')
}

/** At most sixty characters, never half of one. */
export function shorten(text: string): string {
  if (text.length <= SHOWN_TEXT) return text
  return `${text.slice(0, SHOWN_TEXT).replace(/[\ud800-\udbff]$/, '')}…`
}

function isLarge(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
