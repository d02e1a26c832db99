import type { JsonSchema } from './json-schema.js'
import { describe, isObject } from './json-value.js'
import { quoteName } from './quoted-name.js'
import type { DefinitionFault } from './tool-definition-error.js'

/** Other names, by the name of the argument: `{ city: ['location', 'town'] }`. */
export interface ArgumentAliases {
  readonly [argument: string]: readonly string[]
}

/** The names that arguments may have, as far as the compiler knows them. */
export type ArgumentName<Args> = keyof Args & string

/** A frozen copy, added to the aliases that were given before. What is none is kept for {@link aliasFaults} to refuse. */
export function frozenAliases(given: ArgumentAliases, before: ArgumentAliases = {}): ArgumentAliases {
  const lists = Object.entries(Object(given) as ArgumentAliases).map(
    ([name, list]) => [name, Array.isArray(list) ? Object.freeze([...list]) : list] as const,
  )
  return isObject(given) ? Object.freeze({ ...before, ...Object.fromEntries(lists) }) : given
}

/** Aliases of what is no argument, and those that could mean two. */
export function aliasFaults(aliases: unknown, parameters: JsonSchema | undefined): DefinitionFault[] {
  if (aliases === undefined) return []
  if (!isObject(aliases)) return [{ path: 'aliases', message: mustList(aliases) }]
  const names = argumentNames(parameters)
  const meaning = new Map<unknown, string>()
  return Object.entries(aliases).flatMap(([name, list]) => {
    const path = `aliases/${name}`
    if (!names.includes(name)) return [{ path, message: unknownArgument(names) }]
    if (!Array.isArray(list)) return [{ path, message: mustList(list) }]
    return list.flatMap((alias: unknown) => {
      const fault = aliasFault(alias, names, meaning.get(alias))
      meaning.set(alias, name)
      return fault === undefined ? [] : [{ path, message: fault }]
    })
  })
}

/** The names of the arguments that a schema lists. */
export function argumentNames(parameters: JsonSchema | undefined): readonly string[] {
  const properties = parameters?.document.properties
  return isObject(properties) ? Object.keys(properties) : []
}

/** That a name is none of `names`, as the end of a sentence. */
export function unknownArgument(names: readonly string[]): string {
  return `is no argument; the arguments are: ${names.join(', ') || 'none'}`
}

function aliasFault(alias: unknown, names: readonly string[], other: string | undefined): string | undefined {
  if (typeof alias !== 'string' || alias === '') return `an alias must be a name (got ${describe(alias)})`
  if (names.includes(alias)) return `the alias ${quoteName(alias)} is the name of an argument`
  return other === undefined
    ? undefined
    : `the alias ${quoteName(alias)} stands for ${quoteName(other)} already`
}

function mustList(given: unknown): string {
  return `must list names, such as { city: ['location', 'town'] } (got ${describe(given)})`
}
