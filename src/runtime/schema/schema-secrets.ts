import { segmentsOf } from '../../registry/json-pointer.js'
import { isObject } from '../../registry/json-value.js'
import type { SchemaDialect } from './schema-dialect.js'
import { type AppliedSchema, appliedSchemas, appliesToSameValue } from './schema-expansion.js'
import type { ResolvedReferences, SchemaObject } from './schema-references.js'

/**
 * Levels down to which the schemas of a place are looked for; below, every place counts as
 * secret if any in the schema is.
 */
const MAX_LEVELS = 50

/**
 * Tells whether any schema that applies at a path of a value, or around it, marks it `writeOnly` or `format: password`:
 * such a value is never repeated in a message. In doubt, as under a pattern, every schema that might apply counts.
 */
export class SecretPlaces {
  readonly #document: SchemaObject
  readonly #dialect: SchemaDialect
  readonly #references: ResolvedReferences
  readonly #applied = new Map<SchemaObject, readonly AppliedSchema[]>()
  #hasAny: boolean | undefined

  constructor(document: SchemaObject, dialect: SchemaDialect, references: ResolvedReferences) {
    this.#document = document
    this.#dialect = dialect
    this.#references = references
  }

  has(path: string): boolean {
    this.#hasAny ??= this.#reached([this.#document], () => true).some(marksSecret)
    return this.#hasAny && this.#isMarked(path)
  }

  #isMarked(path: string): boolean {
    const segments = segmentsOf(path)
    if (segments.length > MAX_LEVELS) return true
    let here = this.#atSameValue([this.#document])
    for (const segment of segments) {
      if (here.some(marksSecret)) return true
      const parts = here.flatMap((schema) => this.#appliedBy(schema))
      here = this.#atSameValue(parts.filter((part) => mayApply(part, segment)).map(({ schema }) => schema))
    }
    return here.some(marksSecret)
  }

  #atSameValue(schemas: readonly unknown[]): readonly SchemaObject[] {
    return this.#reached(schemas, ({ keyword }) => appliesToSameValue(keyword))
  }

  #reached(
    schemas: readonly unknown[],
    isFollowed: (part: AppliedSchema) => boolean,
  ): readonly SchemaObject[] {
    const reached = new Set<SchemaObject>()
    const pending = [...schemas]
    for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
      if (!isObject(schema) || reached.has(schema)) continue
      reached.add(schema)
      for (const part of this.#appliedBy(schema)) if (isFollowed(part)) pending.push(part.schema)
    }
    return [...reached]
  }

  #appliedBy(schema: SchemaObject): readonly AppliedSchema[] {
    const known = this.#applied.get(schema) ?? [...appliedSchemas(schema, this.#dialect, this.#references)]
    this.#applied.set(schema, known)
    return known
  }
}

function mayApply({ keyword, name }: AppliedSchema, segment: string): boolean {
  if (appliesToSameValue(keyword) || keyword === 'propertyNames') return false
  return keyword !== 'properties' || name === segment
}

function marksSecret(schema: SchemaObject): boolean {
  return schema.writeOnly === true || schema.format === 'password'
}
