import type { JsonSchema } from './json-schema.js'
import type { Returned, ToolExecutionResult } from './tool-execution-result.js'

/** Calls another tool as the caller of this call, in the time that is left. */
export type NestedCall = (
  toolName: string,
  input: unknown,
  signal: AbortSignal,
) => Promise<ToolExecutionResult>

/** By its name, or, for input and value that are typed, by its definition. */
export interface CallTool {
  <Input, Value>(tool: CalledTool<Input, Value>, input: NoInfer<Input>): Promise<ToolExecutionResult<Value>>
  (toolName: string, input?: unknown): Promise<ToolExecutionResult>
}

/** The types of a `ToolDefinition`, which imports what imports this. */
interface CalledTool<Input, Value> {
  readonly kind: 'tool'
  readonly name: string
  readonly parameters: JsonSchema<Input, unknown>
  execute(ctx: never): Returned<Value>
}
