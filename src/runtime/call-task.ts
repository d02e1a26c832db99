import type { AskAnswer, AskedQuestion } from '../registry/ask.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'

/** What makes a call a task, once it has begun: its caller does not wait any longer, and looks in later. */
export interface CallTask {
  /** It has outlived the request that it came with. */
  readonly hasBegun: boolean
  /**
   * From now on it is a task. The executor starts after that. Rejects with a `ToolError` if it cannot be one; then nothing
   * was started.
   */
  begin(): Promise<void>
  /** The call is about to end with a question, and does not begin any more. False if it has begun: then ask through it. */
  endsWithQuestion(): boolean
  /** Settles when the caller has answered; what is asked shows in the state of the task until then. */
  ask(question: AskedQuestion, signal: AbortSignal): Promise<AskAnswer>
}

/** The same executor, which starts once the task has begun. */
export function startingTask<E extends { readonly execute: (ctx: ToolExecutionContext) => unknown }>(
  executable: E,
  task: CallTask | undefined,
): E {
  if (task === undefined) return executable
  const execute = async (ctx: ToolExecutionContext) => {
    await task.begin()
    ctx.signal.throwIfAborted()
    return executable.execute(ctx)
  }
  return { ...executable, execute }
}
