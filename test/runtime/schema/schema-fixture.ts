import type { JsonSchemaDocument } from '../../../src/registry/json-schema.js'
import type { ValidationIssue } from '../../../src/registry/validation-issue.js'
import { SchemaValidator, type Validate } from '../../../src/runtime/schema/schema-validator.js'

// biome-ignore lint/suspicious/noExplicitAny: schemas of every shape
export type Loose = any

export const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

/** Compiles a schema with a validator of its own. */
export function compile(schema: Loose, options?: { readonly applyDefaults?: boolean }): Validate {
  return new SchemaValidator().compile(deepFreeze(schema) as JsonSchemaDocument, options)
}

export function issues(schema: Loose, value: unknown): readonly ValidationIssue[] {
  return compile(schema)(value)
}

export function messages(schema: Loose, value: unknown): readonly string[] {
  return issues(schema, value).map(({ message }) => message)
}

export function isValid(schema: Loose, value: unknown): boolean {
  return issues(schema, value).length === 0
}
