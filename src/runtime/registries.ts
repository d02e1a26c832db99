import type { PromptRegistry } from '../registry/prompt-registry.js'
import type { ResourceRegistry } from '../registry/resource-registry.js'
import type { ToolRegistry } from '../registry/tool-registry.js'

/** What a runtime serves, by kind. */
export interface Registries {
  readonly tools: ToolRegistry
  readonly resources: ResourceRegistry
  readonly prompts: PromptRegistry
}
