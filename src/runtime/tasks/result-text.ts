import { restoredError, storedError } from '../../interceptors/results/stored-error.js'
import { ToolExecutionResult } from '../../registry/tool-execution-result.js'

/** The JSON text of a result. The cause of an error stays behind, and so does whatever has been put onto the error. */
export function resultText(result: ToolExecutionResult): string {
  if (result.ok) return JSON.stringify(result)
  const { error, ...parts } = result
  return JSON.stringify({ ...parts, error: storedError(error) })
}

/** The result whose {@link resultText} it is. An error is of its class again. */
export function resultOf(text: string): ToolExecutionResult {
  const { ok, value, error, ...parts } = JSON.parse(text)
  if (ok) return ToolExecutionResult.success(value, parts)
  return ToolExecutionResult.failure(restoredError(error), parts)
}
