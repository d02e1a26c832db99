import type { CallableDefinition } from '../registry/callable-definition.js'
import type { Admission, DefinitionRegistry } from '../registry/definition-registry.js'
import type { PromptRegistry } from '../registry/prompt-registry.js'
import type { ChangeListener } from '../registry/registry-listeners.js'
import type { ResourceRegistry } from '../registry/resource-registry.js'
import type { ToolRegistry } from '../registry/tool-registry.js'
import type { StartProblem } from './discovery.js'

/** What a runtime serves, by kind. */
export interface Registries {
  readonly tools: ToolRegistry
  readonly resources: ResourceRegistry
  readonly prompts: PromptRegistry
}

/** Every definition has to pass from now on, whatever its kind. Those that are there and do not are removed and returned. */
export function guard(
  { tools, resources, prompts }: Registries,
  admissions: readonly Admission<CallableDefinition>[],
  hooks: Disposable[],
): readonly StartProblem[] {
  return [
    ...guardOne(tools, admissions, hooks),
    ...guardOne(resources, admissions, hooks),
    ...guardOne(prompts, admissions, hooks),
  ]
}

function guardOne<D extends CallableDefinition, L extends ChangeListener>(
  registry: DefinitionRegistry<D, L>,
  admissions: readonly Admission<CallableDefinition>[],
  hooks: Disposable[],
): readonly StartProblem[] {
  const problems = registry.all().flatMap(({ definition, source }) => {
    try {
      for (const admission of admissions) admission(definition, source)
      return []
    } catch (error) {
      // One that must not be there must not stop the others.
      void registry.unregister(registry.keyOf(definition), { drainMs: 0 })
      return [{ source: source.name, toolName: definition.name, error }]
    }
  })
  for (const admission of admissions) hooks.push(registry.addAdmission(admission))
  return problems
}
