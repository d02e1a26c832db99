import { isObject } from '../registry/json-value.js'

/** Error codes of JSON-RPC 2.0, section 5.1. */
export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603

/** What goes onto the wire as a JSON-RPC error, with this code and message. Both SDK lines read `code`. */
export class JsonRpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'JsonRpcError'
    this.code = code
  }
}

export type JsonRpcId = string | number

/** A message as an SDK transport carries it. */
export interface JsonRpcMessage {
  readonly jsonrpc: '2.0'
  readonly id?: JsonRpcId | undefined
  readonly method?: string | undefined
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly result?: unknown
  readonly error?: unknown
}

export interface JsonRpcRequest extends JsonRpcMessage {
  readonly id: JsonRpcId
  readonly method: string
}

/**
 * Whether the value has the form of one message: a request, a notification or a response, not a batch. As strict as the
 * SDKs, which drop what they do not take for a message: whoever asks here first can say so instead.
 */
export function isJsonRpcMessage(value: unknown): value is JsonRpcMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') return false
  const { method, params, id } = value
  if (method === undefined) return isId(id) && ('result' in value || 'error' in value)
  if (typeof method !== 'string' || ('id' in value && !isId(id))) return false
  if (Object.keys(value).some((name) => !REQUEST_MEMBERS.has(name))) return false
  return params === undefined || (isObject(params) && isMeta(params._meta))
}

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return message.method !== undefined && isId(message.id)
}

/** `params._meta` of a message or of a method's parameters, an empty object where there is none. */
export function metaOf(params: unknown): Readonly<Record<string, unknown>> {
  return isObject(params) && isObject(params._meta) ? params._meta : {}
}

const REQUEST_MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params'])

/** Longer ids would be held for as long as the request, or a subscription, lasts. */
const MAX_ID_LENGTH = 1_000

/** MCP allows strings and integers, such as survive JSON; 0 and "" are ids like any other. */
function isId(value: unknown): value is JsonRpcId {
  return (typeof value === 'string' && value.length <= MAX_ID_LENGTH) || Number.isSafeInteger(value)
}

/** The members of `_meta` that both SDKs check before anything else. */
function isMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  if (!isObject(meta)) return false
  const { progressToken, 'io.modelcontextprotocol/related-task': task } = meta
  return (
    (progressToken === undefined ||
      typeof progressToken === 'string' ||
      Number.isSafeInteger(progressToken)) &&
    (task === undefined || (isObject(task) && typeof task.taskId === 'string'))
  )
}
