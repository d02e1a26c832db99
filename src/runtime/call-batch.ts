import { requireNumber } from '../interceptors/number-option.js'
import type { ToolDefinition } from '../registry/tool-definition.js'
import type { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { CallOptions } from './call-options.js'

const DEFAULT_CONCURRENCY = 16

/** One call of a batch. A definition in place of the name types `input` and the result. */
export type BatchedCall<Tool = ToolDefinition | string> = {
  readonly tool: Tool
  /** Goes before what is said for the whole batch. */
  readonly options?: CallOptions
} & (Tool extends ToolDefinition<infer Input, unknown, unknown>
  ? { readonly input: Input }
  : { readonly input?: unknown })

/** The results of a batch, each in the place of its call. */
export type BatchResults<Tools extends readonly unknown[]> = {
  readonly [Index in keyof Tools]: Tools[Index] extends ToolDefinition<infer _Input, unknown, infer Value>
    ? ToolExecutionResult<Value>
    : ToolExecutionResult
}

/** How the calls of a batch are made, but for what belongs to one call alone. */
export interface BatchOptions extends Omit<CallOptions, 'callId' | 'idempotencyKey'> {
  /** How many run at the same time; the time of the others begins when they do. Default 16. */
  readonly concurrency?: number
}

/** Runs every call, so many at a time, in order. Throws a `RangeError` for a `concurrency` that makes no sense. */
export async function callEach<Call>(
  calls: readonly Call[],
  concurrency: number = DEFAULT_CONCURRENCY,
  run: (call: Call) => Promise<ToolExecutionResult>,
): Promise<readonly ToolExecutionResult[]> {
  const bounds = { min: 1, max: Number.POSITIVE_INFINITY, whole: true }
  requireNumber('concurrency of a batch', concurrency, bounds)
  const results: ToolExecutionResult[] = new Array(calls.length)
  const waiting = calls.entries()
  const lane = async () => {
    for (const [index, call] of waiting) results[index] = await run(call)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, calls.length) }, lane))
  return Object.freeze(results)
}
