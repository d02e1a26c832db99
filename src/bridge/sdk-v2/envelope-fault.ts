import { isObject } from '../../registry/json-value.js'
import { INVALID_PARAMS } from '../json-rpc.js'

/**
 * The same message; but where it refuses a request for a malformed member of `_meta`, in words of ours: SDK 2.x hands on the
 * report of its parser.
 */
export function withoutParserReport<T>(message: T): T {
  const error = isObject(message) ? message.error : undefined
  if (!isObject(error) || error.code !== INVALID_PARAMS || typeof error.message !== 'string') return message
  if (!/^Invalid _meta envelope/.test(error.message) || error.message.endsWith(': missing')) return message
  const [member = 'a member'] = /io\.modelcontextprotocol\/\w+/.exec(error.message) ?? []
  const fault = `Invalid _meta: ${member} is not what MCP 2026-07-28 says it must be`
  return { ...message, error: { code: INVALID_PARAMS, message: fault } }
}
