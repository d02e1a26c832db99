import type { CallableDefinition } from '../registry/callable-definition.js'
import type { JsonSchemaDocument } from '../registry/json-schema.js'
import { ToolUnavailableError } from '../registry/tool-error.js'
import type { SchemaValidator, Validate } from './schema/schema-validator.js'

/** The validators of one definition. Each is compiled once; a schema that does not compile throws `TOOL_UNAVAILABLE`. */
export class DefinitionValidators {
  readonly #definition: CallableDefinition
  readonly #validator: SchemaValidator
  #args: Validate | undefined
  #result: Validate | undefined

  constructor(definition: CallableDefinition, validator: SchemaValidator) {
    this.#definition = definition
    this.#validator = validator
  }

  /** Both, before anything runs: nothing must act and then turn out to have a broken output schema. */
  compile(): void {
    const { parameters, inputSchema, outputSchema } = this.#definition
    // A schema library validates by itself.
    if (parameters.standard === undefined) this.#args ??= this.#compile(inputSchema, { applyDefaults: true })
    if (outputSchema !== undefined) this.#result ??= this.#compile(outputSchema)
  }

  /** Checks arguments, and fills in their defaults. */
  get args(): Validate {
    this.#args ??= this.#compile(this.#definition.inputSchema, { applyDefaults: true })
    return this.#args
  }

  /** Checks what came of it, if it promises anything. */
  get result(): Validate | undefined {
    return this.#result
  }

  #compile(schema: JsonSchemaDocument, options?: { readonly applyDefaults: boolean }): Validate {
    try {
      return this.#validator.compile(schema, options)
    } catch (cause) {
      throw new ToolUnavailableError(this.#definition.name, 'its schema does not compile', {
        cause,
        kind: this.#definition.kind,
      })
    }
  }
}
