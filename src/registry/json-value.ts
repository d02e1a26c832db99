import { pointerTo } from './json-pointer.js'
import { SchemaError } from './schema-error.js'
import { shortened } from './shortened.js'

/** Any JSON value, read only. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object, read only. */
export interface JsonObject {
  readonly [name: string]: JsonValue
}

const MAX_DEPTH = 200
const MAX_NODES = 100_000

/**
 * A deeply frozen private copy of `source`, which itself is neither frozen nor changed. Members that are `undefined`
 * are left out, as JSON does. Whatever else is not plain JSON (functions, NaN, class instances, cycles), more than 200
 * levels or 100 000 values throws a `SchemaError` with the place.
 */
export function copyJson(source: unknown, subject: string): JsonValue {
  const ancestors = new Set<object>()
  let nodes = 0

  function copy(value: unknown, pointer: string): JsonValue {
    // Values shared by reference are copied at each place, so that a small graph can stand for a huge document.
    if (++nodes > MAX_NODES) throw new SchemaError(`${subject} has more than ${MAX_NODES} values`, pointer)
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value // no -0 in JSON
    if (typeof value !== 'object' || !isPlain(value)) {
      throw new SchemaError(`${subject} must be plain JSON (got ${describe(value)})`, pointer)
    }
    if (ancestors.has(value)) throw new SchemaError(`${subject} contains itself`, pointer)
    if (ancestors.size >= MAX_DEPTH) {
      throw new SchemaError(`${subject} is nested deeper than ${MAX_DEPTH} levels`, shortened(pointer, 80))
    }
    ancestors.add(value)
    const result = Array.isArray(value) ? copyArray(value, pointer) : copyObject(value, pointer)
    ancestors.delete(value)
    return Object.freeze(result)
  }

  function copyArray(array: readonly unknown[], pointer: string): JsonValue[] {
    return Array.from(array, (item, index) => copy(item, pointerTo(pointer, index)))
  }

  function copyObject(object: object, pointer: string): Record<string, JsonValue> {
    if (Object.getOwnPropertySymbols(object).length > 0) {
      throw new SchemaError(`${subject} must be plain JSON (got an object with symbol keys)`, pointer)
    }
    const result: Record<string, JsonValue> = {}
    for (const [name, value] of Object.entries(object)) {
      if (value !== undefined) setMember(result, name, copy(value, pointerTo(pointer, name)))
    }
    return result
  }

  return copy(source, '')
}

/** `copyJson` that keeps the type of what it copies. */
export function frozenCopy<T>(source: T, subject = 'The value'): T {
  return copyJson(source, subject) as T // what is copied has the same members
}

/** A fresh, mutable copy of a JSON value. */
export function thawJson(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(thawJson)
  if (typeof value !== 'object' || value === null) return value
  const result: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) setMember(result, name, thawJson(member))
  return result
}

/** Sets an own member whatever its name: assigning to `__proto__` would change the prototype instead. */
export function setMember<T>(target: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true })
}

/** Whether it is an object as JSON has it: neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether it is an array or an object literal, of this realm or another. */
export function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return true
  return (
    typeof prototype === 'object' && Object.getPrototypeOf(prototype) === null && isObjectPrototype(prototype)
  )
}

/** What a value is, in an error message: "a function", "NaN", "an instance of Date". */
export function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number') return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  return isPlain(value) ? 'an object' : `an instance of ${value.constructor?.name || 'a class'}`
}

function isObjectPrototype(prototype: object): boolean {
  return Object.hasOwn(prototype, 'isPrototypeOf') && Object.hasOwn(prototype, 'hasOwnProperty')
}
