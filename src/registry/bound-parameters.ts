import { argumentNames, unknownArgument } from './argument-aliases.js'
import type { Awaitable } from './awaitable.js'
import { pointerTo, segmentsOf } from './json-pointer.js'
import type { JsonSchema, JsonSchemaDocument } from './json-schema.js'
import { describe, isObject, type JsonObject, type JsonValue } from './json-value.js'
import type { NoArguments } from './schema-inference.js'
import type { DefinitionFault } from './tool-definition-error.js'
import type { ToolExecutionContext } from './tool-execution-context.js'

/** Gives a parameter that the server sets. Nothing (`undefined`) means that there is none for this caller. */
export type ParameterSource<Value = unknown> = (ctx: ToolExecutionContext) => Awaitable<Value | undefined>

/** The parameters that the server sets, by name. */
export interface BoundParameters {
  readonly [name: string]: ParameterSource
}

/** What callers pass when the server sets the parameters of these names. */
export type Unbound<Input, Name extends string> = [Exclude<keyof Input, Name>] extends [never]
  ? NoArguments
  : { [Each in keyof Input as Each extends Name ? never : Each]: Input[Each] }

/** The schema that callers see: without what the server sets, and frozen as the whole one is. */
export function publishedDocument(
  document: JsonSchemaDocument,
  bound: BoundParameters | undefined,
): JsonSchemaDocument {
  const hidden = Object.keys(bound ?? {})
  if (hidden.length === 0) return document
  // How many members there must be counts the hidden ones in.
  const { minProperties: _min, maxProperties: _max, ...rest } = document
  const published = Object.entries(rest).flatMap(([keyword, value]) => {
    if (keyword === 'properties' || keyword === 'default') return [[keyword, without(value, hidden)]]
    if (keyword === 'examples' && Array.isArray(value))
      return [[keyword, Object.freeze(value.map((example) => without(example, hidden)))]]
    if (keyword !== 'required' || !Array.isArray(value)) return [[keyword, value]]
    const required = Object.freeze(value.filter((name) => !hidden.includes(String(name))))
    return required.length > 0 ? [[keyword, required]] : []
  })
  return Object.freeze(Object.fromEntries(published))
}

/** Parameters that cannot be bound, and places of the schema that would give away, or need, what is hidden. */
export function boundFaults(bound: unknown, parameters: JsonSchema | undefined): DefinitionFault[] {
  if (bound === undefined) return []
  if (!isObject(bound))
    return [{ path: 'bindParameters', message: `must be functions by name (got ${describe(bound)})` }]
  const names = argumentNames(parameters)
  const faults = Object.entries(bound).flatMap(([name, source]) => {
    const path = `bindParameters/${name}`
    if (!names.includes(name)) return [{ path, message: unknownArgument(names) }]
    return typeof source === 'function'
      ? []
      : [{ path, message: `must be a function (got ${describe(source)})` }]
  })
  if (faults.length > 0 || parameters === undefined) return faults
  return hidingFaults(parameters.document, Object.keys(bound))
}

function hidingFaults(document: JsonSchemaDocument, hidden: readonly string[]): DefinitionFault[] {
  const published = publishedDocument(
    document,
    Object.fromEntries(hidden.map((name) => [name, () => undefined])),
  )
  const named = [...besideProperties(published, published)].filter(({ name }) => hidden.includes(name))
  const properties = Object(document.properties) as JsonObject
  const gone = new Set(hidden.flatMap((name) => [...targetsIn(properties[name])]))
  const dangling = [...referencesIn(published, '')].filter(({ to }) => leadsInto(to, hidden, gone))
  return [
    ...named.map(({ name, path }) => ({
      path: `inputSchema${path}`,
      message: `names ${JSON.stringify(name)}, which the server sets: callers would be asked for what they cannot send`,
    })),
    ...dangling.map(({ to, path }) => ({
      path: `inputSchema${path}`,
      message: `${JSON.stringify(to)} leads into a parameter that the server sets, which is not published; move its target to $defs`,
    })),
  ]
}

const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else']
const BY_NAME = ['dependentRequired', 'dependentSchemas', 'dependencies']

/** The names that a schema of the arguments asks for elsewhere than in its own `properties` and `required`. */
function* besideProperties(
  schema: JsonValue,
  document: JsonSchemaDocument,
  path = '',
  followed = new Set<JsonValue>(),
): Generator<{ readonly name: string; readonly path: string }> {
  if (!isObject(schema)) return
  for (const { part, place } of partsOfSameValue(schema, document, path)) {
    if (!isObject(part) || followed.has(part)) continue
    followed.add(part)
    for (const name of namesOf(part.required)) yield { name, path: `${place}/required` }
    for (const name of Object.keys(Object(part.properties)))
      yield { name, path: pointerTo(`${place}/properties`, name) }
    yield* besideProperties(part, document, place, followed)
  }
  const { propertyNames } = schema
  if (isObject(propertyNames))
    for (const name of namesOf(propertyNames.enum)) yield { name, path: `${path}/propertyNames/enum` }
  for (const keyword of BY_NAME) {
    for (const [name, needs] of Object.entries(Object(schema[keyword]) as JsonObject)) {
      const place = pointerTo(`${path}/${keyword}`, name)
      for (const each of [name, ...namesOf(needs)]) yield { name: each, path: place }
      yield* besideProperties({ allOf: [needs] }, document, place, followed)
    }
  }
}

/** The schemas beside this one that hold for the same value, also where a reference leads. */
function* partsOfSameValue(
  schema: JsonObject,
  document: JsonSchemaDocument,
  path: string,
): Generator<{ readonly part: JsonValue | undefined; readonly place: string }> {
  for (const keyword of SAME_VALUE) {
    const value = schema[keyword]
    if (Array.isArray(value))
      for (const [index, part] of value.entries()) yield { part, place: `${path}/${keyword}/${index}` }
    else yield { part: value, place: `${path}/${keyword}` }
  }
  if (typeof schema.$ref !== 'string') return
  const [, fragment = ''] = schema.$ref.split('#', 2)
  const part = segmentsOf(decoded(fragment)).reduce<JsonValue | undefined>(
    (holder, name) => (Object.hasOwn(Object(holder), name) ? (holder as JsonObject)[name] : undefined),
    document,
  )
  yield { part, place: `${path}/$ref` }
}

function namesOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** References anywhere in a document, also inside an enum or a default: refusing too much is safe here. */
function* referencesIn(
  value: JsonValue,
  path: string,
): Generator<{ readonly to: string; readonly path: string }> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    const place = pointerTo(path, name)
    if ((name === '$ref' || name === '$dynamicRef') && typeof member === 'string')
      yield { to: member, path: place }
    else yield* referencesIn(member as JsonValue, place)
  }
}

/** The names by which a reference can lead into a schema. */
function* targetsIn(value: JsonValue | undefined): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (['$id', '$anchor', '$dynamicAnchor'].includes(name) && typeof member === 'string') yield member
    else yield* targetsIn(member as JsonValue)
  }
}

function leadsInto(reference: string, hidden: readonly string[], gone: ReadonlySet<string>): boolean {
  const [address = '', fragment = ''] = reference.split('#', 2)
  if (gone.has(address) || gone.has(fragment)) return true
  const [keyword, name] = segmentsOf(decoded(fragment))
  return keyword === 'properties' && name !== undefined && hidden.includes(name)
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function without(value: JsonValue, hidden: readonly string[]): JsonValue {
  if (!isObject(value)) return value
  return Object.freeze(
    Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.includes(name))),
  ) as JsonObject
}
