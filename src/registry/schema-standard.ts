import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { describe } from './json-value.js'
import { SchemaError } from './schema-error.js'

/** A schema of another library that describes itself as JSON Schema: zod 4, arktype, valibot through its converter. */
export type StandardJsonSchema<Input = unknown, Output = unknown> = StandardJSONSchemaV1<Input, Output> &
  Partial<StandardSchemaV1<Input, Output>>

const TARGET = 'draft-2020-12'

/** Whether the value claims to be a Standard Schema of any kind. Types of arktype are functions. */
export function isStandard(value: unknown): value is { readonly '~standard': unknown } {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value
}

/** The JSON Schema of what callers pass, as its library gives it. */
export function standardDocument(schema: { readonly '~standard': unknown }): unknown {
  const standard = (schema['~standard'] ?? {}) as Partial<StandardJSONSchemaV1.Props>
  const vendor = JSON.stringify(standard.vendor ?? 'unknown vendor')
  if (typeof standard.jsonSchema?.input !== 'function') {
    throw new SchemaError(
      `The schema of ${vendor} does not describe itself as JSON Schema: it has no "~standard".jsonSchema.input. ` +
        'Use zod 4.2 or later, arktype 2.1.28 or later, toStandardJsonSchema() of @valibot/to-json-schema, or pass JSON Schema',
    )
  }
  try {
    return standard.jsonSchema.input({ target: TARGET })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : describe(cause)
    throw new SchemaError(
      `${vendor} cannot express the schema as JSON Schema ${TARGET}: ${reason}. Replace that part, or pass JSON Schema`,
      '',
      { cause },
    )
  }
}

/** The schema as a validator, if it is one: some describe only. */
export function standardValidator(schema: { readonly '~standard': unknown }): StandardSchemaV1 | undefined {
  const { validate } = schema['~standard'] as Partial<StandardSchemaV1.Props>
  return typeof validate === 'function' ? (schema as StandardSchemaV1) : undefined
}
