import type { ErrorObject } from 'ajv'
import type { SchemaParts } from './schema-parts.js'
import { type Finding, takeExplaining } from './schema-union-issue.js'

/** A value that stands where the schema, or a branch of a union that refused it, wants another type. */
export interface TypeMismatch {
  /** JSON Pointer (RFC 6901) into the value. */
  readonly path: string
  /** The types of JSON Schema that are wanted there. */
  readonly wanted: ReadonlySet<string>
}

/** The mismatches that Ajv tells of. What `contains` looks for is not wanted of every item; a name is no value. */
export function mismatchesOf(errors: readonly ErrorObject[], parts: SchemaParts): readonly TypeMismatch[] {
  const findings: Finding[] = []
  for (const error of errors) {
    if (error.keyword === 'contains' || error.keyword === 'propertyNames')
      takeExplaining(error, findings, parts)
    else findings.push({ error })
  }
  const wanted = new Map<string, Set<string>>()
  for (const { error } of findings) {
    if (error.keyword !== 'type' || error.propertyName !== undefined) continue
    const types = wanted.get(error.instancePath) ?? new Set()
    wanted.set(error.instancePath, types)
    for (const type of [error.params.type].flat()) types.add(String(type))
  }
  return Array.from(wanted, ([path, types]) => ({ path, wanted: types }))
}
