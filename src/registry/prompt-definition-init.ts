import type { Completers } from './completion.js'
import {
  commonFaults,
  type DefinitionInit,
  frozenRuntimeParts,
  lineFaults,
  rootFaults,
} from './definition-init.js'
import type { JsonSchema } from './json-schema.js'
import { frozenCopy } from './json-value.js'
import { promptArgumentFaults, promptArguments } from './prompt-arguments.js'
import type { DefinitionFault } from './tool-definition-error.js'

/** What a prompt definition is made from; the builder collects it. */
export interface PromptDefinitionInit extends DefinitionInit {
  readonly parameters: JsonSchema
  readonly completers?: Completers
}

/** The parts that a derived definition may change. */
export type PromptDefinitionChanges = Partial<DefinitionInit>

type ProtocolParts = Omit<PromptDefinitionChanges, 'metadata' | 'interceptors'>

/** A deeply frozen copy of what the prompt says about itself. What is not there is left out, not set to `undefined`. */
export function promptParts(init: PromptDefinitionChanges): ProtocolParts {
  const { name, title, description, icons, meta } = init
  return frozenCopy({ name, title, description, icons, meta }, 'A prompt definition') as ProtocolParts
}

/** A frozen copy of the changes to `init`: what their author does to an object later changes no definition. */
export function frozenPromptChanges(
  changes: PromptDefinitionChanges,
  init: Partial<PromptDefinitionInit>,
): PromptDefinitionChanges {
  return { ...promptParts(changes), ...frozenRuntimeParts(changes, init) }
}

/** All that keeps a prompt from being listed and got. */
export function promptFaults(
  init: Omit<PromptDefinitionInit, 'name'> & { readonly name?: string },
): DefinitionFault[] {
  const names = promptArguments(init.parameters).map(({ name }) => name)
  return [
    ...lineFaults(init.name),
    ...commonFaults(init),
    ...rootFaults(init.parameters, 'a prompt'),
    ...promptArgumentFaults(init.parameters),
    ...Object.keys(init.completers ?? {})
      .filter((name) => !names.includes(name))
      .map((name) => ({
        path: `complete/${name}`,
        message: `completes no argument; the arguments are: ${names.join(', ') || 'none'}`,
      })),
  ]
}
