import { isObject } from '../registry/json-value.js'

/** Error codes of JSON-RPC 2.0, section 5.1. */
export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
/** Whatever JSON-RPC and MCP have no code for, such as a refusal by the transport. */
export const SERVER_ERROR = -32000
/** MCP's SDKs: there is no such session. */
export const SESSION_NOT_FOUND = -32001
/** MCP up to 2025-11-25: there is no such resource. */
export const RESOURCE_NOT_FOUND = -32002
/** MCP 2026-07-28: the client lacks a capability that the request needs. */
export const MISSING_CAPABILITY = -32021

/** What goes onto the wire as a JSON-RPC error, with this code, message and data. Both SDK lines read them. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError'
  readonly code: number
  declare readonly data?: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
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
 * SDKs, which drop what they do not take for a message: whoever asks here first can say so instead. And no deeper than
 * they can read.
 */
export function isJsonRpcMessage(value: unknown): value is JsonRpcMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0' || isDeeperThan(MAX_DEPTH, value)) return false
  const { method, params, id } = value
  if (method === undefined) return isId(id) && isResponse(value)
  if (typeof method !== 'string' || ('id' in value && !isId(id))) return false
  return (
    hasOnly(value, REQUEST_MEMBERS) && (params === undefined || (isObject(params) && isMeta(params._meta)))
  )
}

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return message.method !== undefined && isId(message.id)
}

/** `params._meta` of a message or of a method's parameters, an empty object where there is none. */
export function metaOf(params: unknown): Readonly<Record<string, unknown>> {
  return isObject(params) && isObject(params._meta) ? params._meta : {}
}

/** The members of what a client sent as an object; none where it is something else. */
export function membersOf(sent: unknown): Readonly<Record<string, unknown>> {
  return isObject(sent) ? sent : {}
}

const REQUEST_MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params'])
const RESULT_MEMBERS = new Set(['jsonrpc', 'id', 'result'])
const ERROR_MEMBERS = new Set(['jsonrpc', 'id', 'error'])

function hasOnly(value: Readonly<Record<string, unknown>>, members: ReadonlySet<string>): boolean {
  return Object.keys(value).every((name) => members.has(name))
}

/** A result or an error, not both (JSON-RPC 2.0, section 5). */
function isResponse(value: Readonly<Record<string, unknown>>): boolean {
  const { result, error } = value
  if (isObject(result)) return hasOnly(value, RESULT_MEMBERS) && isMeta(result._meta)
  if (!isObject(error) || !hasOnly(value, ERROR_MEMBERS)) return false
  return Number.isSafeInteger(error.code) && typeof error.message === 'string'
}

/** What is nested deeper overflows the stack of whoever copies, checks or writes it, the SDKs among them. */
const MAX_DEPTH = 500

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    if (isDeeperThan(levels - 1, item)) return true
  }
  return false
}

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
