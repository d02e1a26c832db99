import type { ContentAnnotations } from './content-annotations.js'
import type { Descriptor } from './descriptor.js'

/** What a resource says about itself. */
export interface ResourceDescriptor extends Descriptor {
  readonly kind: 'resource'
  /** Of a single resource; a template for many has `uriTemplate` instead. */
  readonly uri?: string
  readonly uriTemplate?: string
  readonly mimeType?: string
  /** In bytes, before base64. */
  readonly size?: number
  readonly annotations?: ContentAnnotations
}
