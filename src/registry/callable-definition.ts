import type { ArgumentAliases } from './argument-aliases.js'
import type { ArgumentSteps } from './argument-steps.js'
import type { BoundParameters } from './bound-parameters.js'
import type { Descriptor } from './descriptor.js'
import type { JsonSchema } from './json-schema.js'
import type { ToolExecutionContext } from './tool-execution-context.js'
import type { ToolInterceptor } from './tool-interceptor.js'

/** What the router runs: a definition of any kind, with what stands around it. */
export interface CallableDefinition extends Descriptor {
  /** What arguments are held against: `inputSchema`, and what is hidden from callers. */
  readonly parameters: JsonSchema
  readonly aliases?: ArgumentAliases
  readonly boundParameters?: BoundParameters
  readonly argumentSteps?: ArgumentSteps
  readonly interceptors: readonly ToolInterceptor[]
  /** The ways in which its work can be done, best first; `runtime/tool-routes` makes such a definition. */
  readonly alternatives?: readonly DefinitionAlternative[]
  // biome-ignore lint/suspicious/noExplicitAny: the arguments differ from definition to definition; the router checks them
  execute(ctx: ToolExecutionContext<any>): unknown
}

/** Begins the keys of the steps (`ctx.once`) that say which alternative a call has begun: they do nothing else. */
export const ALTERNATIVE_STEP = 'toolwire.alternative '

/** One of several ways in which the work of a definition can be done. */
export interface DefinitionAlternative {
  /** Unique among the alternatives: for `ctx.alternative`, logs and `runtime.explain`. */
  readonly label: string
  readonly definition: CallableDefinition
  /** Passed over while it says `false`, if another can be tried. Asked at each call, so it must be quick. */
  readonly isHealthy?: (() => boolean) | undefined
}
