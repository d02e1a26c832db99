import type { Descriptor } from '../registry/descriptor.js'
import { describe } from '../registry/json-value.js'
import { IdempotencyConflictError, OverloadedError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { ToolExecutionResult, ToolSuccess } from '../registry/tool-execution-result.js'
import type { Next, ToolInterceptor } from '../registry/tool-interceptor.js'
import { isRepeatable } from '../registry/tool-metadata.js'
import { unfailing } from './guarded-logger.js'
import {
  type IdempotencyClaim,
  IdempotencyRecords,
  type ReadRecord,
} from './idempotency/idempotency-records.js'
import { IdempotentUse, lostAnswer } from './idempotency/idempotent-use.js'
import {
  type KeyedCall,
  keyedCall,
  orOverloaded,
  recordedAnswer,
  waitsForAnswer,
  waitUnlessOver,
} from './idempotency/keyed-call.js'
import { InterceptorOrder } from './interceptor-order.js'
import type { Logger } from './logger.js'
import { requireNumber } from './number-option.js'
import { pause } from './pause.js'
import { SharedPromise } from './results/shared-promise.js'
import { leavingReason } from './results/shared-work.js'
import { restoredError } from './results/stored-error.js'
import { boundedStoreKey } from './stores/bounded-key.js'
import { MemoryStore } from './stores/memory-store.js'
import type { Store } from './stores/store.js'

export interface IdempotencyInterceptorOptions {
  /**
   * Keeps what has become of each key. Processes that share one run a key once among them. Default: a `MemoryStore` of its
   * own; it holds a day's keys with their answers, so give a busy service one that has the room.
   */
  readonly store?: Store
  /** The key of a call whose caller gave none, made of its arguments; `undefined` leaves the call alone. */
  readonly key?: (ctx: ToolExecutionContext) => string | undefined
  /** How long the answer to a key is kept, in milliseconds. Default 24 hours. */
  readonly ttlMs?: number
  /** How long a key waits for the answer to a question (MCP 2026-07-28), in milliseconds. Default 10 minutes. */
  readonly waitingMs?: number
  /** How long after its last sign of life a process is taken for dead, in milliseconds. Default 30 seconds. */
  readonly leaseMs?: number
  /** New keys that one caller may use within `ttlMs`, so that it cannot fill the store for all others. Default 10 000. */
  readonly maxKeysPerCaller?: number
  /** Hears of answers that could not be kept. */
  readonly logger?: Logger
  /** Begins every key. Default `idempotency`. */
  readonly keyPrefix?: string
  /** Default `InterceptorOrder.idempotency`. */
  readonly order?: number
}

/** How long to wait before looking again whether another process has come to its end, in milliseconds. */
const POLL_MS = { first: 25, longest: 1_000 }

/**
 * Runs what a caller repeats under one key (`CallOptions.idempotencyKey`, over MCP `_meta['toolwire/idempotencyKey']`) once.
 * Keys of different callers and of different definitions have nothing to do with each other.
 *
 * - A repeat while the work runs waits for it, here or in another process. The work is aborted when the last that waits
 *   has left, and the key is held until it has really ended.
 * - A repeat after that gets the answer again, as JSON, with `meta['toolwire/replayed']`. A failure is an answer too, with
 *   its code, message and `outcome`, unless nothing was started, or the definition is `idempotent` or
 *   `forwardsIdempotencyKey`: then the repeat runs. So it does after a degraded answer, which is never kept, if neither the
 *   call nor what stood in for it may have acted; else it fails. Of a spilled one the link is kept, which may outlive what
 *   it links to. What still comes of work that all have given up is the answer, too.
 * - The same key with other arguments fails with `IDEMPOTENCY_CONFLICT`, at any time.
 * - Where a process dies at work, the repeat fails with the outcome `unknown`, or runs if that is safe, as above.
 * - The rounds of one call are one use of its key: others are refused with `TOOL_UNAVAILABLE` while it waits for an answer.
 *
 * Who uses too many keys is refused with `OVERLOADED` before anything runs, and so is everybody where the store is full or
 * fails.
 */
export class IdempotencyInterceptor implements ToolInterceptor {
  readonly order: number
  readonly #store: Store
  readonly #records: IdempotencyRecords
  readonly #ownKey: IdempotencyInterceptorOptions['key']
  readonly #ttlMs: number
  readonly #maxKeysPerCaller: number
  readonly #waitingMs: number
  readonly #keyPrefix: string
  readonly #logger: Logger | undefined
  /** What runs here. */
  readonly #uses = new Map<string, IdempotentUse>()
  /** Keys that are being claimed here. */
  readonly #claiming = new Map<string, SharedPromise<unknown>>()

  constructor({
    store = new MemoryStore(),
    key,
    ttlMs = 86_400_000,
    waitingMs = 600_000,
    leaseMs = 30_000,
    maxKeysPerCaller = 10_000,
    logger,
    keyPrefix = 'idempotency',
    order = InterceptorOrder.idempotency,
  }: IdempotencyInterceptorOptions = {}) {
    for (const [option, value] of Object.entries({ ttlMs, waitingMs, leaseMs, maxKeysPerCaller }))
      requireNumber(option, value, { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true })
    if (key !== undefined && typeof key !== 'function')
      throw new TypeError(`key must be a function of the context (got ${describe(key)})`)
    this.#records = new IdempotencyRecords({ store, ttlMs, leaseMs })
    this.#store = store
    this.#maxKeysPerCaller = maxKeysPerCaller
    this.#ownKey = key
    this.#ttlMs = ttlMs
    this.#waitingMs = waitingMs
    this.#keyPrefix = keyPrefix
    this.#logger = logger && unfailing(logger)
    this.order = order
  }

  aroundExecute(ctx: ToolExecutionContext, next: Next): Promise<ToolExecutionResult> {
    const { target, kind, callerKey } = ctx
    if (target === undefined || kind === 'completion') return next(ctx)
    const given: unknown = ctx.givenIdempotencyKey ?? this.#ownKey?.(ctx)
    if (given === undefined) return next(ctx)
    // Such as the promise of an async function: as text, all promises are the same key.
    if (typeof given !== 'string')
      throw new TypeError(`an idempotency key must be a string (got ${describe(given)})`)
    const key = boundedStoreKey(this.#keyPrefix, callerKey, kind, target.name, given)
    return this.#once(keyedCall(ctx, next, target, key))
  }

  explain(target: Descriptor): Readonly<Record<string, unknown>> {
    return { ttlMs: this.#ttlMs, afterFailure: isRepeatable(target.metadata) ? 'runs again' : 'fails again' }
  }

  async #once(call: KeyedCall): Promise<ToolSuccess> {
    const { ctx, key } = call
    for (let polls = 0; ; ) {
      const running = this.#uses.get(key)
      if (running !== undefined) {
        if (running.args !== call.args) throw new IdempotencyConflictError(ctx.toolName)
        if (running.work.isOpen) return this.#join(ctx, running)
        await waitUnlessOver(ctx, running.outcome, running.ended.wait(ctx.signal))
        continue
      }
      const read = await orOverloaded(ctx, this.#records.read(key))
      const answer = read && recordedAnswer(call, read.record)
      if (answer !== undefined) return answer
      const claiming = this.#claiming.get(key)
      if (claiming !== undefined) await waitUnlessOver(ctx, 'not-started', claiming.wait(ctx.signal))
      // Others may have begun, and even ended, while the store was asked: what was read is old then.
      if (claiming !== undefined || this.#uses.has(key)) continue
      const begun = await this.#begin(call, read)
      if (begun !== undefined) return begun.answer
      const delayMs = Math.min(POLL_MS.first * 2 ** polls++, POLL_MS.longest)
      await waitUnlessOver(ctx, read === undefined ? 'not-started' : 'unknown', pause(delayMs, ctx))
    }
  }

  async #join(ctx: ToolExecutionContext, use: IdempotentUse): Promise<ToolSuccess> {
    const answer = await use.work.join(ctx)
    if (answer === undefined) throw waitsForAnswer(ctx, use.outcome)
    return answer
  }

  /** Claims the key for this call and begins. Nothing if somebody else has it. */
  #begin(call: KeyedCall, read: ReadRecord | undefined): Promise<Begun | undefined> {
    const { key } = call
    const begun = this.#claimAndBegin(call, read).finally(() => this.#claiming.delete(key))
    this.#claiming.set(key, new SharedPromise(begun.then(ignore, ignore)))
    return begun
  }

  async #claimAndBegin(call: KeyedCall, read: ReadRecord | undefined): Promise<Begun | undefined> {
    const { ctx, key, args } = call
    const claim = await orOverloaded(ctx, this.#records.claim(key, args, read))
    if (claim === undefined) return undefined
    try {
      if (read === undefined) await this.#countKey(ctx, claim)
      if (claim.before?.state === 'running' && !call.mayRunAgain) {
        const lost = lostAnswer('unknown')
        await orOverloaded(ctx, claim.end(lost))
        throw restoredError(lost.error)
      }
      if (ctx.signal.aborted) {
        await orOverloaded(ctx, claim.end(claim.before?.state === 'waiting' ? claim.before : undefined))
        throw leavingReason(ctx, 'not-started')
      }
      const use = new IdempotentUse({
        ...call,
        claim,
        waitingMs: this.#waitingMs,
        onLostRecord: (err) => this.#lostRecord(ctx, err),
        onEnd: () => this.#uses.delete(key),
      })
      this.#uses.set(key, use)
      // Now: others must not come and go, and end the work, before this one waits for it.
      return { answer: this.#join(ctx, use) }
    } catch (thrown) {
      await claim.release()
      throw thrown
    }
  }

  /** One too many is given back. */
  async #countKey(ctx: ToolExecutionContext, claim: IdempotencyClaim): Promise<void> {
    const { callerKey, toolName, target } = ctx
    const key = boundedStoreKey(`${this.#keyPrefix}.keys`, callerKey)
    const quota = { limit: this.#maxKeysPerCaller, windowMs: this.#ttlMs }
    const { allowed, retryAfterMs } = await orOverloaded(ctx, this.#store.consume(key, quota))
    if (allowed) return
    await orOverloaded(ctx, claim.end(undefined))
    throw new OverloadedError(toolName, retryAfterMs, { kind: target?.kind })
  }

  #lostRecord({ kind, toolName, callId, traceId }: ToolExecutionContext, err: unknown): void {
    this.#logger?.warn(
      { kind, toolName, callId, traceId, err },
      'the answer to an idempotency key was not kept',
    )
  }
}

/** Wrapped, so that who began waits for the answer, and not who waits to begin. */
interface Begun {
  readonly answer: Promise<ToolSuccess>
}

function ignore(): void {}
