import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Awaitable } from '../registry/awaitable.js'
import { pointerTo } from '../registry/json-pointer.js'
import { describe, isObject, isPlain, setMember } from '../registry/json-value.js'
import type { ToolDefinition } from '../registry/tool-definition.js'
import { InvalidArgumentsError, type ValidationIssue } from '../registry/tool-error.js'
import type { ToolValidators } from './tool-validators.js'

const MAX_DEPTH = 200

/**
 * Makes of what a caller sent what an executor gets: parse, defaults, validation, deep freeze. The caller's own objects
 * are neither changed nor kept. Rejects, or throws, with `INVALID_ARGUMENTS`.
 */
export class ArgumentsPipeline {
  readonly #tool: ToolDefinition
  readonly #validators: ToolValidators

  constructor(tool: ToolDefinition, validators: ToolValidators) {
    this.#tool = tool
    this.#validators = validators
  }

  prepare(sent: unknown): Awaitable<unknown> {
    const args = this.#parse(sent)
    const { standard } = this.#tool.parameters
    if (standard !== undefined) return this.#prepareWith(standard, args)
    const issues = this.#validators.args(args)
    if (issues.length > 0) throw new InvalidArgumentsError(this.#tool.name, issues)
    return freezeTree(args)
  }

  /** Nothing sent is `{}`. The copy is ours to fill with defaults. */
  #parse(sent: unknown): Record<string, unknown> {
    if (sent === undefined) return {}
    if (!isObject(sent) || !isPlain(sent)) {
      throw this.#invalid(
        '',
        'type',
        `arguments must be an object of named arguments (got ${describe(sent)})`,
      )
    }
    return this.#copyObject(sent, '', 0)
  }

  #copyObject(source: object, path: string, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(source)) {
      const value = (source as Readonly<Record<string, unknown>>)[name]
      if (value === undefined) continue
      const copied = isScalar(value) ? value : this.#copy(value, pointerTo(path, name), depth + 1)
      if (name === '__proto__') setMember(copy, name, copied)
      else copy[name] = copied
    }
    return copy
  }

  #copy(value: unknown, path: string, depth: number): unknown {
    if (isScalar(value)) return value
    if (depth > MAX_DEPTH) {
      throw this.#invalid(path.slice(0, 80), 'depth', `arguments are nested deeper than ${MAX_DEPTH} levels`)
    }
    if (Array.isArray(value)) return value.map((item, i) => this.#copy(item, `${path}/${i}`, depth + 1))
    if (typeof value === 'object' && value !== null && isPlain(value))
      return this.#copyObject(value, path, depth)
    throw this.#invalid(path, 'type', `${JSON.stringify(path)} must be JSON (got ${describe(value)})`)
  }

  /** The schema library's own validation; `ctx.args` is its output. */
  async #prepareWith(standard: StandardSchemaV1, args: unknown): Promise<unknown> {
    const result = await standard['~standard'].validate(args)
    if (result.issues === undefined) return freezeGraph(result.value)
    throw new InvalidArgumentsError(this.#tool.name, result.issues.map(toIssue))
  }

  #invalid(path: string, keyword: string, message: string): InvalidArgumentsError {
    return new InvalidArgumentsError(this.#tool.name, [{ path, keyword, message }])
  }
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value)
}

function toIssue({ path = [], message }: StandardSchemaV1.Issue): ValidationIssue {
  const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment))
  const pointer = keys.map(String).reduce(pointerTo, '')
  return {
    path: pointer,
    keyword: 'custom',
    message: pointer === '' ? message : `${JSON.stringify(keys.join('.'))}: ${message}`,
  }
}

/** Freezes our own copy: a tree of arrays and plain objects. */
function freezeTree(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freezeTree(member)
  return Object.freeze(value)
}

/**
 * Freezes what a schema library made, which may be frozen in part, or a cycle. What is neither an array nor a plain object,
 * such as a Date, is left alone.
 */
function freezeGraph(value: unknown, visited = new Set<object>()): unknown {
  if (typeof value !== 'object' || value === null || !isPlain(value) || visited.has(value)) return value
  visited.add(value)
  for (const member of Object.values(value)) freezeGraph(member, visited)
  return Object.freeze(value)
}
