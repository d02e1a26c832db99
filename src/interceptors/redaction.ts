import { types } from 'node:util'
import { segmentsOf } from '../registry/json-pointer.js'
import { setMember } from '../registry/json-value.js'
import { type IsSecretName, maskSecrets, REDACTED, secretNames } from './secrets.js'

/** What is secret beside passwords, tokens, keys, cookies and the like, which are known by name and by shape. */
export interface RedactOptions {
  /** More names of members that hold secrets. Case and separators do not count: `pinCode` is `PIN_CODE` too. */
  readonly names?: readonly string[]
  /** Places that hold secrets: JSON Pointers (RFC 6901) in which the step `*` is any member. */
  readonly paths?: readonly string[]
}

/**
 * A copy for a log: without secrets, fit for JSON whatever `value` is, and bounded, since what is logged may come from a
 * caller. `value` is only read. Values under a secret name or path become `'[redacted]'`, but for null, undefined and
 * booleans, which tell nothing.
 *
 * @example redact({ user: 'ada', password: 'x', card: { number: '42' } }, { paths: ['/card/number'] })
 */
export function redact(value: unknown, options?: RedactOptions): unknown {
  return options === undefined ? redactByDefault(value) : redactor(options)(value)
}

/** {@link redact} with the options read once. Throws a `TypeError` for a name or path that cannot be one. */
export function redactor({ names, paths = [] }: RedactOptions = {}): (value: unknown) => unknown {
  const isSecretName = secretNames(names)
  const secretPaths = paths.map(parsePath)
  return (value) => new RedactedCopy(isSecretName).of(value, secretPaths, 0)
}

const redactByDefault = redactor()

/** The steps of a path. */
type Path = readonly string[]

const MAX_DEPTH = 12
const MAX_MEMBERS = 100
const MAX_STRING = 4_096
/** Of the whole copy, in characters, roughly. */
const MAX_SIZE = 100_000
const CUT = '[…]'
const UNREADABLE = '[unreadable]'

/** One copy while it is made. */
class RedactedCopy {
  readonly #isSecretName: IsSecretName
  readonly #ancestors = new Set<object>()
  #room = MAX_SIZE

  constructor(isSecretName: IsSecretName) {
    this.#isSecretName = isSecretName
  }

  /** `paths` are those that lead here in their first `depth` steps. */
  of(value: unknown, paths: readonly Path[], depth: number): unknown {
    if (paths.length > 0 && paths.some((path) => path.length === depth)) return hidden(value)
    this.#room -= 8
    if (this.#room <= 0) return CUT
    if (typeof value === 'string') return this.#text(value)
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
    if (typeof value === 'bigint') return this.#text(String(value))
    if (typeof value === 'symbol') return this.#text(String(value))
    if (typeof value === 'function') return '[function]'
    if (typeof value !== 'object' || value === null) return value
    if (this.#ancestors.has(value)) return '[circular]'
    if (this.#ancestors.size >= MAX_DEPTH) return CUT
    this.#ancestors.add(value)
    try {
      return this.#object(value, paths, depth)
    } catch {
      return UNREADABLE // a proxy, a getter or a toJSON() that throws
    } finally {
      this.#ancestors.delete(value)
    }
  }

  #object(value: object, paths: readonly Path[], depth: number): unknown {
    if (Array.isArray(value)) return this.#items(value, value.length, paths, depth)
    if (value instanceof Set) return this.#items(value, value.size, paths, depth)
    if (value instanceof Map) return this.#members({}, mapMembers(value), value.size, paths, depth)
    if (types.isNativeError(value) || value instanceof Error) return this.#error(value, paths, depth)
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    const { toJSON } = value as { readonly toJSON?: unknown }
    if (typeof toJSON === 'function') return this.of(toJSON.call(value), paths, depth)
    const names = Object.keys(value)
    return this.#members({}, members(value, names), names.length, paths, depth)
  }

  #error(error: Error, paths: readonly Path[], depth: number): unknown {
    const names = Object.keys(error).filter((name) => name !== 'name' && !ERROR_MEMBERS.includes(name))
    const present = ERROR_MEMBERS.filter((name) => name in error)
    // Without a prototype, or pino takes the copy for an error of the class Object and says so in `type`.
    const copy: Record<string, unknown> = Object.assign(Object.create(null), { type: typeOf(error) })
    return this.#members(
      copy,
      members(error, [...present, ...names]),
      present.length + names.length,
      paths,
      depth,
    )
  }

