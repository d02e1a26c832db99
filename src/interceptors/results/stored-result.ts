import { copyJson, type JsonObject, type JsonValue } from '../../registry/json-value.js'
import {
  type ToolContent,
  ToolExecutionResult,
  type ToolSuccess,
  type ToolSuccessParts,
} from '../../registry/tool-execution-result.js'

/** A success as JSON: a private, deeply frozen copy. Without a `value` it is `undefined`. */
export interface StoredResult extends JsonObject {
  readonly value?: JsonValue
  readonly content?: readonly JsonObject[]
  readonly meta?: JsonObject
  readonly degraded?: true
  readonly spilled?: true
}

/**
 * A success as JSON. Nothing where it is more than plain JSON (a Date, an instance of a class), or too much of it: what is
 * read back would differ from what was stored.
 */
export function storedResult({
  value,
  content,
  meta,
  degraded,
  spilled,
}: ToolSuccess): StoredResult | undefined {
  try {
    // Of an object it is an object, with the same members.
    return copyJson({ value, content, meta, degraded, spilled }, 'A result') as StoredResult
  } catch {
    return undefined
  }
}

/** The same of what a client gets to see of a success: its JSON, whatever it was. Nothing where there is too much of it. */
export function storedAsSent(result: ToolSuccess): StoredResult | undefined {
  const stored = storedResult(result)
  if (stored !== undefined) return stored
  const { value, content, meta, degraded, spilled } = result
  try {
    const sent = JSON.parse(JSON.stringify({ value, content, meta, degraded, spilled }))
    return copyJson(sent, 'A result') as StoredResult
  } catch {
    return undefined
  }
}

/** The result again; `parts` go over what was stored. */
export function restoredResult(stored: StoredResult, parts: ToolSuccessParts): ToolSuccess {
  const { value, content, ...rest } = stored
  return ToolExecutionResult.success<unknown>(value, {
    ...rest,
    ...(content !== undefined && { content: content as readonly ToolContent[] }),
    ...parts,
  })
}
