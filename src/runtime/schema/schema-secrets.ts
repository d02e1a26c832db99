import { segmentsOf } from '../../registry/json-pointer.js'
import { isObject } from '../../registry/json-value.js'
import type { SchemaDialect } from './schema-dialect.js'
import { type AppliedSchema, appliedSchemas, appliesToSameValue } from './schema-expansion.js'
import type { ResolvedReferences, SchemaObject } from './schema-references.js'

/**
 * Whether any schema that applies at `path` of a value, or around it, marks it `writeOnly` or `format: password`: such a value is
 * never repeated in a message. In doubt, as under a pattern, every schema that might apply counts.
 */
export function isSecretPlace(
  path: string,
  document: SchemaObject,
  dialect: SchemaDialect,
  references: ResolvedReferences,
): boolean {
  let here = atSameValue([document])
  for (const segment of segmentsOf(path)) {
    if (here.some(marksSecret)) return true
    here = atSameValue(
      here.flatMap((schema) =>
        [...apply(schema)].filter((part) => mayApply(part, segment)).map((part) => part.schema),
      ),
    )
  }
  return here.some(marksSecret)

  function apply(schema: SchemaObject): Iterable<AppliedSchema> {
    return appliedSchemas(schema, dialect, references)
  }

  function atSameValue(schemas: readonly unknown[]): readonly SchemaObject[] {
    const reached = new Set<SchemaObject>()
    const pending = [...schemas]
    for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
      if (!isObject(schema) || reached.has(schema)) continue
      reached.add(schema)
      for (const part of apply(schema)) if (appliesToSameValue(part.keyword)) pending.push(part.schema)
    }
    return [...reached]
  }
}

function mayApply({ keyword, name }: AppliedSchema, segment: string): boolean {
  if (appliesToSameValue(keyword) || keyword === 'propertyNames') return false
  return keyword !== 'properties' || name === segment
}

function marksSecret(schema: SchemaObject): boolean {
  return schema.writeOnly === true || schema.format === 'password'
}
