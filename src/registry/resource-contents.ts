import { toBase64 } from './base64.js'
import { hasBrand } from './brand.js'
import { requireFaultless, resourceContentsFaults } from './content-fault.js'
import { frozenCopy } from './json-value.js'

const BRAND: unique symbol = Symbol.for('toolwire.ResourceContents')

/** Text of a resource, as MCP sends it. */
export type TextResourceContents = {
  readonly uri: string
  readonly mimeType?: string
  readonly text: string
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** Bytes of a resource, as MCP sends them. */
export type BlobResourceContents = {
  readonly uri: string
  readonly mimeType?: string
  /** Base64. */
  readonly blob: string
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** What a resource holds, or one of the things it holds. */
export type ResourceContents = TextResourceContents | BlobResourceContents

export interface ResourceContentsOptions {
  /** Default: the URI that is read. */
  readonly uri?: string
  /** Default: that of the definition, unless `uri` names something else. */
  readonly mimeType?: string
  /** MCP's `_meta` of the contents. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** Contents that a reader returns on purpose: no other object is taken for them. */
export interface ReadContents extends ResourceContentsOptions {
  /** Only `ResourceContents` makes them. */
  readonly [BRAND]: true
  readonly text?: string
  /** Base64. */
  readonly blob?: string
}

/**
 * Makes what a reader returns where a plain value does not say enough: a MIME type or a URI of its own, or several
 * contents in a list. Throws a `TypeError` that says what would be right.
 */
export const ResourceContents = Object.freeze({
  text(text: string, options: ResourceContentsOptions = {}): ReadContents {
    return new Contents('ResourceContents.text', { text }, options)
  },
  /** Of bytes, or of base64. */
  blob(data: Uint8Array | string, options: ResourceContentsOptions = {}): ReadContents {
    return new Contents('ResourceContents.blob', { blob: toBase64(data) }, options)
  },
  is(value: unknown): value is ReadContents {
    return hasBrand(value, BRAND)
  },
})

class Contents implements ReadContents {
  declare readonly text?: string
  declare readonly blob?: string
  declare readonly uri?: string
  declare readonly mimeType?: string
  declare readonly meta?: Readonly<Record<string, unknown>>

  constructor(
    step: string,
    contents: { readonly text: string } | { readonly blob: string },
    { uri, mimeType, meta }: ResourceContentsOptions,
  ) {
    const made = frozenCopy({ ...contents, uri, mimeType, meta }, step)
    const whole = { ...made, uri: uri ?? 'of:what-is-read', _meta: made.meta }
    requireFaultless(step, resourceContentsFaults(whole))
    Object.freeze(Object.assign(this, made))
  }

  get [BRAND](): true {
    return true
  }
}
