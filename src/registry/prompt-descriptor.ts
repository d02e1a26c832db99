import type { Descriptor } from './descriptor.js'

/** An argument of a prompt, as a client lists it (MCP `PromptArgument`). Its value is a string. */
export interface PromptArgument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required: boolean
}

/** What a prompt says about itself. */
export interface PromptDescriptor extends Descriptor {
  readonly kind: 'prompt'
  /** In the order of the schema. */
  readonly arguments: readonly PromptArgument[]
}
