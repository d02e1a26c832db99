import { isObject } from '../../registry/json-value.js'
import { DEFINITION_KEYWORDS, SAME_VALUE_KEYWORDS, type SchemaDialect } from './schema-dialect.js'
import { type Subschema, subschemasOf } from './schema-keyword-shape.js'
import type { ResolvedReferences, SchemaObject } from './schema-references.js'

/** Schemas that one value may meet when every reference is written out; a recursion counts once. */
export const MAX_EXPANDED_SUBSCHEMAS = 20_000

/**
 * Schemas that lead to one another in a row, references followed: the compiler calls itself for each. A third of the
 * stack that Node gives by default is enough for as many.
 */
export const MAX_SCHEMA_CHAIN = 128

const ONE: SchemaExtent = { size: 1, fanOut: 1, depth: 1 }

interface SchemaExtent {
  /** Subschemas in all. */
  readonly size: number
  /** Subschemas that one part of a value may meet: of the properties of an object, only one applies to it. */
  readonly fanOut: number
  /** Subschemas in the longest row of them; a recursion counts once. */
  readonly depth: number
}

/** A schema that another applies, to the same value or to a part of it. */
export interface AppliedSchema extends Subschema {
  readonly keyword: string
}

/** What validating against a document may cost, its references written out. */
export interface SchemaExpansion extends SchemaExtent {
  /** Whether a schema can reach itself: then the value decides how much work there is. */
  readonly isRecursive: boolean
}

/** The schemas that `schema` applies directly: those of its keywords and those that it refers to. */
export function* appliedSchemas(
  schema: SchemaObject,
  dialect: SchemaDialect,
  references: ResolvedReferences,
): Generator<AppliedSchema> {
  const targets = references.get(schema)
  if (targets?.$ref !== undefined) yield { schema: targets.$ref, keyword: '$ref' }
  if (targets?.$dynamicRef !== undefined) yield { schema: targets.$dynamicRef, keyword: '$dynamicRef' }
  if (targets?.$ref !== undefined && dialect.name === 'draft-07') return
  for (const [keyword, value] of Object.entries(schema)) {
    if (DEFINITION_KEYWORDS.has(keyword)) continue
    for (const part of subschemasOf(dialect.keywords.get(keyword), value)) yield { ...part, keyword }
  }
}

/** Whether a keyword of `appliedSchemas` applies to the very value that its schema applies to. */
export function appliesToSameValue(keyword: string): boolean {
  return keyword === '$ref' || keyword === '$dynamicRef' || SAME_VALUE_KEYWORDS.has(keyword)
}

/** Why the document must not be compiled, although each of its parts may: it explodes, or never ends. */
export function expansionFault(
  document: SchemaObject,
  dialect: SchemaDialect,
  references: ResolvedReferences,
): string | undefined {
  if (references.size === 0) return undefined
  const { size, depth } = measureExpansion(document, dialect, references)
  if (depth > MAX_SCHEMA_CHAIN)
    return `the schema is nested deeper than ${MAX_SCHEMA_CHAIN} subschemas when its references are followed`
  if (size > MAX_EXPANDED_SUBSCHEMAS) {
    return `the schema has more than ${MAX_EXPANDED_SUBSCHEMAS} subschemas when its references are written out`
  }
  return isEndless(document, dialect, references)
    ? 'the schema refers to itself for the same value, so that validation would never end'
    : undefined
}

/** Visits each schema once and multiplies by how often it is reached, so that the measuring itself stays linear. */
export function measureExpansion(
  document: SchemaObject,
  dialect: SchemaDialect,
  references: ResolvedReferences,
): SchemaExpansion {
  const measured = new Map<unknown, SchemaExtent | undefined>()
  let isRecursive = false

  function measure(schema: unknown): SchemaExtent {
    if (!isObject(schema)) return ONE
    if (measured.has(schema)) {
      const known = measured.get(schema)
      isRecursive ||= known === undefined
      return known ?? ONE
    }
    measured.set(schema, undefined)
    let size = 1
    let shared = 1
    let widest = 0
    let deepest = 0
    for (const applied of appliedSchemas(schema, dialect, references)) {
      const part = measure(applied.schema)
      size += part.size
      deepest = Math.max(deepest, part.depth)
      if (applied.keyword === 'properties' || applied.keyword === 'prefixItems')
        widest = Math.max(widest, part.fanOut)
      else shared += part.fanOut
    }
    const total = {
      size: Math.min(size, Number.MAX_SAFE_INTEGER),
      fanOut: Math.min(shared + widest, Number.MAX_SAFE_INTEGER),
      depth: deepest + 1,
    }
    measured.set(schema, total)
    return total
  }

  return { ...measure(document), isRecursive }
}

function isEndless(document: SchemaObject, dialect: SchemaDialect, references: ResolvedReferences): boolean {
  const open = new Set<unknown>()
  const closed = new Set<unknown>()

  function returns(schema: unknown): boolean {
    if (!isObject(schema) || closed.has(schema)) return false
    if (open.has(schema)) return true
    open.add(schema)
    for (const { schema: applied, keyword } of appliedSchemas(schema, dialect, references)) {
      if (appliesToSameValue(keyword) && returns(applied)) return true
    }
    open.delete(schema)
    closed.add(schema)
    return false
  }

  return [document, ...references.keys()].some(returns)
}
