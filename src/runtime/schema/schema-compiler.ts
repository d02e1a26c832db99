import { createRequire } from 'node:module'
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv'
import { createSafePattern } from './pattern/safe-pattern.js'
import { ValidationBudget } from './schema-budget.js'
import { dependencyKeywords } from './schema-dependencies.js'
import type { SchemaDialect } from './schema-dialect.js'
import type { SchemaForm } from './schema-form.js'
import { budgetedFormats } from './schema-formats.js'
import { budgetedKeywords } from './schema-keywords.js'
import { type MatchesReference, unevaluatedKeywords } from './schema-unevaluated.js'

/** Steps that one validation may take, about a tenth of a second. */
const MAX_VALIDATION_STEPS = 5_000_000
/** The same for listing every error. */
const MAX_LISTING_STEPS = 500_000
/** Generated code that runs in the time of one step, in characters, errors apart. */
const CODE_PER_STEP = 50
/** Steps in whose time an error is made; the branches of a union make them for valid values too. */
const STEPS_PER_ERROR = 25

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

/** What Ajv knows the form by. */
const FORM = 'form'
const NO_ERRORS: readonly ErrorObject[] = Object.freeze([])

const require = createRequire(import.meta.url)

/**
 * Compiles a schema with Ajv, which is loaded at first need. Each schema gets an Ajv of its own: without meta-schemas
 * that costs a quarter of a millisecond, and nothing of a schema stays behind anywhere when its function is let go.
 */
export function compileForm(form: SchemaForm, options: CompileOptions): CompiledSchema {
  const budget = new ValidationBudget(options.errors === 'every' ? MAX_LISTING_STEPS : MAX_VALIDATION_STEPS)
  // Each branch that is tested for `unevaluated…` is validated once more, so there too the value decides how much work there is.
  const ajv = createAjv({ ...options, isRecursive: options.isRecursive || form.usesUnevaluated }, budget)
  ajv.opts.ownProperties = form.namesInherited
  ajv.opts.unevaluated = false
  const keywords = [
    ...budgetedKeywords(require('ajv'), budget),
    ...dependencyKeywords(require('ajv'), budget),
  ]
  if (form.usesUnevaluated) {
    const matches = referenceTest(ajv)
    keywords.push(...unevaluatedKeywords(require('ajv'), { document: form.document, budget, matches }))
  }
  for (const definition of keywords) ajv.removeKeyword(String(definition.keyword)).addKeyword(definition)
  const validate = ajv.addSchema(form.document, FORM).getSchema(FORM)
  if (validate === undefined) throw new Error('Ajv does not know the schema that it was given')
  return (value) => {
    budget.refill()
    return validate(value) ? NO_ERRORS : takeErrors(validate)
  }
}

/** Tests by the definitions of the form in `ajv`: those that its function calls, and others compiled at first need. */
function referenceTest(ajv: Ajv): MatchesReference {
  const found = new Map<string, ValidateFunction>()

  function find(reference: string): ValidateFunction {
    const address = `${FORM}${reference}`
    const called = ajv.getSchema(FORM)?.schemaEnv?.refs[address]
    const compiled = called instanceof Object && 'validate' in called ? called.validate : undefined
    return (compiled as ValidateFunction | undefined) ?? ajv.compile({ $ref: address })
  }

  return (reference, value) => {
    const validate = found.get(reference) ?? find(reference)
    found.set(reference, validate)
    const isMatch = validate(value)
    validate.errors = null
    return isMatch
  }
}

/** Takes the errors away from the validator, which would otherwise hold on to the value. */
function takeErrors(validate: ValidateFunction): readonly ErrorObject[] {
  const errors = validate.errors ?? NO_ERRORS
  validate.errors = null
  return errors
}

function createAjv(
  { dialect, applyDefaults, errors, isRecursive }: CompileOptions,
  budget: ValidationBudget,
): Ajv {
  const is2020 = dialect.name === '2020-12'
  const Constructor: new (options: Options) => Ajv = is2020
    ? require('ajv/dist/2020.js').Ajv2020
    : require('ajv').Ajv
  const regExp = Object.assign(
    (source: string) => createSafePattern(source, (steps) => budget.spend(steps)),
    {
      code: 'createSafePattern',
    },
  )
  const ajv = new Constructor({
    allErrors: errors === 'every',
    useDefaults: applyDefaults,
    formats: budgetedFormats(budget),
    strict: false,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    logger: false,
    messages: false,
    verbose: true,
    code: {
      regExp,
      // Its optimiser is half of the compile, and V8 makes up for it.
      optimize: false,
      process: (code) => countSteps(code, isRecursive),
    },
  })
  return Object.assign(ajv, { budget })
}

const FIRST_STATEMENT = 'let vErrors = null;'
const ERROR_MADE = 'errors++;'

/**
 * Makes what Ajv generates take steps: for each error and, in a recursive schema, for each call,
 * the more the longer its code is.
 */
function countSteps(code: string, isRecursive: boolean): string {
  // What accepts or refuses everything has neither.
  if (code.includes('vErrors') && !code.includes(FIRST_STATEMENT))
    throw new Error('the code that Ajv generates has changed: steps cannot be counted')
  // Also inside a text of the schema neither would break it: they have no quotation marks.
  const call = isRecursive ? `budget.spend(${Math.ceil(code.length / CODE_PER_STEP)});` : ''
  const counted = code
    .replace(FIRST_STATEMENT, `${call}${FIRST_STATEMENT}`)
    .replaceAll(ERROR_MADE, `${ERROR_MADE}budget.spend(${STEPS_PER_ERROR});`)
  return `const { budget } = self;${counted}`
}
