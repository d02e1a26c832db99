import { errorCopy } from '../registry/error-copy.js'
import type { AnyToolError } from '../registry/tool-error.js'
import { ToolExecutionResult, type ToolFailure } from '../registry/tool-execution-result.js'
import { isHarmless } from '../registry/tool-metadata.js'
import type { CallRun } from './call-run.js'

/** What the caller is told of a call that failed with `error`: true of all that is known of the work. */
export function failureOf(call: CallRun, error: AnyToolError): ToolFailure {
  const known = error.withOutcomeOf(call.outcome)
  const { traceId, target, outcome } = call
  if (outcome === 'not-started' || (target !== undefined && isHarmless(target.metadata)))
    return ToolExecutionResult.failure(known, { ...call.stamp(), traceId })
  // Whoever goes by the word of it would do twice what is wanted once.
  const final = known.retryable ? errorCopy(known, { retryable: false }) : known
  return ToolExecutionResult.failure(final, { ...call.stamp(), traceId, mayHaveActed: true })
}
