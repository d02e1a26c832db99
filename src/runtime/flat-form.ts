import type { JsonSchemaDocument } from '../registry/json-schema.js'
import { isObject } from '../registry/json-value.js'

const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean']

/**
 * Throws a `TypeError` for a form that MCP does not allow (2025-11-25 "Elicitation", `requestedSchema`): an object of
 * fields that are strings, numbers, booleans, or lists of choices. Clients refuse others as a whole.
 */
export function requireFlatForm({ type, properties = {} }: JsonSchemaDocument): void {
  if (type !== 'object' || !isObject(properties))
    throw new TypeError('The schema of a question must be an object')
  for (const [name, property] of Object.entries(properties)) {
    if (isObject(property) && (TYPES.includes(property.type) || isChoice(property))) continue
    throw new TypeError(
      `The field ${JSON.stringify(name)} of a question must be a string, a number, a boolean, or a list of choices`,
    )
  }
}

function isChoice({ type, items }: Readonly<Record<string, unknown>>): boolean {
  return type === 'array' && isObject(items) && (Array.isArray(items.enum) || Array.isArray(items.anyOf))
}
