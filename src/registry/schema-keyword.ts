import { describe } from './json-value.js'
import { SchemaError } from './schema-error.js'
import { toRegExp } from './schema-violation.js'

/** A non-empty string for a keyword, or a `SchemaError` naming the step. */
export function text(value: unknown, step: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new SchemaError(
    `${step}: a non-empty string is needed (got ${value === '' ? '""' : describe(value)})`,
  )
}

/** A finite number for a keyword. */
export function finite(value: unknown, step: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new SchemaError(`${step}: a finite number is needed (got ${describe(value)})`)
}

/** A finite number above 0 for a keyword. */
export function positive(value: unknown, step: string): number {
  const number = finite(value, step)
  if (number > 0) return number
  throw new SchemaError(`${step}: a number above 0 is needed (got ${number})`)
}

/** A length or a number of items: an integer from 0. */
export function count(value: unknown, step: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new SchemaError(`${step}: an integer from 0 is needed (got ${describe(value)})`)
}

/** The source of a regular expression that constructs, with the `u` flag or without. */
export function regexSource(value: unknown, step: string): string {
  if (typeof value !== 'string') {
    throw new SchemaError(`${step}: a string is needed, of a RegExp its source (got ${describe(value)})`)
  }
  if (toRegExp(value) !== undefined) return value
  throw new SchemaError(`${step}: ${JSON.stringify(value)} is no regular expression`)
}
