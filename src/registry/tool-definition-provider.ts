import type { ServiceIdentifier } from 'inversify'
import type { ToolDefinition } from './tool-definition.js'
import type { ToolInterceptor } from './tool-interceptor.js'

/** Several definitions, now or later. */
export type ToolDefinitions =
  | Iterable<ToolDefinition>
  | AsyncIterable<ToolDefinition>
  | Promise<Iterable<ToolDefinition>>

/** Brings tools into the runtime. Asked once at each `runtime.start()`. */
export interface ToolDefinitionProvider {
  /** Names the source in errors and logs; the class name by default. */
  readonly name?: string
  /** Put around every tool of this provider, inside the shared ones. */
  readonly interceptors?: readonly ToolInterceptor[]
  provide(): ToolDefinitions
}

/** Bind each provider under this. */
export const ToolDefinitionProvider = Symbol.for(
  'toolwire.ToolDefinitionProvider',
) as ServiceIdentifier<ToolDefinitionProvider>
