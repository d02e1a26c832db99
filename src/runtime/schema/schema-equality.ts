import type { FuncKeywordDefinition } from 'ajv'
import { isObject } from '../../registry/json-value.js'

/**
 * `uniqueItems`, `enum` and `const` by JSON equality, in place of Ajv's: those are quadratic on lists of objects, and call whatever
 * function-like property (`valueOf`) a value brings along.
 */
export function equalityKeywords(): readonly FuncKeywordDefinition[] {
  return [
    {
      keyword: 'uniqueItems',
      type: 'array',
      schemaType: 'boolean',
      compile: (unique, parentSchema) => (unique ? hasUniqueItems(parentSchema) : accept),
    },
    { keyword: 'enum', schemaType: 'array', compile: (values: readonly unknown[]) => isOneOf(values) },
    { keyword: 'const', compile: (value) => isOneOf([value]) },
  ]
}

type Validate = ((value: unknown) => boolean) & { errors?: object[] }

function accept(): boolean {
  return true
}

function hasUniqueItems(parentSchema: object): Validate {
  const validate: Validate = (items) => {
    const seen = new Map<unknown, number>()
    for (const [index, item] of (items as readonly unknown[]).entries()) {
      const identity = identityOf(item)
      const first = seen.get(identity)
      if (first !== undefined) {
        validate.errors = [{ keyword: 'uniqueItems', params: { i: first, j: index }, parentSchema }]
        return false
      }
      seen.set(identity, index)
    }
    return true
  }
  return validate
}

function isOneOf(values: readonly unknown[]): Validate {
  const identities = new Set(values.map(identityOf))
  return (value) => identities.has(identityOf(value))
}

/** The same for equal JSON values only. The mark keeps a string from posing as an object. */
function identityOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null
    ? `\u0000${canonical(value)}`
    : typeof value === 'string'
      ? `s${value}`
      : value
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}
