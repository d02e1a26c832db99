import { isObject } from '../registry/json-value.js'
import { shortened } from '../registry/shortened.js'
import { ToolExecutionError } from '../registry/tool-error.js'

const MAX_TEXT = 10_000

/**
 * The failure in what an executor has returned, where that is the answer of another MCP server as its client gives it
 * (`CallToolResult` with `isError`): that is no success, although nothing was thrown. Its text was written for the model.
 */
export function passedOnFailure(returned: unknown): ToolExecutionError | undefined {
  if (!isObject(returned) || returned.isError !== true || !Array.isArray(returned.content)) return undefined
  const texts = returned.content.flatMap((block: unknown) =>
    isObject(block) && typeof block.text === 'string' ? [block.text] : [],
  )
  const message = texts.length === 0 ? undefined : shortened(texts.join('\n'), MAX_TEXT)
  return new ToolExecutionError(message, { outcome: 'completed' })
}
