import type { JsonObject, JsonValue } from './json-value.js'
import { violation } from './schema-violation.js'

/** What in the schema contradicts itself, as a sentence, or undefined. */
export function contradiction(document: JsonObject): string | undefined {
  return emptyRange(document) ?? excludedChoice(document) ?? defaultViolation(document)
}

/** Why the default, or an example, does not fit the schema that it stands in, as a sentence, or undefined. */
export function defaultViolation(document: JsonObject): string | undefined {
  const { default: value, examples, ...rest } = document
  const refused = value === undefined ? undefined : refusal('default', value, rest)
  return refused ?? firstRefusal('example', examples, rest)
}

function emptyRange(document: JsonObject): string | undefined {
  return (
    crossed(document, 'minLength', 'maxLength') ??
    crossed(document, 'minItems', 'maxItems') ??
    crossed(document, 'minimum', 'maximum') ??
    crossed(document, 'exclusiveMinimum', 'maximum', true) ??
    crossed(document, 'minimum', 'exclusiveMaximum', true) ??
    crossed(document, 'exclusiveMinimum', 'exclusiveMaximum', true)
  )
}

function crossed(
  document: JsonObject,
  lower: string,
  upper: string,
  isExclusive = false,
): string | undefined {
  const low = document[lower]
  const high = document[upper]
  if (typeof low !== 'number' || typeof high !== 'number') return undefined
  if (isExclusive ? low < high : low <= high) return undefined
  return `${lower} ${low} and ${upper} ${high} leave no value`
}

function excludedChoice({ default: _, examples: __, ...document }: JsonObject): string | undefined {
  const constant = document.const
  const refused = constant === undefined ? undefined : refusal('const', constant, document)
  return refused ?? firstRefusal('enum value', document.enum, document)
}

function firstRefusal(role: string, values: JsonValue | undefined, schema: JsonObject): string | undefined {
  if (!Array.isArray(values)) return undefined
  for (const value of values) {
    const refused = refusal(role, value, schema)
    if (refused !== undefined) return refused
  }
  return undefined
}

function refusal(role: string, value: JsonValue, schema: JsonObject): string | undefined {
  const problem = violation(value, schema)
  return problem && `the ${role} ${JSON.stringify(value)} ${problem}`
}
