import type { ServiceIdentifier } from 'inversify'
import type { DefinitionProvider, Definitions } from './definition-provider.js'
import type { ResourceDefinition } from './resource-definition.js'

/** Several resources, now or later. */
export type ResourceDefinitions = Definitions<ResourceDefinition>

/** Brings resources into the runtime. */
export interface ResourceDefinitionProvider extends DefinitionProvider<ResourceDefinition> {}

/** Bind each provider under this. */
export const ResourceDefinitionProvider = Symbol.for(
  'toolwire.ResourceDefinitionProvider',
) as ServiceIdentifier<ResourceDefinitionProvider>
