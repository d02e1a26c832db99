import type { AnyToolError } from '../registry/tool-error.js'
import { requiredCapabilities } from './client-capabilities.js'
import type { Era } from './era.js'
import { errorFields, errorText } from './error-fields.js'
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  JsonRpcError,
  MISSING_CAPABILITY,
  RESOURCE_NOT_FOUND,
  SERVER_ERROR,
} from './json-rpc.js'

/** MCP 2026-07-28: what an executor could not ask for is an error of the request, that names the capability. */
export function capabilityError(error: AnyToolError, era: Era): JsonRpcError | undefined {
  if (error.code !== 'ASK_UNSUPPORTED' || era !== 'modern') return undefined
  return new JsonRpcError(MISSING_CAPABILITY, errorText(error), {
    requiredCapabilities: requiredCapabilities(error.capability),
  })
}

/** What a request other than a tool call fails with: its results have no place for an error. */
export function protocolError(error: AnyToolError, era: Era): JsonRpcError {
  const missing = capabilityError(error, era)
  if (missing !== undefined) return missing
  switch (error.code) {
    case 'RESOURCE_NOT_FOUND': {
      const code = era === 'modern' ? INVALID_PARAMS : RESOURCE_NOT_FOUND
      return new JsonRpcError(code, errorText(error), { uri: error.uri })
    }
    case 'PROMPT_NOT_FOUND':
    case 'INVALID_ARGUMENTS':
      return new JsonRpcError(INVALID_PARAMS, errorText(error))
    case 'EXECUTION_FAILED':
      return new JsonRpcError(INTERNAL_ERROR, errorText(error))
    default:
      return new JsonRpcError(SERVER_ERROR, errorText(error), errorFields(error))
  }
}
