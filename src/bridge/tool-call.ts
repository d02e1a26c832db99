import { describe, isObject } from '../registry/json-value.js'
import { quoteName } from '../registry/quoted-name.js'
import { ToolNotFoundError } from '../registry/tool-error.js'
import type { LogLevel } from '../registry/tool-execution-context.js'
import type { CallOptions } from '../runtime/call-options.js'
import type { BridgedRuntime } from './bridged-runtime.js'
import { INVALID_PARAMS, JsonRpcError, metaOf } from './json-rpc.js'
import { reaches } from './log-level.js'
import type { McpRequest } from './mcp-request.js'
import { type CallToolResult, toCallToolResult } from './mcp-result.js'
import { showsOutputSchema } from './tool-list.js'

/**
 * `tools/call`. What is wrong with the request itself (no such tool, arguments that are not an object) throws a
 * {@link JsonRpcError}; what is wrong with the call is a result with `isError`, so that the model can do better.
 */
export async function callTool(
  runtime: BridgedRuntime,
  params: unknown,
  request: McpRequest,
): Promise<CallToolResult> {
  const { name, arguments: args } = isObject(params) ? params : {}
  if (typeof name !== 'string') throw new JsonRpcError(INVALID_PARAMS, NO_NAME)
  const tool = runtime.registry.lookup(name)
  const result = await runtime.call(name, args, callOptions(params, request))
  if (!result.ok) {
    const { code, message } = result.error
    // A tool that calls another one may fail with the same code; then it is the other's name in the message.
    const isUnknown = code === 'TOOL_NOT_FOUND' && message === new ToolNotFoundError(name).message
    const isMalformed = code === 'INVALID_ARGUMENTS' && args !== undefined && !isObject(args)
    if (isUnknown || isMalformed) throw new JsonRpcError(INVALID_PARAMS, message)
  }
  return toCallToolResult(result, { structured: tool !== undefined && showsOutputSchema(tool, request.era) })
}

const NO_NAME = 'tools/call needs params.name, the name of a tool'

/** What {@link callTool} would refuse the request for, for an SDK that would rather say it in its parser's words. */
export function callFault(params: unknown): string | undefined {
  const { name, arguments: args } = isObject(params) ? params : {}
  if (typeof name !== 'string') return NO_NAME
  if (args === undefined || isObject(args)) return undefined
  const got = describe(args)
  return `Invalid arguments for ${quoteName(name)}: arguments must be an object of named arguments (got ${got})`
}

function callOptions(params: unknown, request: McpRequest): CallOptions {
  const { id, sessionId, address, signal, logLevel } = request
  const { progressToken } = metaOf(params)
  return {
    callId: id,
    address,
    signal,
    ...(sessionId !== undefined && { sessionId }),
    ...((typeof progressToken === 'string' || typeof progressToken === 'number') && {
      onProgress: reportProgress(progressToken, request),
    }),
    ...(logLevel !== undefined && {
      onLog: (level: LogLevel, data: unknown, logger?: string) => {
        if (!reaches(level, logLevel)) return
        request.notify('notifications/message', {
          level,
          data: jsonOf(data),
          ...(logger !== undefined && { logger }),
        })
      },
    }),
  }
}

/** MCP: progress must increase with each notification. */
function reportProgress(
  progressToken: string | number,
  request: McpRequest,
): NonNullable<CallOptions['onProgress']> {
  let last = Number.NEGATIVE_INFINITY
  return (progress, total, message) => {
    if (!Number.isFinite(progress) || progress <= last) return
    last = progress
    request.notify('notifications/progress', {
      progressToken,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    })
  }
}

/** A log line never fails a call, so what JSON cannot carry goes as its text. */
function jsonOf(data: unknown): unknown {
  try {
    return data === undefined || JSON.stringify(data) === undefined ? String(data) : data
  } catch {
    return String(data)
  }
}
