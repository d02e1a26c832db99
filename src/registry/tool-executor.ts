import type { ToolExecutionContext } from './tool-execution-context.js'
import type { ToolFailure, ToolSuccess } from './tool-execution-result.js'

/** What an executor may return: its value, or a result made with `ToolExecutionResult`, now or later. */
export type Returned<Value> =
  | Value
  | ToolSuccess<Value>
  | ToolFailure
  | Promise<Value | ToolSuccess<Value> | ToolFailure>

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
