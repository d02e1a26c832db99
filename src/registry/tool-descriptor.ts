import type { JsonSchemaDocument } from './json-schema.js'
import type { ToolAnnotations, ToolMetadata } from './tool-metadata.js'

/** An icon of a tool or a server (MCP `Icon`). */
export interface ToolIcon {
  /** An https or data URL. */
  readonly src: string
  readonly mimeType?: string
  /** Such as `48x48`, or `any` for a vector image. */
  readonly sizes?: readonly string[]
  readonly theme?: 'light' | 'dark'
}

/**
 * What a tool says about itself: the protocol and the operations layer, without the executor. It is all that interceptors
 * get to see of a tool, so that none can run it past the chain.
 */
export interface ToolDescriptor {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** JSON Schema of the arguments, published as it is. Deeply frozen, like everything here. */
  readonly inputSchema: JsonSchemaDocument
  /** JSON Schema of the value, if the tool promises one. */
  readonly outputSchema: JsonSchemaDocument | undefined
  readonly annotations?: ToolAnnotations
  readonly icons?: readonly ToolIcon[]
  /** MCP's `_meta` of the tool. */
  readonly meta?: Readonly<Record<string, unknown>>
  readonly metadata: ToolMetadata
}
