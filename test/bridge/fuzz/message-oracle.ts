import type { Era } from '../../../src/bridge/era.js'
import { isObject } from './method-oracle.js'

export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** The value of a JSON text, `undefined` where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON-RPC 2.0 as MCP narrows it: one message, an id that is a string or a whole number, parameters by name. */
export function isMessage(value: unknown): value is Message {
  if (!isObject(value) || value.jsonrpc !== '2.0' || isDeep(value, 500)) return false
  const { id, method, params } = value
  if ('id' in value && !isId(id)) return false
  if (method === undefined) return isId(id) && isAnswer(value)
  if (typeof method !== 'string') return false
  if (Object.keys(value).some((name) => !['jsonrpc', 'id', 'method', 'params'].includes(name))) return false
  return params === undefined || (isObject(params) && isMeta(params._meta))
}

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeep(item, levels - 1))
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' ? id.length <= 1_000 : Number.isSafeInteger(id)
}

function isAnswer(value: Readonly<Record<string, unknown>>): boolean {
  const { result, error } = value
  const members = Object.keys(value).filter((name) => name !== 'jsonrpc' && name !== 'id')
  if (members.length !== 1) return false
  if (isObject(result)) return isMeta(result._meta)
  return isObject(error) && Number.isSafeInteger(error.code) && typeof error.message === 'string'
}

function isMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  if (!isObject(meta)) return false
  const { progressToken, 'io.modelcontextprotocol/related-task': task } = meta
  const isTokenGood =
    progressToken === undefined || typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
  return isTokenGood && (task === undefined || (isObject(task) && typeof task.taskId === 'string'))
}

/** The era by which a message is to be served. */
export function eraOf({ method, params }: Message, header: string | undefined): Era {
  if (method === undefined) return 'legacy'
  if (header !== undefined && header >= '2026-07-28') return 'modern'
  const meta = isObject(params?._meta) ? params._meta : {}
  const revision = meta['io.modelcontextprotocol/protocolVersion']
  const isClaimed = 'io.modelcontextprotocol/protocolVersion' in meta
  if (method !== 'initialize') return isClaimed ? 'modern' : 'legacy'
  const isModern = typeof revision === 'string' && revision >= '2026-07-28'
  return isModern && isObject(meta['io.modelcontextprotocol/clientCapabilities']) ? 'modern' : 'legacy'
}
