import { type Awaitable, isPromise } from '../registry/awaitable.js'
import { CallSuspension } from '../registry/call-suspension.js'
import type { CallableDefinition } from '../registry/callable-definition.js'
import { ToolError, ToolExecutionError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import { ToolExecutionResult, type ToolSuccess } from '../registry/tool-execution-result.js'
import type { CallRun } from './call-run.js'
import { passedOnFailure } from './passed-on-failure.js'

/** What is run, and for which definition. */
export interface Executable {
  readonly definition: CallableDefinition
  readonly execute: (ctx: ToolExecutionContext) => unknown
}

/**
 * Starts the executor and makes a result of what it gives. A second start in one call is refused, unless what is called is
 * idempotent or nothing was started: retries and fallbacks of any interceptor run at most once what may have acted.
 */
export function runExecutor(
  call: CallRun,
  { definition, execute }: Executable,
  ctx: ToolExecutionContext,
  leave: (result: ToolSuccess) => ToolSuccess = (result) => result,
): Awaitable<ToolSuccess> {
  call.throwIfOver()
  ctx.throwIfGivenUp()
  if (!call.mayStartAgain) {
    const refusal = `${definition.name} is not idempotent and may have acted: it is not run again in the same call`
    throw new ToolExecutionError(refusal, { outcome: call.outcome })
  }
  const attempt = call.attempts.start()
  const completed = (returned: unknown) => {
    // An executor that went on all the same does not know the answer.
    if (call.suspension !== undefined) throw call.suspension
    const result = successOf(call, returned)
    call.attempts.settle(attempt, 'completed')
    return leave(result)
  }
  const failed = (thrown: unknown) => {
    if (CallSuspension.is(thrown)) return thrown
    const error = call.attempts.asOwn(ToolError.from(thrown))
    call.attempts.settle(attempt, error.outcome)
    return error
  }
  try {
    const returned = execute(ctx)
    return isPromise(returned) ? call.race(returned, completed, failed) : completed(returned)
  } catch (thrown) {
    throw failed(thrown)
  }
}

/** What the executor returned, as a result; the error of a failure is thrown, and so is an error returned by mistake. */
function successOf(call: CallRun, returned: unknown): ToolSuccess {
  if (ToolError.is(returned)) throw returned
  if (!ToolExecutionResult.is(returned)) {
    const failure = passedOnFailure(returned)
    if (failure !== undefined) throw failure
    return ToolExecutionResult.success(returned, call.stamp())
  }
  if (!returned.ok) throw returned.error
  return ToolExecutionResult.success(returned.value, { ...returned, ...call.stamp() })
}
