import type { ServiceIdentifier } from 'inversify'
import type { DefinitionProvider, Definitions } from './definition-provider.js'
import type { ToolDefinition } from './tool-definition.js'

/** Several tools, now or later. */
export type ToolDefinitions = Definitions<ToolDefinition>

/** Brings tools into the runtime. */
export interface ToolDefinitionProvider extends DefinitionProvider<ToolDefinition> {}

/** Bind each provider under this. */
export const ToolDefinitionProvider = Symbol.for(
  'toolwire.ToolDefinitionProvider',
) as ServiceIdentifier<ToolDefinitionProvider>
