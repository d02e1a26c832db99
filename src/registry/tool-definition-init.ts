import { type ArgumentAliases, aliasFaults, frozenAliases } from './argument-aliases.js'
import { type ArgumentSteps, argumentStepFaults } from './argument-steps.js'
import { type BoundParameters, boundFaults } from './bound-parameters.js'
import {
  commonFaults,
  type DefinitionInit,
  frozenRuntimeParts,
  mustBe,
  rootFaults,
  typeFaults,
} from './definition-init.js'
import type { JsonSchema } from './json-schema.js'
import { describe, frozenCopy, isObject } from './json-value.js'
import { quoteName } from './quoted-name.js'
import type { DefinitionFault } from './tool-definition-error.js'
import type { ToolAnnotations } from './tool-metadata.js'

/** What a tool definition is made from; the builder collects it. */
export interface ToolDefinitionInit extends DefinitionInit {
  readonly parameters: JsonSchema
  readonly output?: JsonSchema
  readonly annotations?: ToolAnnotations
  readonly aliases?: ArgumentAliases
  readonly boundParameters?: BoundParameters
  readonly argumentSteps?: ArgumentSteps
}

/** The parts that a derived definition may change. */
export type ToolDefinitionChanges = Partial<
  Omit<ToolDefinitionInit, 'parameters' | 'output' | 'boundParameters'>
>

/** A deeply frozen copy of what the tool says about itself. What is not there is left out, not set to `undefined`. */
export function protocolParts(
  init: ToolDefinitionChanges,
): Omit<ToolDefinitionChanges, 'metadata' | 'interceptors' | 'aliases' | 'argumentSteps'> {
  const { name, title, description, annotations, icons, meta } = init
  return frozenCopy(
    { name, title, description, annotations, icons, meta },
    'A tool definition',
  ) as ToolDefinitionChanges
}

/** A frozen copy of the changes to `init`: what their author does to an object later changes no definition. */
export function frozenChanges(
  changes: ToolDefinitionChanges,
  init: Partial<ToolDefinitionInit>,
): ToolDefinitionChanges {
  const { aliases, argumentSteps } = changes
  return {
    ...protocolParts(changes),
    ...frozenRuntimeParts(changes, init),
    ...(aliases !== undefined && { aliases: frozenAliases(aliases, init.aliases) }),
    ...(argumentSteps !== undefined && {
      argumentSteps: isObject(argumentSteps)
        ? Object.freeze({ ...init.argumentSteps, ...argumentSteps })
        : argumentSteps,
    }),
  }
}

/** All that keeps a tool from being listed and called. MCP clients drop a whole list for one field of the wrong type. */
export function definitionFaults(init: Partial<ToolDefinitionInit>): DefinitionFault[] {
  return [
    ...nameFaults(init.name),
    ...commonFaults(init),
    ...annotationFaults(init.annotations),
    ...rootFaults(init.parameters, 'a tool'),
    ...argumentFaults(init),
  ]
}

/** Frozen copies of what was said of the arguments beside their schema, as far as it is there. */
export function argumentParts({ aliases, boundParameters, argumentSteps }: ToolDefinitionInit) {
  return {
    ...(aliases !== undefined && { aliases: frozenAliases(aliases) }),
    ...(boundParameters !== undefined && { boundParameters: Object.freeze({ ...boundParameters }) }),
    ...(argumentSteps !== undefined && { argumentSteps: Object.freeze({ ...argumentSteps }) }),
  }
}

/** What is wrong with what was said of the arguments beside their schema. */
export function argumentFaults(init: Partial<ToolDefinitionInit>): DefinitionFault[] {
  return [
    ...aliasFaults(init.aliases, init.parameters),
    ...boundFaults(init.boundParameters, init.parameters),
    ...argumentStepFaults(init.argumentSteps, 'argumentSteps'),
  ]
}

function nameFaults(name: unknown): DefinitionFault[] {
  if (typeof name === 'string' && /^[A-Za-z0-9_.-]{1,128}$/.test(name)) return []
  const given = typeof name === 'string' ? quoteName(name) : describe(name)
  return [{ path: 'name', message: `must be 1 to 128 of A-Z a-z 0-9 _ - . (got ${given})` }]
}

function annotationFaults(annotations: unknown = {}): DefinitionFault[] {
  if (!isObject(annotations)) return [mustBe('annotations', 'an object', annotations)]
  const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
  return [
    ...typeFaults('annotations/title', annotations.title, 'string'),
    ...hints.flatMap((hint) => typeFaults(`annotations/${hint}`, annotations[hint], 'boolean')),
  ]
}
