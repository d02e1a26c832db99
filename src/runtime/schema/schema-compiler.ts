import { createRequire } from 'node:module'
import type { Ajv, ErrorObject, Format, Options, ValidateFunction } from 'ajv'
import { MULTIPLE_OF_DIGITS } from '../../registry/schema-violation.js'
import { createSafePattern } from './pattern/safe-pattern.js'
import type { SchemaDialect } from './schema-dialect.js'
import { equalityKeywords } from './schema-equality.js'
import type { SchemaForm } from './schema-form.js'

/** Function calls that one validation against a recursive schema may take. */
const MAX_VALIDATION_STEPS = 100_000
/** The same for listing every error. */
const MAX_LISTING_STEPS = 10_000

/** How a schema is compiled. */
export interface CompileOptions {
  readonly dialect: SchemaDialect
  readonly applyDefaults: boolean
  /** What is told of a bad value: its first error, or every one. */
  readonly errors: 'first' | 'every'
  /** The schema can reach itself: then what a value may cost is counted while it is validated. */
  readonly isRecursive: boolean
}

/** A compiled schema: the errors of a value, none when it is valid. They hold parts of the value. */
export type CompiledSchema = (value: unknown) => readonly ErrorObject[]

/** Thrown while validating, when a value would cost too much. */
export class ValidationTooLargeError extends Error {
  override readonly name = 'ValidationTooLargeError'
}

/** Characters of the longest URL that the format `url` takes: its expression is quadratic. */
const MAX_URL_LENGTH = 2_048

const NO_ERRORS: readonly ErrorObject[] = Object.freeze([])

const require = createRequire(import.meta.url)
let formats: Readonly<Record<string, Format>> | undefined

/** The formats that are validated: those of ajv-formats, in full. Loaded at first need. */
export function validatedFormats(): Readonly<Record<string, Format>> {
  formats ??= loadFormats()
  return formats
}

/**
 * Compiles a schema with Ajv, which is loaded at first need. Each schema gets an Ajv of its own: without meta-schemas that costs a
 * quarter of a millisecond, and nothing of a schema stays behind anywhere when its function is let go.
 */
export function compileForm(form: SchemaForm, options: CompileOptions): CompiledSchema {
  const budget = { left: 0 }
  const ajv = createAjv(options, budget)
  ajv.opts.ownProperties = form.namesInherited
  if (!form.usesUnevaluated) ajv.opts.unevaluated = false
  if (form.comparesDeeply) {
    for (const definition of equalityKeywords())
      ajv.removeKeyword(String(definition.keyword)).addKeyword(definition)
  }
  const validate = ajv.compile(form.document)
  const steps = options.errors === 'every' ? MAX_LISTING_STEPS : MAX_VALIDATION_STEPS
  return (value) => {
    budget.left = steps
    return validate(value) ? NO_ERRORS : takeErrors(validate)
  }
}

/** Takes the errors away from the validator, which would otherwise hold on to the value. */
function takeErrors(validate: ValidateFunction): readonly ErrorObject[] {
  const errors = validate.errors ?? NO_ERRORS
  validate.errors = null
  return errors
}

interface Budget {
  left: number
}

function createAjv({ dialect, applyDefaults, errors, isRecursive }: CompileOptions, budget: Budget): Ajv {
  const is2020 = dialect.name === '2020-12'
  const Constructor: new (options: Options) => Ajv = is2020
    ? require('ajv/dist/2020.js').Ajv2020
    : require('ajv').Ajv
  const regExp = Object.assign((source: string) => createSafePattern(source), { code: 'createSafePattern' })
  const ajv = new Constructor({
    allErrors: errors === 'every',
    useDefaults: applyDefaults,
    formats: { ...validatedFormats() },
    strict: false,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    logger: false,
    messages: false,
    verbose: true,
    multipleOfPrecision: MULTIPLE_OF_DIGITS,
    code: {
      regExp,
      // Its optimiser is half of the compile, and V8 makes up for it.
      optimize: false,
      ...(isRecursive ? { process: countSteps } : {}),
    },
  })
  return Object.assign(ajv, { budget, spent })
}

const FIRST_STATEMENT = 'let vErrors = null;'

/** Makes each compiled function take a step from the budget when it is called. */
function countSteps(code: string): string {
  if (!code.includes(FIRST_STATEMENT))
    throw new Error('the code that Ajv generates has changed: steps cannot be counted')
  const counted = code.replace(FIRST_STATEMENT, `if (budget.left-- <= 0) spent();${FIRST_STATEMENT}`)
  return `const { budget, spent } = self;${counted}`
}

function spent(): never {
  throw new ValidationTooLargeError('the value takes too many steps to validate')
}

function loadFormats(): Readonly<Record<string, Format>> {
  const { fullFormats }: typeof import('ajv-formats/dist/formats.js') = require('ajv-formats/dist/formats.js')
  const { url } = fullFormats
  return {
    ...fullFormats,
    url: (text: string) => text.length <= MAX_URL_LENGTH && url instanceof RegExp && url.test(text),
  }
}
