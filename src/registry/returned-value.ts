import { ToolError } from './tool-error.js'
import { ToolExecutionResult } from './tool-execution-result.js'

/**
 * What somebody's code returned, out of a result if it is in one. Throws the error of a
 * failure, also one returned by mistake.
 */
export function returnedValue(returned: unknown): unknown {
  if (ToolError.is(returned)) throw returned
  if (!ToolExecutionResult.is(returned)) return returned
  if (!returned.ok) throw returned.error
  return returned.value
}
