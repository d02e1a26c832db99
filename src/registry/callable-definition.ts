import type { Descriptor } from './descriptor.js'
import type { JsonSchema } from './json-schema.js'
import type { ToolExecutionContext } from './tool-execution-context.js'
import type { ToolInterceptor } from './tool-interceptor.js'

/** What the router runs: a definition of any kind, with what stands around it. */
export interface CallableDefinition extends Descriptor {
  readonly parameters: JsonSchema
  readonly interceptors: readonly ToolInterceptor[]
  // biome-ignore lint/suspicious/noExplicitAny: the arguments differ from definition to definition; the router checks them
  execute(ctx: ToolExecutionContext<any>): unknown
}
