import type { DefinitionKind } from '../registry/definition-kind.js'
import { pointerTo } from '../registry/json-pointer.js'
import { describe, isPlain } from '../registry/json-value.js'
import { InvalidResultError, ToolError, type ToolOutcome } from '../registry/tool-error.js'
import type { ToolSuccess } from '../registry/tool-execution-result.js'
import { SchemaCompileError, type Validate } from './schema/schema-validator.js'

/** Deeper values are cycles, or would overflow the stack of whoever reads them. */
const MAX_DEPTH = 500

/** Refuses a result that is not JSON, is larger than `maxSize` characters of JSON (roughly), or breaks `outputSchema`. */
export function checkResult(
  owner: ResultOwner,
  result: ToolSuccess,
  { validate, maxSize }: { readonly validate: Validate | undefined; readonly maxSize: number },
): void {
  const survey = new JsonSurvey(owner, maxSize)
  const issues = readable(owner, () => {
    survey.visit(result.value)
    if (result.content !== undefined) survey.visit(result.content)
    if (result.meta !== undefined) survey.visit(result.meta)
    return validate?.(survey.convertsOnWrite ? JSON.parse(JSON.stringify(result.value)) : result.value)
  })
  if (issues !== undefined && issues.length > 0)
    throw new InvalidResultError(owner.name, issues.map(({ message }) => message).join('; '), {
      ...standing(owner),
    })
}

/** Reading a value may run code of its author: a getter, a `toJSON`, a proxy. That it fails is a fault of the value. */
function readable<T>(owner: ResultOwner, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (ToolError.is(cause) || cause instanceof SchemaCompileError) throw cause
    const fault = 'the value cannot be read, or written as JSON'
    throw new InvalidResultError(owner.name, fault, { ...standing(owner), cause })
  }
}

/** Whose result it is, for the message. */
export interface ResultOwner {
  readonly name: string
  readonly kind?: DefinitionKind | undefined
  /** What is known of the work: the result may be that of a cache or a fallback. Default `completed`. */
  readonly outcome?: ToolOutcome
}

function standing({ kind, outcome = 'completed' }: ResultOwner) {
  return { kind, outcome }
}

/**
 * Looks through what `JSON.stringify` would write, without writing it. What JSON would drop or change without a word (a
 * function, NaN, a Map) is refused, and so is what it cannot write (a BigInt, a cycle).
 */
class JsonSurvey {
  /** Something in it has a `toJSON`, so that its JSON looks different from itself. */
  convertsOnWrite = false
  readonly #owner: ResultOwner
  readonly #maxSize: number
  readonly #path: (string | number)[] = []
  #size = 0

  constructor(owner: ResultOwner, maxSize: number) {
    this.#owner = owner
    this.#maxSize = maxSize
  }

  visit(value: unknown): void {
    if (typeof value === 'string') this.#count(value.length + 2)
    else if (isJsonScalar(value)) this.#count(4)
    else if (typeof value === 'object' && value !== null) this.#visitObject(value)
    else throw this.#refuse(`is ${describe(value)}`)
  }

  #visitObject(value: object): void {
    this.#count(2)
    if (this.#path.length >= MAX_DEPTH)
      throw this.#refuse(`is nested deeper than ${MAX_DEPTH} levels or contains itself`)
    const isArray = Array.isArray(value)
    if (!isArray && 'toJSON' in value && typeof value.toJSON === 'function') {
      this.convertsOnWrite = true
      this.#visitMember('', value.toJSON())
    } else if (isArray) {
      for (let i = 0; i < value.length; i++) this.#visitMember(i, value[i])
    } else if (!isPlain(value) && isBuiltIn(value)) {
      throw this.#refuse(`is ${describe(value)}`)
    } else {
      for (const name of Object.keys(value)) {
        const member = (value as Readonly<Record<string, unknown>>)[name]
        if (member === undefined) continue
        this.#count(name.length + 3)
        this.#visitMember(name, member)
      }
    }
  }

  #visitMember(key: string | number, value: unknown): void {
    this.#path.push(key)
    this.visit(value)
    this.#path.pop()
  }

  #count(size: number): void {
    this.#size += size
    if (this.#size <= this.#maxSize) return
    throw new InvalidResultError(
      this.#owner.name,
      `it is larger than ${this.#maxSize} characters of JSON; ask for less, such as a page or a filter`,
      { code: 'RESULT_TOO_LARGE', ...standing(this.#owner) },
    )
  }

  #refuse(what: string): InvalidResultError {
    const path = this.#path.filter((key) => key !== '').slice(0, 10)
    const place = path.length === 0 ? 'the value' : path.reduce<string>(pointerTo, '')
    return new InvalidResultError(this.#owner.name, `${place} ${what}, which JSON cannot carry`, {
      ...standing(this.#owner),
    })
  }
}

function isJsonScalar(value: unknown): boolean {
  return value === null || value === undefined || typeof value === 'boolean' || Number.isFinite(value)
}

/** A Map, a Promise, a typed array and their like: JSON writes them as `{}` or worse. Classes of users are fine. */
function isBuiltIn(value: object): boolean {
  return Object.prototype.toString.call(value) !== '[object Object]'
}