  #items(items: Iterable<unknown>, size: number, paths: readonly Path[], depth: number): unknown[] {
    const copy: unknown[] = []
    for (const item of items) {
      if (copy.length === MAX_MEMBERS || this.#room <= 0) {
        copy.push(more(size - copy.length))
        break
      }
      copy.push(this.of(item, along(paths, depth, String(copy.length)), depth + 1))
    }
    return copy
  }

  #members(
    copy: Record<string, unknown>,
    entries: Iterable<readonly [name: string, read: () => unknown]>,
    size: number,
    paths: readonly Path[],
    depth: number,
  ): Record<string, unknown> {
    let count = 0
    for (const [name, read] of entries) {
      if (count === MAX_MEMBERS || this.#room <= 0) {
        copy['…'] = more(size - count)
        break
      }
      count++
      this.#room -= Math.min(name.length, MAX_STRING)
      setMember(copy, cut(name, MAX_STRING), this.#member(name, read, along(paths, depth, name), depth + 1))
    }
    return copy
  }

  #member(name: string, read: () => unknown, paths: readonly Path[], depth: number): unknown {
    let value: unknown
    try {
      value = read()
    } catch {
      return UNREADABLE
    }
    return this.#isSecretName(name) && !isCount(name, value) ? hidden(value) : this.of(value, paths, depth)
  }

  #text(text: string): string {
    // Masked before it is cut, and with more than is kept: half a secret may not look like one.
    const masked = maskSecrets(text.slice(0, 2 * MAX_STRING), this.#isSecretName)
    const isWhole = masked.length <= MAX_STRING && text.length <= 2 * MAX_STRING
    const kept = isWhole ? masked : `${masked.slice(0, MAX_STRING)}… (${text.length} characters)`
    this.#room -= kept.length
    return kept
  }
}

/** Not all of them are enumerable. `name` is said by `type`. */
const ERROR_MEMBERS: readonly string[] = ['message', 'stack', 'code', 'cause', 'errors']

/** As pino has it: the class, which says more than a `name` that most classes do not set. */
function typeOf(error: Error): string {
  return cut(String(error.constructor?.name || error.name), 200)
}

function hidden(value: unknown): unknown {
  return value === undefined || value === null || typeof value === 'boolean' ? value : REDACTED
}

/** `maxTokens: 500` and its like are everywhere around models, and count. */
function isCount(name: string, value: unknown): boolean {
  return typeof value === 'number' && /tokens$/i.test(name)
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}

function more(count: number): string {
  return `… ${count} more`
}

function along(paths: readonly Path[], depth: number, step: string): readonly Path[] {
  return paths.length === 0 ? paths : paths.filter((path) => path[depth] === '*' || path[depth] === step)
}

function* members(value: object, names: readonly string[]): Iterable<readonly [string, () => unknown]> {
  for (const name of names) yield [name, () => Reflect.get(value, name)]
}

function* mapMembers(map: ReadonlyMap<unknown, unknown>): Iterable<readonly [string, () => unknown]> {
  for (const [key, value] of map) yield [typeof key === 'object' ? '[object]' : String(key), () => value]
}

function parsePath(path: string): Path {
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/'))) {
    throw new TypeError(
      `redact.paths must be JSON Pointers such as "/card/number" or "/items/*/pin" (got ${JSON.stringify(path)})`,
    )
  }
  return segmentsOf(path)
}
