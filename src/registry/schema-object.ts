import { pointerTo } from './json-pointer.js'
import { describe, isObject, isPlain, type JsonObject, setMember } from './json-value.js'
import { propertyDocument } from './schema-built-property.js'
import { SchemaError } from './schema-error.js'

/** How an object schema treats names: which must be there, and whether unknown ones may. */
export interface ObjectOptions<Required extends string = string, Open extends boolean = boolean> {
  readonly required?: readonly Required[]
  /** Whether names that the schema does not list are let through; false by default. */
  readonly additionalProperties?: Open
}

/** The object schema of properties by name. */
export function objectDocument(properties: object, options: ObjectOptions = {}): JsonObject {
  if (typeof properties !== 'object' || properties === null || !isBare(properties)) {
    throw new SchemaError(
      `properties must be an object literal, with a property called "__proto__" written as ['__proto__'] (got ${describe(properties)})`,
    )
  }
  const documents = new Map<string, JsonObject>()
  for (const [name, property] of Object.entries(properties)) documents.set(name, propertyOf(name, property))
  return assembleObject(documents, options.required ?? [], options.additionalProperties ?? false)
}

/** The object schema of finished property schemas, in their order. */
export function assembleObject(
  documents: ReadonlyMap<string, JsonObject>,
  required: readonly string[],
  additionalProperties: boolean,
): JsonObject {
  if (typeof additionalProperties !== 'boolean') {
    throw new SchemaError(
      `additionalProperties must be true or false (got ${describe(additionalProperties)})`,
    )
  }
  for (const name of required) requireKnown(name, documents)
  const properties: Record<string, JsonObject> = {}
  for (const [name, document] of documents) setMember(properties, name, document)
  return {
    type: 'object',
    ...(documents.size > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
    additionalProperties,
  }
}

/** Throws unless `name` is one of the properties. */
export function requireKnown(name: string, documents: ReadonlyMap<string, JsonObject>): void {
  if (documents.has(name)) return
  const known = [...documents.keys()].map((each) => JSON.stringify(each)).join(', ') || 'none'
  throw new SchemaError(
    `Required property ${JSON.stringify(name)} does not exist; the properties are: ${known}`,
  )
}

/**
 * The schema of the property called `name`. Throws a `SchemaError` with its place if
 * `property` is not a `SchemaProperty`.
 */
export function propertyOf(name: string, property: unknown): JsonObject {
  return propertyDocument(property, pointerTo('/properties', name))
}

/** The document of a whole schema that is to stand inside another. */
export function nestedDocument(schema: {
  readonly document?: unknown
  readonly standard?: unknown
}): JsonObject {
  const document = schema.document as JsonObject | undefined
  if (!isObject(document) || document.type !== 'object') {
    throw new SchemaError(
      `A nested object needs properties or a JsonSchema of type "object" (got ${describe(schema)})`,
    )
  }
  if (schema.standard !== undefined) {
    throw new SchemaError(
      'A schema with its own validation cannot be nested: its validate() would not run. Nest it in its own library',
    )
  }
  const reference = findReference(document, '')
  if (reference !== undefined) {
    throw new SchemaError('A schema with references cannot be nested: they would point elsewhere', reference)
  }
  return document
}

// `{ __proto__: property }` sets the prototype: the property would be lost without a word.
function isBare(properties: object): boolean {
  return isPlain(properties) && !Array.isArray(properties)
}

const REFERENCES = ['$id', '$ref', '$dynamicRef', '$recursiveRef', '$schema']

// Looks at any member of that name, also at one inside an enum or a default: refusing too much is safe here.
function findReference(value: unknown, pointer: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const place = pointerTo(pointer, name)
    if (REFERENCES.includes(name) && typeof member === 'string') return place
    const inside = findReference(member, place)
    if (inside !== undefined) return inside
  }
  return undefined
}
