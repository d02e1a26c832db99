import type { LogLevel } from '../registry/tool-execution-context.js'
import type { CallOptions } from '../runtime/call-options.js'
import type { ExposureRule } from '../runtime/catalog.js'
import { INVALID_PARAMS, JsonRpcError, metaOf } from './json-rpc.js'
import { reaches } from './log-level.js'
import type { McpRequest } from './mcp-request.js'

/** In the `_meta` of a request: repeats under the same key are one call, where the tool is guarded so. */
const IDEMPOTENCY_META = 'toolwire/idempotencyKey'

/** What the runtime is told about a call that came over MCP. */
export function callOptionsOf(
  params: unknown,
  request: McpRequest,
  exposes: ExposureRule | undefined,
): CallOptions {
  const { id, sessionId, address, principal, signal, logLevel, ask } = request
  const { progressToken, [IDEMPOTENCY_META]: idempotencyKey } = metaOf(params)
  if (idempotencyKey !== undefined && !isKey(idempotencyKey)) {
    throw new JsonRpcError(INVALID_PARAMS, `_meta["${IDEMPOTENCY_META}"] must be a string that is not empty`)
  }
  return {
    callId: id,
    address,
    signal,
    ...(sessionId !== undefined && { sessionId }),
    ...(principal && { principal }),
    ...(exposes && { exposes }),
    ...(ask && { ask }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
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

/** Who sends one that cannot be used wants to be protected, and must hear that it is not. */
function isKey(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
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
