import type { ErrorObject } from 'ajv'
import type { SchemaParts } from './schema-parts.js'
import { type Finding, takeExplaining } from './schema-union-issue.js'

/** A value that stands where the schema, or a branch of a union that refused it, wants another type. */
export interface TypeMismatch {
  /** JSON Pointer (RFC 6901) into the value. */
  readonly path: string
  /** The types of JSON Schema that are wanted there. */
  readonly wanted: ReadonlySet<string>
  /** If only branches of a union want them: where that union is, the outermost one of several. */
  readonly union?: string
}

/** The mismatches that Ajv tells of. What `contains` looks for is not wanted of every item; a name is no value. */
export function mismatchesOf(errors: readonly ErrorObject[], parts: SchemaParts): readonly TypeMismatch[] {
  const findings: (Finding & { readonly union?: string })[] = []
  for (const error of errors) {
    if (error.keyword === 'contains' || error.keyword === 'propertyNames')
      takeExplaining(error, findings, parts)
    else if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      const union = error.instancePath
      for (const finding of takeExplaining(error, findings, parts)) findings.push({ ...finding, union })
    } else findings.push({ error })
  }
  const wanted = new Map<string, { readonly types: Set<string>; union: string | undefined }>()
  for (const { error, union } of findings) {
    if (error.keyword !== 'type' || error.propertyName !== undefined) continue
    const here = wanted.get(error.instancePath) ?? { types: new Set(), union }
    wanted.set(error.instancePath, here)
    for (const type of [error.params.type].flat()) here.types.add(String(type))
    // Of two unions it counts as the first's; where it is wanted in any case, as none's.
    if (union === undefined) here.union = undefined
  }
  return Array.from(wanted, ([path, { types, union }]) => ({
    path,
    wanted: types,
    ...(union !== undefined && { union }),
  }))
}
