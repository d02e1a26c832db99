import type { DefinitionKind } from './definition-kind.js'
import type { JsonSchemaDocument } from './json-schema.js'
import type { ToolMetadata } from './tool-metadata.js'

/** An icon of a tool, a resource, a prompt or a server (MCP `Icon`). */
export interface ToolIcon {
  /** An https or data URL. */
  readonly src: string
  readonly mimeType?: string
  /** Such as `48x48`, or `any` for a vector image. */
  readonly sizes?: readonly string[]
  readonly theme?: 'light' | 'dark'
}

/**
 * What a definition of any kind says about itself, without what it runs. It is all that interceptors and rules of
 * visibility get to see of it, so that none can run it past the chain. Deeply frozen.
 */
export interface Descriptor {
  readonly kind: DefinitionKind
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly icons?: readonly ToolIcon[]
  /** MCP's `_meta` of the definition. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** JSON Schema of the arguments, published as it is. */
  readonly inputSchema: JsonSchemaDocument
  /** JSON Schema of the value, if the definition promises one. */
  readonly outputSchema: JsonSchemaDocument | undefined
  readonly metadata: ToolMetadata
}
