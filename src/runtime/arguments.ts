import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Awaitable } from '../registry/awaitable.js'
import type { CallableDefinition } from '../registry/callable-definition.js'
import { pointerTo } from '../registry/json-pointer.js'
import { describe, isObject, isPlain } from '../registry/json-value.js'
import { shortened } from '../registry/shortened.js'
import { InvalidArgumentsError } from '../registry/tool-error.js'
import type { ValidationIssue } from '../registry/validation-issue.js'
import { ArgumentsCopy } from './arguments-copy.js'
import type { DefinitionValidators } from './definition-validators.js'

const MAX_ISSUES = 20
const MAX_MESSAGE = 500

/**
 * Makes of what a caller sent what an executor gets: parse, defaults, validation, deep freeze. The caller's own objects
 * are neither changed nor kept. Rejects, or throws, with `INVALID_ARGUMENTS`.
 */
export class ArgumentsPipeline {
  readonly #definition: CallableDefinition
  readonly #validators: DefinitionValidators

  constructor(definition: CallableDefinition, validators: DefinitionValidators) {
    this.#definition = definition
    this.#validators = validators
  }

  prepare(sent: unknown): Awaitable<unknown> {
    const args = this.#parse(sent)
    const { standard } = this.#definition.parameters
    if (standard !== undefined) return this.#prepareWith(standard, args)
    const issues = this.#validators.args(args)
    if (issues.length > 0) throw new InvalidArgumentsError(this.#definition.name, issues)
    return freezeTree(args)
  }

  /** Nothing sent is `{}`. The copy is ours to fill with defaults. */
  #parse(sent: unknown): Record<string, unknown> {
    if (sent === undefined) return {}
    if (!isObject(sent) || !isPlain(sent)) {
      const message = `arguments must be an object of named arguments (got ${describe(sent)})`
      throw new InvalidArgumentsError(this.#definition.name, [{ path: '', keyword: 'type', message }])
    }
    return new ArgumentsCopy(this.#definition.name).object(sent, '', 0)
  }

  /** The schema library's own validation; `ctx.args` is its output. */
  async #prepareWith(standard: StandardSchemaV1, args: unknown): Promise<unknown> {
    const result = await standard['~standard'].validate(args)
    if (result.issues === undefined) return freezeGraph(result.value)
    throw new InvalidArgumentsError(this.#definition.name, listed(result.issues))
  }
}

/** A model acts on the first few; thousands would be larger than the arguments themselves. */
function listed(issues: readonly StandardSchemaV1.Issue[]): ValidationIssue[] {
  const shown = issues.slice(0, MAX_ISSUES).map(toIssue)
  const more = issues.length - shown.length
  return more === 0 ? shown : [...shown, { path: '', keyword: 'custom', message: `and ${more} more` }]
}

function toIssue({ path = [], message }: StandardSchemaV1.Issue): ValidationIssue {
  const keys = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment))
  const place = keys.length === 0 ? '' : `${JSON.stringify(shortened(keys.join('.'), 80))}: `
  return {
    path: keys.reduce(pointerTo, ''),
    keyword: 'custom',
    message: place + shortened(message, MAX_MESSAGE),
  }
}

/** Freezes our own copy: a tree of arrays and plain objects. */
function freezeTree(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const key in value) freezeTree((value as Readonly<Record<string, unknown>>)[key])
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
