import { CallSuspension } from '../registry/call-suspension.js'
import { type AnyToolError, ToolAbortedError, ToolError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'

/** Why the signal of the context was aborted, as what ends the call. An interceptor may have aborted it with anything. */
export function abortReason({ signal, toolName }: ToolExecutionContext): AnyToolError | CallSuspension {
  const reason: unknown = signal.reason
  if (ToolError.is(reason) || CallSuspension.is(reason)) return reason
  return new ToolAbortedError(toolName, { cause: reason })
}
