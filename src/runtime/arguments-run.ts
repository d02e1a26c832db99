import { type Awaitable, isPromise } from '../registry/awaitable.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { ArgumentsPipeline } from './arguments/arguments-pipeline.js'
import type { CallRun } from './call-run.js'
import type { Interruption } from './call-work.js'

/**
 * Makes the arguments of a run. What a step waits for (a parameter that the server looks up, a check by a database) is
 * waited for until the run is over, like an executor, and no longer.
 */
export function prepareArguments(
  run: CallRun,
  pipeline: ArgumentsPipeline,
  ctx: ToolExecutionContext,
): Awaitable<unknown> {
  const prepared = pipeline.prepare(ctx)
  if (!isPromise(prepared)) return prepared
  // The pipeline rejects with nothing else.
  return run.race(
    prepared,
    (args) => args,
    (thrown) => thrown as Interruption,
  )
}
