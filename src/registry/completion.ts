import { type Awaitable, andThen } from './awaitable.js'
import type { JsonSchema } from './json-schema.js'
import { describe, isObject } from './json-value.js'
import { listOfStrings } from './list-of-strings.js'
import type { ToolExecutionContext } from './tool-execution-context.js'

/** What an argument may be completed to: the first hundred values, of how many. */
export interface Completion {
  readonly values: readonly string[]
  readonly total: number
  readonly hasMore: boolean
}

/** The arguments that are filled in already, as the client sends them: strings, of which nothing is checked. */
export type FilledArguments<Args> = { readonly [Name in keyof Args]?: string }

/** Gives the values for an argument of which `value` is typed so far. All of them: a hundred are sent, with their number. */
export type Completer<Args = unknown> = (
  value: string,
  ctx: ToolExecutionContext<FilledArguments<Args>>,
) => Awaitable<Iterable<string>>

/** Completers by argument. */
export type Completers = Readonly<Record<string, Completer<never>>>

/** The completers with one more. Throws a `TypeError` for what is no function. */
export function withCompleter<Args>(
  completers: Completers | undefined,
  argument: string,
  completer: Completer<Args>,
): Completers {
  if (typeof completer !== 'function') {
    throw new TypeError(`complete(${JSON.stringify(argument)}) needs a function (got ${describe(completer)})`)
  }
  return Object.freeze({ ...completers, [argument]: completer })
}

/** MCP sends no more at once. */
const MAX_VALUES = 100

/**
 * The completion of an argument: what its completer gives, else the values of its enum that begin with what is typed, in
 * upper or lower case. Nothing for an argument that has neither, or does not exist.
 */
export function complete(
  { parameters, completers }: { readonly parameters: JsonSchema; readonly completers: Completers },
  argument: string,
  value: string,
  ctx: ToolExecutionContext<unknown>,
): Awaitable<Completion> {
  const completer = Object.hasOwn(completers, argument) ? completers[argument] : undefined
  if (completer === undefined) return completionOf(choices(parameters, argument, value))
  // The names of the filled-in arguments are those of the completer's definition; their values are strings.
  const values = completer(value, ctx as ToolExecutionContext<FilledArguments<never>>)
  return andThen(values, (all) =>
    completionOf(listOfStrings(all, `The completion of ${JSON.stringify(argument)}`)),
  )
}

function completionOf(all: readonly string[]): Completion {
  const values = Object.freeze(all.slice(0, MAX_VALUES))
  return Object.freeze({ values, total: all.length, hasMore: all.length > MAX_VALUES })
}

function choices(
  { document: { properties } }: JsonSchema,
  argument: string,
  value: string,
): readonly string[] {
  if (!isObject(properties) || !Object.hasOwn(properties, argument)) return []
  const property: unknown = properties[argument]
  const choices =
    isObject(property) && Array.isArray(property.enum) ? (property.enum as readonly unknown[]) : []
  const typed = value.toLowerCase()
  return choices.filter(
    (choice): choice is string => typeof choice === 'string' && choice.toLowerCase().startsWith(typed),
  )
}
