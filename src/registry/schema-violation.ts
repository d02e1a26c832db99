import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject, type JsonValue } from './json-value.js'

/**
 * Digits behind the point to which a quotient must be whole, so that 0.3 is a multiple of
 * 0.1 although 0.3 / 0.1 is not 3.
 */
const MULTIPLE_OF_DIGITS = 9

/**
 * Why `value` does not fit `schema`, as the end of a sentence ("is below the minimum 1"), or undefined. Knows the
 * keywords that the builders write and passes over any other: it is for defaults, enum values and examples while a
 * schema is written; arguments are validated in full by the runtime.
 */
export function violation(value: JsonValue, schema: JsonValue | undefined): string | undefined {
  if (schema === false) return 'fits no schema here'
  if (!isObject(schema)) return undefined
  return (
    typeViolation(value, schema) ??
    choiceViolation(value, schema) ??
    (typeof value === 'number' ? numberViolation(value, schema) : undefined) ??
    (typeof value === 'string' ? stringViolation(value, schema) : undefined) ??
    (Array.isArray(value) ? arrayViolation(value, schema) : undefined) ??
    (isObject(value) ? objectViolation(value, schema) : undefined)
  )
}

/** Whether a number is a multiple of another, by `MULTIPLE_OF_DIGITS`; where their quotient is beyond all numbers, exactly. */
export function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor
  return value % factor === 0 || Math.abs(Math.round(quotient) - quotient) <= 10 ** -MULTIPLE_OF_DIGITS
}

/** The pattern as a RegExp: with the `u` flag as JSON Schema says, else without; undefined if it is valid in neither. */
export function toRegExp(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      // Real schemas hold patterns that only the other dialect takes, e.g. "^https\:".
    }
  }
  return undefined
}

/** Equality of JSON values. */
export function isSameJson(left: JsonValue, right: JsonValue): boolean {
  return isDeepStrictEqual(left, right)
}

function typeViolation(value: JsonValue, { type }: JsonObject): string | undefined {
  if (type === undefined) return undefined
  const types = Array.isArray(type) ? type : [type]
  return types.some((name) => isOfType(value, name)) ? undefined : `is not of type ${types.join(' or ')}`
}

function isOfType(value: JsonValue, type: JsonValue): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  return type === 'object' ? isObject(value) : typeof value === type
}

function choiceViolation(value: JsonValue, schema: JsonObject): string | undefined {
  const { enum: allowed, const: constant, anyOf, oneOf } = schema
  if (Array.isArray(allowed) && !allowed.some((item) => isSameJson(item, value))) {
    return `is not one of ${JSON.stringify(allowed)}`
  }
  if (constant !== undefined && !isSameJson(constant, value)) return `is not ${JSON.stringify(constant)}`
  if (Array.isArray(anyOf) && countFits(value, anyOf) === 0) return 'fits none of anyOf'
  if (Array.isArray(oneOf) && countFits(value, oneOf) !== 1) return 'does not fit exactly one of oneOf'
  return undefined
}

/** How many of the schemas `value` fits. */
export function countFits(value: JsonValue, schemas: readonly JsonValue[]): number {
  return schemas.filter((schema) => violation(value, schema) === undefined).length
}

function numberViolation(value: number, schema: JsonObject): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (typeof minimum === 'number' && value < minimum) return `is below the minimum ${minimum}`
  if (typeof maximum === 'number' && value > maximum) return `is above the maximum ${maximum}`
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return `is not above ${exclusiveMinimum}`
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    return `is not below ${exclusiveMaximum}`
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf))
    return `is no multiple of ${multipleOf}`
  return undefined
}

function stringViolation(value: string, { minLength, maxLength, pattern }: JsonObject): string | undefined {
  const length = Array.from(value).length // code points, as JSON Schema counts
  if (typeof minLength === 'number' && length < minLength) return `is shorter than ${minLength}`
  if (typeof maxLength === 'number' && length > maxLength) return `is longer than ${maxLength}`
  if (typeof pattern === 'string' && toRegExp(pattern)?.test(value) === false)
    return `does not match ${pattern}`
  return undefined
}

function arrayViolation(value: readonly JsonValue[], schema: JsonObject): string | undefined {
  const { minItems, maxItems, uniqueItems, items } = schema
  if (typeof minItems === 'number' && value.length < minItems) return `has fewer than ${minItems} items`
  if (typeof maxItems === 'number' && value.length > maxItems) return `has more than ${maxItems} items`
  if (
    uniqueItems === true &&
    value.some((item, i) => value.slice(0, i).some((other) => isSameJson(item, other)))
  ) {
    return 'has an item twice'
  }
  // Beside prefixItems, or as an array itself, `items` does not speak of every item.
  if (schema.prefixItems !== undefined) return undefined
  return firstInside(value.entries(), () => items)
}

function objectViolation(value: JsonObject, schema: JsonObject): string | undefined {
  const required = Array.isArray(schema.required) ? schema.required : []
  const missing = required.find(
    (name) => typeof name === 'string' && !isFilled(name, value, schema.properties),
  )
  if (missing !== undefined) return `lacks ${JSON.stringify(missing)}`
  const properties = isObject(schema.properties) ? schema.properties : {}
  if (schema.additionalProperties === false && schema.patternProperties === undefined) {
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(properties, name))
    if (unknown !== undefined) return `has the unknown property ${JSON.stringify(unknown)}`
  }
  return firstInside(Object.entries(value), (name) =>
    Object.hasOwn(properties, name) ? properties[name] : undefined,
  )
}

// A required property that has a default is filled in before validation.
function isFilled(name: string, value: JsonObject, properties: JsonValue | undefined): boolean {
  if (Object.hasOwn(value, name)) return true
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return false
  const property = properties[name]
  return isObject(property) && Object.hasOwn(property, 'default')
}

function firstInside<Key extends string | number>(
  members: Iterable<readonly [Key, JsonValue]>,
  schemaOf: (key: Key) => JsonValue | undefined,
): string | undefined {
  for (const [key, member] of members) {
    const problem = violation(member, schemaOf(key))
    if (problem !== undefined) return `has ${JSON.stringify(key)}, which ${problem}`
  }
  return undefined
}
