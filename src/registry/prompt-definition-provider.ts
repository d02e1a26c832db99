import type { ServiceIdentifier } from 'inversify'
import type { PromptDefinition } from './prompt-definition.js'
import type { ToolInterceptor } from './tool-interceptor.js'

/** Several definitions, now or later. */
export type PromptDefinitions =
  | Iterable<PromptDefinition>
  | AsyncIterable<PromptDefinition>
  | Promise<Iterable<PromptDefinition>>

/** Brings prompts into the runtime. Asked once at each `runtime.start()`. */
export interface PromptDefinitionProvider {
  /** Names the source in errors and logs; the class name by default. */
  readonly name?: string
  /** Put around every prompt of this provider, inside the shared ones. */
  readonly interceptors?: readonly ToolInterceptor[]
  provide(): PromptDefinitions
}

/** Bind each provider under this. */
export const PromptDefinitionProvider = Symbol.for(
  'toolwire.PromptDefinitionProvider',
) as ServiceIdentifier<PromptDefinitionProvider>
