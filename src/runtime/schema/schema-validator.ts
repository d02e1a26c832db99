import type { ErrorObject } from 'ajv'
import type { JsonSchemaDocument } from '../../registry/json-schema.js'
import type { ValidationIssue } from '../../registry/validation-issue.js'
import { ValidationTooLargeError } from './schema-budget.js'
import { type CompiledSchema, type CompileOptions, compileForm } from './schema-compiler.js'
import { measureExpansion } from './schema-expansion.js'
import { schemaForm } from './schema-form.js'
import { validatedFormats } from './schema-formats.js'
import { type IssueWording, issuesOf } from './schema-issues.js'
import { issue } from './schema-messages.js'
import { SchemaParts } from './schema-parts.js'
import { readSchema, type SchemaFault } from './schema-rules.js'
import { SecretPlaces } from './schema-secrets.js'
import { mismatchesOf, type TypeMismatch } from './schema-type-mismatch.js'
import type { IssueContext } from './schema-union-issue.js'

export type { IssueWording } from './schema-issues.js'
export type { SchemaFault } from './schema-rules.js'
export type { TypeMismatch } from './schema-type-mismatch.js'

/** A compiled schema: the issues of a value, none when it is valid. The same empty list each time. */
export type Validate = (value: unknown) => readonly ValidationIssue[]

/** Where a value is of another type than the schema wants; none when it is valid, or too large to be listed. */
export type FindMismatches = (value: unknown) => readonly TypeMismatch[]

/** Parts of a value × schemas that one part may meet: what a validation may cost at most, about a second. */
const MAX_VALIDATION_WORK = 5_000_000
/** The same, up to which every error of a bad value is listed; beyond it only the first is. */
const MAX_LISTING_WORK = 100_000
/** Schemas that one part of a value may meet without its parts being counted: as in almost every tool. */
const NARROW = 20
const NO_ISSUES: readonly ValidationIssue[] = Object.freeze([])
const NO_MISMATCHES: readonly TypeMismatch[] = Object.freeze([])
const TOO_LARGE: readonly ValidationIssue[] = Object.freeze([
  issue('', 'size', 'the value is too large or too deeply nested to be checked against the schema'),
])

/** A schema that has faults, that the compiler refuses, or whose compiled code fails. */
export class SchemaCompileError extends Error {
  override readonly name = 'SchemaCompileError'
}

interface CompiledDocument {
  plain?: Compiled | SchemaCompileError
  withDefaults?: Compiled | SchemaCompileError
}

interface Compiled {
  readonly validate: Validate
  readonly validateAs: (value: unknown, wording: IssueWording) => readonly ValidationIssue[]
  readonly mismatches: FindMismatches
}

interface ValidateOptions {
  readonly applyDefaults?: boolean
  /** How issues speak of the value. Default: of arguments. */
  readonly wording?: IssueWording
}

/**
 * Checks and compiles schemas, each document (by identity) once; a validator lives as long as its
 * document, or until it is released.
 */
export class SchemaValidator {
  readonly #compiled = new WeakMap<JsonSchemaDocument, CompiledDocument>()

  /** The faults of a schema, at most ten. Takes microseconds; nothing is compiled and no validator is loaded. */
  check(schema: JsonSchemaDocument): readonly SchemaFault[] {
    return readSchema(schema).faults
  }

  /**
   * The validator of a schema. With `applyDefaults` it writes missing defaults into the value, wherever the value must
   * match the schema that holds them (not under `anyOf`, `oneOf`, `not`, `if`, `contains`; those under `allOf` come too
   * late for a `required` beside it); each is a fresh copy. Throws `SchemaCompileError`.
   */
  compile(schema: JsonSchemaDocument, { applyDefaults = false, wording }: ValidateOptions = {}): Validate {
    const { validate, validateAs } = this.#compile(schema, applyDefaults)
    return wording === undefined ? validate : (value) => validateAs(value, wording)
  }

  /** What finds the values of a wrong type, also in the branches of unions. Otherwise as `compile`. */
  mismatches(
    schema: JsonSchemaDocument,
    { applyDefaults = false }: Omit<ValidateOptions, 'wording'> = {},
  ): FindMismatches {
    return this.#compile(schema, applyDefaults).mismatches
  }

