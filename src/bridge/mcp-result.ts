import { type AnyToolError, InvalidResultError } from '../registry/tool-error.js'
import type { ToolContent, ToolExecutionResult, ToolSuccess } from '../registry/tool-execution-result.js'
import { errorFields, errorText } from './error-fields.js'

/** MCP `CallToolResult`, the part that is the same in both eras. */
export interface CallToolResult {
  readonly content: readonly ToolContent[]
  readonly structuredContent?: unknown
  readonly isError?: true
  readonly _meta?: Readonly<Record<string, unknown>>
}

/**
 * `_meta` of a failed call: `{ code, message, retryable, outcome }` and, where the error has them, `retryAfterMs`,
 * `approvalId`, `status` and `issues` (`{ path, keyword, message }`, the first hundred).
 */
export const ERROR_META = 'toolwire/error'
/** `_meta` of an answer that a fallback gave: `true`. */
export const DEGRADED_META = 'toolwire/degraded'

/**
 * What a client is sent for a result. `structured`: the client was shown an output schema, so the value goes along as
 * `structuredContent`. A failure is told in words that a model can act on, and in fields for programs.
 */
export function toCallToolResult(
  result: ToolExecutionResult,
  { structured }: { readonly structured: boolean },
): CallToolResult {
  if (!result.ok) return failure(result.error)
  const fault = result.content?.map(contentFault).find((found) => found !== undefined)
  if (fault !== undefined) return failure(new InvalidResultError(result.toolName, fault))
  const meta = metaOf(result)
  return {
    content: result.content ?? textOf(result.value),
    ...(structured && result.value !== undefined && { structuredContent: result.value }),
    ...(meta && { _meta: meta }),
  }
}

function failure(error: AnyToolError): CallToolResult {
  return {
    content: [{ type: 'text', text: errorText(error) }],
    isError: true,
    _meta: { [ERROR_META]: errorFields(error) },
  }
}

/** A string as it is, anything else as JSON; nothing for a tool that returns nothing. */
function textOf(value: unknown): readonly ToolContent[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === undefined ? [] : [{ type: 'text', text }]
}

function metaOf({ meta, degraded }: ToolSuccess): Readonly<Record<string, unknown>> | undefined {
  return degraded ? { ...meta, [DEGRADED_META]: true } : meta
}

/** What each kind of block has to have, all strings (MCP schema, `ContentBlock`). */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
  resource: [],
}

/** What is wrong with a block of content: one invalid block makes clients throw the whole answer away. */
function contentFault(block: ToolContent, index: number): string | undefined {
  const required = Object.hasOwn(REQUIRED, block.type) ? REQUIRED[block.type] : undefined
  if (required === undefined) {
    return `content/${index}/type must be one of ${Object.keys(REQUIRED).join(', ')} (got ${JSON.stringify(block.type)})`
  }
  const missing = required.find((field) => typeof block[field] !== 'string')
  if (missing !== undefined) return `content/${index}/${missing} must be a string`
  return block.type === 'resource' ? resourceFault(block.resource, index) : undefined
}

function resourceFault(resource: unknown, index: number): string | undefined {
  const { uri, text, blob } = (resource ?? {}) as Readonly<Record<string, unknown>> // of any other type each is undefined
  if (typeof uri !== 'string') return `content/${index}/resource/uri must be a string`
  if (typeof text === 'string' || typeof blob === 'string') return undefined
  return `content/${index}/resource must have text or blob, a string`
}
