import type { ServiceIdentifier } from 'inversify'
import type { DefinitionProvider, Definitions } from './definition-provider.js'
import type { PromptDefinition } from './prompt-definition.js'

/** Several prompts, now or later. */
export type PromptDefinitions = Definitions<PromptDefinition>

/** Brings prompts into the runtime. */
export interface PromptDefinitionProvider extends DefinitionProvider<PromptDefinition> {}

/** Bind each provider under this. */
export const PromptDefinitionProvider = Symbol.for(
  'toolwire.PromptDefinitionProvider',
) as ServiceIdentifier<PromptDefinitionProvider>
