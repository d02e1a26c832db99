import { pointerTo } from '../../registry/json-pointer.js'
import type { JsonSchemaDocument } from '../../registry/json-schema.js'
import { isObject, type JsonValue } from '../../registry/json-value.js'
import { violation } from '../../registry/schema-violation.js'
import { dialectOf } from './schema-dialect.js'
import { subschemasOf } from './schema-keyword-shape.js'
import { MAX_FAULTS, type SchemaFault } from './schema-rules.js'

/** Keywords below which no default is written into arguments, or none of their own. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  ...['anyOf', 'oneOf', 'not', 'if', 'contains', 'propertyNames'],
  ...['$defs', 'definitions', 'contentSchema'],
])
/** Values of one default that are looked at; a larger one meets its schema at the first call. */
const MAX_LENGTH = 10_000

/**
 * The defaults that would be written into arguments and then refused there, so that a caller who left one out could not see
 * why. In microseconds, without the validator: formats, patterns and references are left to the first call.
 */
export function defaultFaults(document: JsonSchemaDocument): readonly SchemaFault[] {
  const dialect = dialectOf(document.$schema)
  const faults: SchemaFault[] = []
  const pending: { readonly schema: unknown; readonly path: string }[] = [{ schema: document, path: '' }]
  for (let one = pending.pop(); one !== undefined && dialect !== undefined; one = pending.pop()) {
    const { schema, path } = one
    if (!isObject(schema)) continue
    const fault = 'default' in schema ? faultOf(schema as JsonSchemaDocument) : undefined
    if (fault !== undefined)
      faults.push({ path: pointerTo(path, 'default'), message: `the default ${fault}` })
    if (faults.length >= MAX_FAULTS) break
    for (const [keyword, value] of Object.entries(schema)) {
      if (PASSED_OVER.has(keyword)) continue
      const place = pointerTo(path, keyword)
      for (const { name, schema: part } of subschemasOf(dialect.keywords.get(keyword), value))
        pending.push({ schema: part, path: name === undefined ? place : pointerTo(place, name) })
    }
  }
  return faults
}

function faultOf({ default: value, ...schema }: JsonSchemaDocument): string | undefined {
  const text = JSON.stringify(value)
  if (value === undefined || text.length > MAX_LENGTH) return undefined
  return violation(withoutPatterns(value), withoutPatterns(schema))
}

/** A pattern of a stranger is not run by the engine of the language. In the value as well, so that an enum still fits. */
function withoutPatterns(value: JsonValue): JsonValue {
  const kept = (name: string, member: unknown) =>
    name === 'pattern' && typeof member === 'string' ? undefined : member
  return JSON.parse(JSON.stringify(value, kept)) as JsonValue
}
