import type { Awaitable } from './awaitable.js'
import type { JsonSchemaDocument } from './json-schema.js'
import { describe, isObject } from './json-value.js'
import type { DefinitionFault } from './tool-definition-error.js'
import type { ToolExecutionContext } from './tool-execution-context.js'
import type { ValidationIssue } from './validation-issue.js'

/** The steps that arguments pass, in this order; before them they are parsed and copied, after them deeply frozen. */
export const ARGUMENT_STEPS = ['repair', 'aliases', 'bound', 'coercion', 'defaults', 'validation'] as const

/** A step that arguments pass on their way to the executor; see {@link ArgumentSteps}. */
export type ArgumentStepName = (typeof ARGUMENT_STEPS)[number]

/** What a step of your own is told beside the arguments. */
export interface ArgumentStepContext {
  readonly ctx: ToolExecutionContext
  /** The whole schema, with the parameters that are hidden from callers. */
  readonly schema: JsonSchemaDocument
}

/** The arguments so far: a private copy, plain JSON, to be changed at will. */
export type MutableArguments = Record<string, unknown>

/** A step of your own. Returns the arguments, which must be plain JSON. May throw `InvalidArgumentsError`. */
export type ArgumentStep = (args: MutableArguments, step: ArgumentStepContext) => Awaitable<MutableArguments>

/** A validation of your own. Returns what is wrong, an empty list if nothing is. */
export type ArgumentValidation = (
  args: MutableArguments,
  step: ArgumentStepContext,
) => Awaitable<readonly ValidationIssue[]>

/**
 * What becomes of each step: `true` runs the built-in one (the default), `false` none, a function runs in its place.
 *
 * With a schema of another library (zod, valibot, arktype) the defaults are that library's and cannot be switched off; where
 * `validation` is not the built-in one, its JSON Schema stands in for it.
 */
export interface ArgumentSteps {
  /** JSON text becomes the object or array that the schema wants in its place. */
  readonly repair?: boolean | ArgumentStep
  /** Other names of an argument (`.aliases(…)`) become its name. */
  readonly aliases?: boolean | ArgumentStep
  /** What the server sets (`.bindParameters(…)`) is set, and refused where the caller sends it, that also with `false`. */
  readonly bound?: boolean | ArgumentStep
  /** Text becomes the number or boolean, and an integer the text, that the schema wants, if nothing is lost by it. */
  readonly coercion?: boolean | ArgumentStep
  /** What is missing gets the default of its schema. */
  readonly defaults?: boolean | ArgumentStep
  /** The schema is held against the arguments. Without it an executor gets whatever a caller sends. */
  readonly validation?: boolean | ArgumentValidation
}

/** Why `steps` cannot be what becomes of each step. */
export function argumentStepFaults(steps: unknown, place: string): DefinitionFault[] {
  if (steps === undefined) return []
  if (!isObject(steps))
    return [{ path: place, message: `must be an object of steps (got ${describe(steps)})` }]
  return Object.entries(steps).flatMap(([name, step]) => {
    if (!ARGUMENT_STEPS.some((known) => known === name))
      return [
        { path: `${place}/${name}`, message: `is no step; the steps are: ${ARGUMENT_STEPS.join(', ')}` },
      ]
    if (step === undefined || typeof step === 'boolean' || typeof step === 'function') return []
    return [
      { path: `${place}/${name}`, message: `must be true, false or a function (got ${describe(step)})` },
    ]
  })
}
