import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { MutableArguments } from '../../registry/argument-steps.js'
import { type Awaitable, andThen } from '../../registry/awaitable.js'
import type { CallableDefinition } from '../../registry/callable-definition.js'
import { InvalidArgumentsError, ToolError } from '../../registry/tool-error.js'
import type { ValidationIssue } from '../../registry/validation-issue.js'
import type { DefinitionValidators } from '../definition-validators.js'
import { isNumeric, UNSAFE_INTEGER } from '../schema/schema-messages.js'
import { type ConversionOutcome, convertArguments, read } from './argument-conversion.js'
import type { ArgumentPlan } from './argument-plan.js'
import type { Preparation } from './argument-stage.js'
import { boundFailure } from './bound-stage.js'
import { freezeGraph, freezeTree } from './deep-freeze.js'
import { libraryIssues, ownIssues } from './issue-list.js'
import { isUnsafeInteger } from './scalar-conversion.js'

/**
 * The last steps, which the schema decides on together: repair and coercion of what it refuses, its defaults, and whether
 * the arguments are valid. Gives what the executor gets, deeply frozen.
 */
export class ArgumentsCheck {
  readonly #definition: CallableDefinition
  readonly #validators: DefinitionValidators
  readonly #plan: ArgumentPlan

  constructor(definition: CallableDefinition, validators: DefinitionValidators, plan: ArgumentPlan) {
    this.#definition = definition
    this.#validators = validators
    this.#plan = plan
  }

  run(args: MutableArguments, preparation: Preparation): Awaitable<unknown> {
    const { uses, byLibrary } = this.#plan
    const { standard } = this.#definition.parameters
    if (byLibrary && standard !== undefined) return this.#byLibrary(standard, args, preparation)
    const issues = this.#bySchema(args, preparation)
    if (uses.validation === true) {
      if (issues.length > 0) throw this.#refusal(issues, args)
      return freezeTree(args)
    }
    if (uses.validation === false) return freezeTree(args)
    const step = { ctx: preparation.ctx, schema: this.#definition.parameters.document }
    return andThen(uses.validation(args, step), (returned: unknown) => {
      const own = ownIssues(returned)
      if (own.length > 0) throw this.#refusal(own, args)
      return freezeGraph(args)
    })
  }

  /** What is valid is not converted. */
  #bySchema(args: MutableArguments, preparation: Preparation): readonly ValidationIssue[] {
    const { uses } = this.#plan
    if (![uses.repair, uses.coercion, uses.defaults, uses.validation].includes(true)) return []
    const issues = this.#validators.args(args)
    if (issues.length === 0 || !this.#convert(args, preparation).converted) return issues
    return this.#validators.args(args)
  }

  /** The library's own validation, once more after what its JSON Schema allows to convert. */
  #byLibrary(
    library: StandardSchemaV1,
    args: MutableArguments,
    preparation: Preparation,
  ): Awaitable<unknown> {
    const validate = (refused: (issues: readonly StandardSchemaV1.Issue[]) => Awaitable<unknown>) =>
      andThen(library['~standard'].validate(args), (result) =>
        result.issues === undefined ? freezeGraph(result.value) : refused(result.issues),
      )
    return validate((issues) => {
      const { converted, left } = this.#convertByDocument(args, preparation)
      const refuse = (told: readonly StandardSchemaV1.Issue[]): never => {
        throw this.#refusal(
          libraryIssues(told, (path) => hintAt(path, args, left)),
          args,
        )
      }
      return converted ? validate(refuse) : refuse(issues)
    })
  }

  /** A JSON Schema that cannot be compiled converts nothing: its library validates all the same. */
  #convertByDocument(args: MutableArguments, preparation: Preparation): ConversionOutcome {
    try {
      return this.#convert(args, preparation)
    } catch (error) {
      if (ToolError.is(error)) return NOTHING_CONVERTED
      throw error
    }
  }

  #convert(args: MutableArguments, { copy }: Preparation): ConversionOutcome {
    const { uses } = this.#plan
    const { boundParameters = {} } = this.#definition
    if (uses.repair !== true && uses.coercion !== true) return NOTHING_CONVERTED
    const rules = {
      repair: uses.repair === true,
      coercion: uses.coercion === true,
      isBound: (name: string) => Object.hasOwn(boundParameters, name),
    }
    const { mismatches } = this.#validators
    const isValid = (converted: MutableArguments) => this.#validators.args(converted).length === 0
    return convertArguments(args, { mismatches, isValid }, rules, copy)
  }

  #refusal(issues: readonly ValidationIssue[], args: MutableArguments): ToolError {
    return (
      boundFailure(this.#definition, issues, args) ?? new InvalidArgumentsError(this.#definition.name, issues)
    )
  }
}

const NOTHING_CONVERTED: ConversionOutcome = { converted: false, left: [] }

/** A library says that text is no number; that it is the text of one, and why it is not taken, only we know. */
function hintAt(path: string, args: MutableArguments, left: ConversionOutcome['left']): string {
  const wantsNumber = left.some((mismatch) => mismatch.path === path && [...mismatch.wanted].some(isNumeric))
  return wantsNumber && isUnsafeInteger(read(args, path)) ? ` (the text is ${UNSAFE_INTEGER})` : ''
}
