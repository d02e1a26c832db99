import { isObject } from '../../registry/json-value.js'
import type { KeywordShape } from './schema-dialect.js'

const TYPES: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
])
const TYPE_LIST = '"string", "number", "integer", "boolean", "array", "object" or "null"'

/** A schema under a keyword. */
export interface Subschema {
  readonly schema: unknown
  /** The property or index that it stands under, where the keyword holds several. */
  readonly name?: string
}

/** The schemas that a keyword holds, in their order; none when its value is plain data. */
export function subschemasOf(shape: KeywordShape | undefined, value: unknown): readonly Subschema[] {
  switch (shape) {
    case 'schemaOrList':
      return subschemasOf(Array.isArray(value) ? 'schemaList' : 'schema', value)
    case 'schema':
      return [{ schema: value }]
    case 'schemaList':
    case 'schemaMap':
    case 'schemaOrNames': {
      const members = Object.entries(Object(value)).map(([name, schema]) => ({ schema, name }))
      return shape === 'schemaOrNames' ? members.filter(({ schema }) => !Array.isArray(schema)) : members
    }
    default:
      return []
  }
}

/** What is wrong with the value of a keyword itself, as the end of a sentence; undefined when nothing is. */
export function shapeFault(keyword: string, shape: KeywordShape, value: unknown): string | undefined {
  switch (shape) {
    case 'string':
    case 'reference':
    case 'pattern':
      return typeof value === 'string' ? undefined : 'must be a string'
    case 'number':
      return typeof value === 'number' ? undefined : 'must be a number'
    case 'positive':
      return typeof value === 'number' && value > 0 ? undefined : 'must be a number above 0'
    case 'count':
      return Number.isInteger(value) && Number(value) >= 0 ? undefined : 'must be an integer, 0 or more'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'names':
      return isNameList(value) ? undefined : 'must be a list of different property names'
    case 'namesMap':
      return isObject(value) && Object.values(value).every(isNameList)
        ? undefined
        : 'must map property names to lists of different property names'
    case 'types':
      return areTypes(value) ? undefined : `must be ${TYPE_LIST}, or a list of different ones`
    case 'list':
      if (!Array.isArray(value)) return 'must be a list'
      return keyword === 'enum' && value.length === 0 ? 'must list at least one value' : undefined
    case 'schemaOrList':
    case 'schemaList':
      if (shape === 'schemaOrList' && !Array.isArray(value)) return undefined
      return Array.isArray(value) && value.length > 0 ? undefined : 'must be a list of one schema or more'
    case 'schemaMap':
      return isObject(value) ? undefined : 'must be an object of schemas'
    case 'schemaOrNames':
      return isObject(value) && Object.values(value).every((item) => !Array.isArray(item) || isNameList(item))
        ? undefined
        : 'must map property names to schemas, or to lists of different property names'
    case 'schema':
    case 'any':
      return undefined
  }
}

/** Whether it is a list of strings that differ. */
function isNameList(value: unknown): value is readonly string[] {
  if (!Array.isArray(value)) return false
  return value.every((name) => typeof name === 'string') && new Set(value).size === value.length
}

function areTypes(value: unknown): boolean {
  if (!Array.isArray(value)) return TYPES.has(value)
  return value.length > 0 && new Set(value).size === value.length && value.every((type) => TYPES.has(type))
}
