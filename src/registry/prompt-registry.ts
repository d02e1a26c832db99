import { DefinitionRegistry } from './definition-registry.js'
import { describe } from './json-value.js'
import { PromptDefinition } from './prompt-definition.js'
import type { ChangeListener } from './registry-listeners.js'
import { DuplicateToolError, PromptNotFoundError } from './tool-error.js'

/** Hears of changes as a `ToolRegistryListener` does. */
export interface PromptRegistryListener extends ChangeListener {
  onPromptRegistered?(prompt: PromptDefinition): void | Promise<void>
  onPromptReplaced?(prompt: PromptDefinition, previous: PromptDefinition): void | Promise<void>
  onPromptRemoved?(prompt: PromptDefinition): void | Promise<void>
}

/** The list of prompts, by name. */
export class PromptRegistry extends DefinitionRegistry<PromptDefinition, PromptRegistryListener> {
  override keyOf({ name }: PromptDefinition): string {
    return name
  }

  protected override requireValid(prompt: PromptDefinition): void {
    if (PromptDefinition.is(prompt)) return
    throw new TypeError(
      `A prompt must be a PromptDefinition, made with PromptDefinition.builder() (got ${describe(prompt)})`,
    )
  }

  protected override duplicate(name: string, registeredBy: string, refused: string): Error {
    return new DuplicateToolError(name, registeredBy, refused, { kind: 'prompt' })
  }

  protected override notFound(name: string): Error {
    return new PromptNotFoundError(name)
  }

  protected override tellRegistered(listener: PromptRegistryListener, prompt: PromptDefinition) {
    return listener.onPromptRegistered?.(prompt)
  }

  protected override tellReplaced(
    listener: PromptRegistryListener,
    prompt: PromptDefinition,
    previous: PromptDefinition,
  ) {
    return listener.onPromptReplaced?.(prompt, previous)
  }

  protected override tellRemoved(listener: PromptRegistryListener, prompt: PromptDefinition) {
    return listener.onPromptRemoved?.(prompt)
  }
}
