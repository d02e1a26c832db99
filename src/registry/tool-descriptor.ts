import type { Descriptor } from './descriptor.js'
import type { ToolAnnotations } from './tool-metadata.js'

/** What a tool says about itself. */
export interface ToolDescriptor extends Descriptor {
  readonly kind: 'tool'
  readonly annotations?: ToolAnnotations
}
