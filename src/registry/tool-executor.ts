import type { ToolExecutionContext } from './tool-execution-context.js'
import type { Returned, ToolFailure, ToolSuccess } from './tool-execution-result.js'

export type { Returned } from './tool-execution-result.js'

/** Does a tool's work. Throw a `ToolError` to tell the model what went wrong; anything else thrown is masked. */
export type ToolExecutor<Args = unknown, Value = unknown> = (
  ctx: ToolExecutionContext<Args>,
) => Returned<Value>

/** The value in what an executor returned. */
export type ReturnedValue<R> =
  Awaited<R> extends infer A
    ? A extends ToolFailure
      ? never
      : A extends ToolSuccess<infer Value>
        ? Value
        : A
    : never
