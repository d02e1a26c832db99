import { pointerTo } from '../../registry/json-pointer.js'
import { describe, isPlain, setMember } from '../../registry/json-value.js'
import { shortened } from '../../registry/shortened.js'
import { InvalidArgumentsError } from '../../registry/tool-error.js'

const MAX_DEPTH = 200
const MAX_VALUES = 1_000_000

/** Copies what a caller sent, once, so that it is ours to change. Throws `INVALID_ARGUMENTS` where it is not plain JSON. */
export class ArgumentsCopy {
  readonly #toolName: string
  #values = 0

  constructor(toolName: string) {
    this.#toolName = toolName
  }

  /** Members that are `undefined` are not there, as JSON has it. */
  object(source: object, path: string, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(source)) {
      const value = (source as Readonly<Record<string, unknown>>)[name]
      if (value === undefined) continue
      const copied = isScalar(value) ? value : this.value(value, pointerTo(path, name), depth + 1)
      if (name === '__proto__') setMember(copy, name, copied)
      else copy[name] = copied
    }
    return copy
  }

  /** Any value of JSON, copied. */
  value(value: unknown, path: string, depth: number): unknown {
    // A small graph of shared objects, or a sparse array, can stand for more than fits into memory.
    this.#values += Array.isArray(value) ? value.length + 1 : 1
    if (this.#values > MAX_VALUES) throw this.#refuse(path, 'size', `hold more than ${MAX_VALUES} values`)
    if (isScalar(value)) return value
    if (depth > MAX_DEPTH) throw this.#refuse(path, 'depth', `are nested deeper than ${MAX_DEPTH} levels`)
    if (Array.isArray(value))
      return Array.from(value, (item, i) => this.value(item, `${path}/${i}`, depth + 1))
    if (typeof value === 'object' && value !== null && isPlain(value)) return this.object(value, path, depth)
    throw this.#refuse(path, 'type', `must be JSON (got ${describe(value)})`)
  }

  #refuse(path: string, keyword: string, what: string): InvalidArgumentsError {
    const place = shortened(path, 80)
    const message = keyword === 'type' ? `${JSON.stringify(place)} ${what}` : `the arguments ${what}`
    return new InvalidArgumentsError(this.#toolName, [{ path: place, keyword, message }])
  }
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value)
}
