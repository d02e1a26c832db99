import type { CallableDefinition } from '../registry/callable-definition.js'
import type { JsonSchemaDocument } from '../registry/json-schema.js'
import { ToolUnavailableError } from '../registry/tool-error.js'
import type { ArgumentPlan } from './arguments/argument-plan.js'
import type { FindMismatches, IssueWording, SchemaValidator, Validate } from './schema/schema-validator.js'

/** The validators of one definition. Each is compiled once; a schema that does not compile throws `TOOL_UNAVAILABLE`. */
export class DefinitionValidators {
  readonly #definition: CallableDefinition
  readonly #promised: JsonSchemaDocument | undefined
  readonly #validator: SchemaValidator
  readonly #plan: Pick<ArgumentPlan, 'byLibrary' | 'appliesDefaults'>
  #args: Validate | undefined
  #mismatches: FindMismatches | undefined
  #result: Validate | undefined

  /** Of the arguments of `definition`, and of what is `promised` to come of them. */
  constructor(
    definition: CallableDefinition,
    promised: JsonSchemaDocument | undefined,
    validator: SchemaValidator,
    plan: Pick<ArgumentPlan, 'byLibrary' | 'appliesDefaults'>,
  ) {
    this.#definition = definition
    this.#promised = promised
    this.#validator = validator
    this.#plan = plan
  }

  /** Both, before anything runs: nothing must act and then turn out to have a broken output schema. */
  compile(): void {
    // A schema library validates by itself.
    if (!this.#plan.byLibrary) this.#args ??= this.#compileArgs()
    this.compileResult()
  }

  /** All that a definition needs whose arguments its alternatives take. */
  compileResult(): void {
    if (this.#promised !== undefined) this.#result ??= this.#compileResult(this.#promised)
  }

  /** Checks arguments, and fills in their defaults where that is the schema's to do. */
  get args(): Validate {
    this.#args ??= this.#compileArgs()
    return this.#args
  }

  /** Finds the arguments of a wrong type, and fills in defaults as `args` does. */
  get mismatches(): FindMismatches {
    const { document } = this.#definition.parameters
    this.#mismatches ??= this.#compiled(() => this.#validator.mismatches(document, this.#defaults))
    return this.#mismatches
  }

  /** Checks what came of it, if it promises anything. */
  get result(): Validate | undefined {
    return this.#result
  }

  get #defaults() {
    return { applyDefaults: this.#plan.appliesDefaults }
  }

  #compileArgs(): Validate {
    // The whole schema, also what is hidden from callers.
    const { parameters, boundParameters = {} } = this.#definition
    const wording: IssueWording = { noun: 'argument', hidden: Object.keys(boundParameters) }
    return this.#compiled(() => this.#validator.compile(parameters.document, { ...this.#defaults, wording }))
  }

  #compileResult(schema: JsonSchemaDocument): Validate {
    return this.#compiled(() => this.#validator.compile(schema, { wording: RESULT }))
  }

  #compiled<T>(compile: () => T): T {
    try {
      return compile()
    } catch (cause) {
      throw new ToolUnavailableError(this.#definition.name, 'its schema does not compile', {
        cause,
        kind: this.#definition.kind,
      })
    }
  }
}

const RESULT: IssueWording = Object.freeze({ noun: 'property' })