  /** Forgets the validators of a schema. */
  release(schema: JsonSchemaDocument): void {
    this.#compiled.delete(schema)
  }

  #compile(schema: JsonSchemaDocument, applyDefaults: boolean): Compiled {
    const compiled = this.#compiled.get(schema) ?? {}
    const kind = applyDefaults ? 'withDefaults' : 'plain'
    this.#compiled.set(schema, compiled)
    compiled[kind] ??= compile(schema, applyDefaults)
    if (compiled[kind] instanceof SchemaCompileError) throw compiled[kind]
    return compiled[kind]
  }
}

/** A refusal is kept as well, so that each call of a broken tool does not compile again. */
function compile(schema: JsonSchemaDocument, applyDefaults: boolean): Compiled | SchemaCompileError {
  const { dialect, references, faults } = readSchema(schema)
  const [fault] = faults
  if (fault !== undefined || dialect === undefined) {
    return new SchemaCompileError(`the schema is wrong at ${JSON.stringify(fault?.path)}: ${fault?.message}`)
  }
  const { fanOut, isRecursive } = measureExpansion(schema, dialect, references)
  const form = schemaForm(schema, {
    dialect,
    references,
    formats: validatedFormats(),
    keepDefaults: applyDefaults,
    countsMembers: isRecursive,
  })
  const compiler = (errors: CompileOptions['errors']) =>
    compileForm(form, { dialect, applyDefaults, isRecursive, errors })
  let first: CompiledSchema
  try {
    first = compiler('first')
  } catch (cause) {
    const error = new SchemaCompileError(`the schema does not compile: ${reasonOf(cause)}`, { cause })
    // A stack that is nearly full is no fault of the schema's: the next call may find more room.
    if (cause instanceof RangeError) throw error
    return error
  }
  let every: CompiledSchema | undefined
  const secrets = new SecretPlaces(schema, dialect, references)
  const context: IssueContext = {
    parts: new SchemaParts(form.document, dialect),
    isSecret: (path) => secrets.has(path),
  }

  /** Undefined when it would take too long, or fails: what is wrong is known already, if only in part. */
  function everyError(value: unknown): readonly ErrorObject[] | undefined {
    if (!isWithin(value, MAX_LISTING_WORK / fanOut)) return undefined
    try {
      every ??= compiler('every')
      return every(value)
    } catch {
      return undefined
    }
  }

  function validateAs(value: unknown, wording?: IssueWording): readonly ValidationIssue[] {
    try {
      if (fanOut > NARROW && !isWithin(value, MAX_VALIDATION_WORK / fanOut)) return TOO_LARGE
      const firstError = first(value)
      if (firstError.length === 0) return NO_ISSUES
      return issuesOf(everyError(value) ?? firstError, context, wording)
    } catch (error) {
      if (isTooLarge(error)) return TOO_LARGE
      // Whatever makes the code that Ajv generated throw, the value was not checked.
      throw new SchemaCompileError(`the compiled schema fails: ${reasonOf(error)}`, { cause: error })
    }
  }

  function mismatches(value: unknown): readonly TypeMismatch[] {
    const errors = everyError(value)
    return errors === undefined ? NO_MISMATCHES : mismatchesOf(errors, context.parts)
  }

  return { validate: (value) => validateAs(value), validateAs, mismatches }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Also a stack that is too small for the value (or, in V8, for a native pattern on it) is a matter of its size. */
function isTooLarge(error: unknown): boolean {
  return error instanceof ValidationTooLargeError || error instanceof RangeError
}

/** Whether a value has at most `limit` parts. */
function isWithin(value: unknown, limit: number): boolean {
  let left = limit
  const pending = [value]
  for (let part = pending.pop(); pending.length > 0 || part !== undefined; part = pending.pop()) {
    if (--left < 0 || pending.length > left) return false
    if (typeof part === 'object' && part !== null)
      for (const member of Object.values(part)) pending.push(member)
  }
  return true
}
