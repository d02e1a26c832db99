import { contentFaults } from '../registry/content-fault.js'
import { type AnyToolError, InvalidResultError, ToolExecutionError } from '../registry/tool-error.js'
import type {
  ToolContent,
  ToolExecutionResult,
  ToolFailure,
  ToolSuccess,
} from '../registry/tool-execution-result.js'
import { errorFields, errorText } from './error-fields.js'

/** MCP `CallToolResult`, the part that is the same in both eras. */
export interface CallToolResult {
  readonly content: readonly ToolContent[]
  readonly structuredContent?: unknown
  readonly isError?: true
  readonly _meta?: Readonly<Record<string, unknown>>
}

/**
 * `_meta` of a failed call: `{ code, message, retryable, outcome, traceId }` and, where the error has them, `retryAfterMs`,
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
  if (!result.ok) return failure(result)
  const fault = result.content?.flatMap((block, index) => contentFaults(block, `content/${index}`))[0]
  if (fault !== undefined) {
    return failed(new InvalidResultError(result.toolName, `${fault.path} ${fault.message}`))
  }
  const meta = metaOf(result)
  const content = result.content ?? textOf(result.value)
  // It was JSON when it was checked; whoever has kept the value may have changed it since.
  if (content === undefined) {
    return failed(new InvalidResultError(result.toolName, 'the value was changed to what JSON cannot carry'))
  }
  return {
    content,
    ...(structured && result.value !== undefined && { structuredContent: result.value }),
    ...(meta && { _meta: meta }),
  }
}

function failure({ error, traceId, mayHaveActed }: ToolFailure): CallToolResult {
  // Models are shown the text alone. What an executor says on purpose is left as it is.
  const isOurs = error.code === 'TIMEOUT' || error.message === MASKED
  const caution = mayHaveActed && isOurs ? MAY_HAVE_ACTED : ''
  return failed(error, { caution, ...(traceId !== undefined && { traceId }) })
}

const MASKED = new ToolExecutionError().message
const MAY_HAVE_ACTED = '. It may have taken effect: check before you call it again'

function failed(
  error: AnyToolError,
  { caution = '', traceId }: { readonly caution?: string; readonly traceId?: string } = {},
): CallToolResult {
  return {
    content: [{ type: 'text', text: errorText(error) + caution }],
    isError: true,
    _meta: { [ERROR_META]: { ...errorFields(error), ...(traceId !== undefined && { traceId }) } },
  }
}

/** A string as it is, anything else as JSON; nothing for a tool that returns nothing. Undefined for what is no JSON. */
function textOf(value: unknown): readonly ToolContent[] | undefined {
  if (value === undefined) return []
  try {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return text === undefined ? [] : [{ type: 'text', text }]
  } catch {
    return undefined
  }
}

function metaOf({ meta, degraded }: ToolSuccess): Readonly<Record<string, unknown>> | undefined {
  return degraded ? { ...meta, [DEGRADED_META]: true } : meta
}
