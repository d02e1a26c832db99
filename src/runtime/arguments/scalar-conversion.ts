/** A JSON value that is neither a list nor an object. */
export type Scalar = string | number | boolean

/**
 * What `value` is as a `type` of JSON Schema, if that loses nothing and reads one way only; else undefined.
 *
 * - Text as a number: `-?(0|[1-9]\d*)(\.\d+)?` and nothing else (no exponent, plus sign, leading zero, space or digit of
 *   another script, no `-0`), and only if the number is written the same way, trailing zeros of a fraction apart. Integers
 *   are safe ones; `5.0` is one.
 * - Text as a boolean: `true` and `false`.
 * - A number as text: safe integers.
 *
 * Nothing becomes null or comes of it, and no boolean becomes a number.
 */
export function convertScalar(value: unknown, type: string): Scalar | undefined {
  if (typeof value === 'number') return type === 'string' ? textOf(value) : undefined
  if (typeof value !== 'string') return undefined
  switch (type) {
    case 'integer': {
      const number = numberOf(value)
      return Number.isInteger(number) ? number : undefined
    }
    case 'number':
      return numberOf(value)
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : undefined
    default:
      return undefined
  }
}

/** Whether it is the text of an integer beyond what a number holds exactly: of one such as a 64-bit id digits get lost. */
export function isUnsafeInteger(value: unknown): boolean {
  return typeof value === 'string' && INTEGER.test(value) && !Number.isSafeInteger(Number(value))
}

/** Whether no digit before the point of a number in JSON text is lost by reading it; one with an exponent is rounded anyway. */
export function keepsDigits(text: string): boolean {
  return /e/i.test(text) || Number.isSafeInteger(Math.trunc(Number(text)))
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const INTEGER = /^-?(?:0|[1-9]\d*)$/
/** A longer text cannot be that of a number that prints the same. */
const MAX_LENGTH = 400

function numberOf(text: string): number | undefined {
  if (text.length > MAX_LENGTH || !NUMBER.test(text)) return undefined
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) return undefined
  return String(number) === withoutTrailingZeros(text) ? number : undefined
}

function withoutTrailingZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

function textOf(number: number): string | undefined {
  return Number.isSafeInteger(number) && !Object.is(number, -0) ? String(number) : undefined
}
