import { isObject } from '../registry/json-value.js'
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
  if (typeof name !== 'string') {
    throw new JsonRpcError(INVALID_PARAMS, 'tools/call needs params.name, the name of a tool')
  }
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
