import { ARGUMENT_STEPS, type ArgumentStepName, type ArgumentSteps } from '../../registry/argument-steps.js'
import type { CallableDefinition } from '../../registry/callable-definition.js'

/** A step of a definition's arguments, and who says what it does. */
export interface PlannedStep {
  readonly step: ArgumentStepName
  readonly from: 'built-in' | 'off' | 'runtime' | 'tool'
}

/** What becomes of the arguments of one definition. */
export interface ArgumentPlan {
  readonly uses: Required<ArgumentSteps>
  readonly steps: readonly PlannedStep[]
  /** The library that the schema comes from validates; otherwise the JSON Schema does. */
  readonly byLibrary: boolean
  /** The JSON Schema fills in its defaults. */
  readonly appliesDefaults: boolean
}

/** What a tool says of a step wins over what the runtime says of all tools. */
export function argumentPlan(
  { kind, argumentSteps: ofTool = {}, parameters }: CallableDefinition,
  ofTools: ArgumentSteps = {},
): ArgumentPlan {
  const ofRuntime = kind === 'tool' ? ofTools : TEXTS_ALONE
  const chosen = ARGUMENT_STEPS.map((step) => [step, ofTool[step] ?? ofRuntime[step] ?? true] as const)
  const uses = Object.fromEntries(chosen) as Required<ArgumentSteps>
  const steps = chosen.map(([step, use]) => Object.freeze({ step, from: sourceOf(use, ofTool[step]) }))
  const byLibrary = parameters.standard !== undefined && uses.validation === true
  return {
    uses,
    steps: Object.freeze(steps),
    byLibrary,
    appliesDefaults: uses.defaults === true && !byLibrary,
  }
}

/** The arguments of prompts and resources are texts: whatever else is sent is a mistake of the client's, not a model's. */
const TEXTS_ALONE: ArgumentSteps = { repair: false, coercion: false }

function sourceOf(use: unknown, ofTool: unknown): PlannedStep['from'] {
  if (typeof use === 'boolean') return use ? 'built-in' : 'off'
  return ofTool === undefined ? 'runtime' : 'tool'
}
