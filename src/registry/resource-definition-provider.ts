import type { ServiceIdentifier } from 'inversify'
import type { ResourceDefinition } from './resource-definition.js'
import type { ToolInterceptor } from './tool-interceptor.js'

/** Several definitions, now or later. */
export type ResourceDefinitions =
  | Iterable<ResourceDefinition>
  | AsyncIterable<ResourceDefinition>
  | Promise<Iterable<ResourceDefinition>>

/** Brings resources into the runtime. Asked once at each `runtime.start()`. */
export interface ResourceDefinitionProvider {
  /** Names the source in errors and logs; the class name by default. */
  readonly name?: string
  /** Put around every resource of this provider, inside the shared ones. */
  readonly interceptors?: readonly ToolInterceptor[]
  provide(): ResourceDefinitions
}

/** Bind each provider under this. */
export const ResourceDefinitionProvider = Symbol.for(
  'toolwire.ResourceDefinitionProvider',
) as ServiceIdentifier<ResourceDefinitionProvider>
