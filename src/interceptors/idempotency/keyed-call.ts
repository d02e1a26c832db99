import type { Descriptor } from '../../registry/descriptor.js'
import {
  IdempotencyConflictError,
  OverloadedError,
  ToolExecutionError,
  type ToolOutcome,
  ToolUnavailableError,
} from '../../registry/tool-error.js'
import { ToolExecutionContext } from '../../registry/tool-execution-context.js'
import type { ToolSuccess } from '../../registry/tool-execution-result.js'
import type { Next } from '../../registry/tool-interceptor.js'
import { isRepeatable } from '../../registry/tool-metadata.js'
import { argumentsDigest } from '../results/arguments-digest.js'
import { leavingReason } from '../results/shared-work.js'
import { restoredError } from '../results/stored-error.js'
import { restoredResult } from '../results/stored-result.js'
import { retryAfterOf } from '../stores/store.js'
import type { IdempotencyRecord } from './idempotency-records.js'

/** A call that names an idempotency key. */
export interface KeyedCall {
  readonly ctx: ToolExecutionContext
  readonly next: Next
  /** Of the record in the store. */
  readonly key: string
  /** Digest of the arguments. */
  readonly args: string
  /** Running it twice is as good as once. */
  readonly mayRunAgain: boolean
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
}

/** In the `meta` of an answer that was kept from an earlier call. */
const REPLAYED = 'toolwire/replayed'

export function keyedCall(ctx: ToolExecutionContext, next: Next, target: Descriptor, key: string): KeyedCall {
  const args = argumentsDigest(ToolExecutionContext.comparableArgs(ctx))
  if (args === undefined) {
    // Without it one answer might be given for another's arguments.
    throw new ToolExecutionError(
      `${ctx.toolName} cannot be called with an idempotency key: its arguments are more than JSON and cannot be compared`,
      { outcome: 'not-started' },
    )
  }
  return { ctx, next, key, args, mayRunAgain: isRepeatable(target.metadata), startedAt: performance.now() }
}

/** What the record has to say to this call; nothing if there may be something to run. */
export function recordedAnswer(
  { ctx, args, startedAt }: KeyedCall,
  record: IdempotencyRecord,
): ToolSuccess | undefined {
  if (record.args !== args) throw new IdempotencyConflictError(ctx.toolName)
  switch (record.state) {
    case 'running':
      return undefined
    case 'waiting':
      if (ctx.round > 1 && record.traceId === ctx.traceId) return undefined
      throw waitsForAnswer(ctx, 'not-started')
    case 'failed':
      throw restoredError(record.error)
    case 'done': {
      const durationMs = performance.now() - startedAt
      const meta = { ...record.result.meta, [REPLAYED]: true }
      return restoredResult(record.result, { meta, toolName: ctx.toolName, durationMs })
    }
  }
}

export function waitsForAnswer(
  { toolName, target }: ToolExecutionContext,
  outcome: ToolOutcome,
): ToolUnavailableError {
  const reason = 'a call with the same idempotency key waits for an answer'
  return new ToolUnavailableError(toolName, reason, { kind: target?.kind, retryable: true, outcome })
}

/** Rejects if the call is over before; `outcome` is what is known then of the work under its key. */
export async function waitUnlessOver(
  ctx: ToolExecutionContext,
  outcome: ToolOutcome,
  until: Promise<unknown>,
): Promise<void> {
  try {
    await until
  } catch (thrown) {
    throw ctx.signal.aborted ? leavingReason(ctx, outcome) : thrown
  }
}

/** A step of the store; where it fails, so does the call, with `OVERLOADED`: what cannot be looked up or claimed is not run. */
export async function orOverloaded<T>(
  { toolName, target }: ToolExecutionContext,
  step: Promise<T>,
): Promise<T> {
  try {
    return await step
  } catch (cause) {
    throw new OverloadedError(toolName, retryAfterOf(cause), { kind: target?.kind, cause })
  }
}
