import { toBase64 } from './base64.js'
import type { ContentAnnotations } from './content-annotations.js'
import { contentFaults, requireFaultless } from './content-fault.js'
import type { ToolIcon } from './descriptor.js'
import { frozenCopy } from './json-value.js'
import type { BlobResourceContents, TextResourceContents } from './resource-contents.js'

// Types and not interfaces, so that each is a `ToolContent` too: an interface has no index signature.

/** What every block of content may have. */
type ContentParts = {
  readonly annotations?: ContentAnnotations
  readonly _meta?: Readonly<Record<string, unknown>>
}

export type TextContent = ContentParts & { readonly type: 'text'; readonly text: string }

export type ImageContent = ContentParts & {
  readonly type: 'image'
  /** Base64. */
  readonly data: string
  readonly mimeType: string
}

export type AudioContent = ContentParts & {
  readonly type: 'audio'
  /** Base64. */
  readonly data: string
  readonly mimeType: string
}

/** Says where a resource is, for the client to read if it wants to. It need not be in any list. */
export type ResourceLinkContent = ContentParts & {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  /** In bytes, before base64. */
  readonly size?: number
  readonly icons?: readonly ToolIcon[]
}

/** Brings the contents of a resource along. */
export type EmbeddedResourceContent = ContentParts & {
  readonly type: 'resource'
  readonly resource: TextResourceContents | BlobResourceContents
}

/** One block of what a model or a user is shown (MCP `ContentBlock`); `type` says which. */
export type Content =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLinkContent
  | EmbeddedResourceContent

export interface ContentOptions {
  readonly annotations?: ContentAnnotations
  /** MCP's `_meta` of the block; prefix your keys with a domain. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** Where a resource is, and what is known of it. */
export interface ResourceLinkInit
  extends ContentOptions,
    Pick<ResourceLinkContent, 'uri' | 'name' | 'title' | 'description' | 'mimeType' | 'size' | 'icons'> {}

/** The contents of a resource: text, or bytes (as base64, if they are a string). */
export type EmbeddedResourceInit = {
  readonly uri: string
  readonly mimeType?: string
  /** MCP's `_meta` of the contents. */
  readonly meta?: Readonly<Record<string, unknown>>
} & (
  | { readonly text: string; readonly blob?: never }
  | { readonly blob: Uint8Array | string; readonly text?: never }
)

/**
 * Makes blocks of content, deeply frozen. Throws a `TypeError` that says what would be right for a block that clients
 * would choke on, such as one with broken base64.
 */
export const Content = Object.freeze({
  text(text: string, options?: ContentOptions): TextContent {
    return block('Content.text', { type: 'text', text }, options)
  },

  /** Of bytes, or of base64. The type is one of `image/…`. */
  image(data: Uint8Array | string, mimeType: string, options?: ContentOptions): ImageContent {
    return block('Content.image', { type: 'image', data: toBase64(data), mimeType }, options)
  },

  /** Of bytes, or of base64. The type is one of `audio/…`. */
  audio(data: Uint8Array | string, mimeType: string, options?: ContentOptions): AudioContent {
    return block('Content.audio', { type: 'audio', data: toBase64(data), mimeType }, options)
  },

  resourceLink({ annotations, meta, ...link }: ResourceLinkInit): ResourceLinkContent {
    return block('Content.resourceLink', { type: 'resource_link', ...link }, { annotations, meta })
  },

  /** The `meta` of `options` is that of the block, not of the resource. */
  resource(
    { uri, mimeType, text, blob, meta }: EmbeddedResourceInit,
    options?: ContentOptions,
  ): EmbeddedResourceContent {
    const resource = {
      uri,
      mimeType,
      text,
      blob: blob === undefined ? undefined : toBase64(blob),
      _meta: meta,
    }
    return block('Content.resource', { type: 'resource', resource }, options)
  },
})

function block<Block extends Content>(
  step: string,
  fields: Readonly<Record<string, unknown>>,
  { annotations, meta }: { [Name in keyof ContentOptions]: ContentOptions[Name] | undefined } = {},
): Block {
  const made = frozenCopy({ ...fields, annotations, _meta: meta }, step)
  requireFaultless(step, contentFaults(made))
  return made as unknown as Block // it has no fault, and the fields of its type
}
