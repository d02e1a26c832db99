import { vi } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../../src/interceptors/attempt-timeout.js'
import { CacheInterceptor } from '../../../src/interceptors/cache.js'
import { CircuitBreakerInterceptor } from '../../../src/interceptors/circuit-breaker.js'
import { ConcurrencyLimitInterceptor } from '../../../src/interceptors/concurrency-limit.js'
import { FallbackInterceptor } from '../../../src/interceptors/fallback.js'
import { IdempotencyInterceptor } from '../../../src/interceptors/idempotency.js'
import { RetryInterceptor } from '../../../src/interceptors/retry.js'
import { Principal } from '../../../src/registry/principal.js'
import { UpstreamError } from '../../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../../src/registry/tool-execution-context.js'
import type { ToolExecutionResult } from '../../../src/registry/tool-execution-result.js'
import { started, tool } from '../runtime-fixture.js'
import type { Behaviour, PlannedCall, Schedule } from './schedule.js'

export const PER_TOOL = 3
export const PER_CALLER = 2

/** One start of an executor, and what became of it. */
export interface Start {
  readonly id: number
  readonly tool: string
  readonly caller: string
  readonly key: string | undefined
  readonly callId: string | number
  readonly n: unknown
  readonly atMs: number
  endedAtMs: number | undefined
  /** It has failed, and is known to have done nothing. */
  didNothing: boolean
}

/** One call and its answer. */
export interface Answered {
  readonly planned: PlannedCall
  readonly callId: number
  readonly result: ToolExecutionResult
  readonly atMs: number
}

/** What a run has come to. */
export interface Outcome {
  readonly starts: readonly Start[]
  readonly answers: readonly Answered[]
  /** Most executors that have run at the same time: of one tool, and of one tool for one caller. */
  readonly most: { readonly perTool: number; readonly perCaller: number }
  /** Calls of a tool that were let through at once when all was over. */
  readonly freePermits: number
  readonly timersLeft: number
}

/** Runs a schedule in fake time through the real runtime with every built-in interceptor of the execution ring. */
export async function play({ calls, behaviours }: Schedule): Promise<Outcome> {
  const starts: Start[] = []
  const running: Start[] = []
  const most = { perTool: 0, perCaller: 0 }
  let isOver = false

  const execute = (name: string) => async (ctx: ToolExecutionContext<Readonly<Record<string, unknown>>>) => {
    if (isOver) return 'over'
    const { callId, callerKey: caller, givenIdempotencyKey: key, args, signal } = ctx
    const start: Start = {
      id: starts.length,
      tool: name,
      caller,
      key,
      callId,
      n: args.n,
      atMs: performance.now(),
      endedAtMs: undefined,
      didNothing: false,
    }
    starts.push(start)
    running.push(start)
    const ofTool = running.filter(({ tool }) => tool === name)
    most.perTool = Math.max(most.perTool, ofTool.length)
    most.perCaller = Math.max(most.perCaller, ofTool.filter((one) => one.caller === caller).length)
    try {
      return await goOn(behaviours[start.id % behaviours.length] as Behaviour, start, signal)
    } finally {
      start.endedAtMs = performance.now()
      running.splice(running.indexOf(start), 1)
    }
  }

  const { runtime } = await started({
    tools: [
      tool('send', execute('send')),
      tool('put', execute('put'), { metadata: { idempotent: true } }),
      tool('get', execute('get'), { metadata: { readOnly: true } }),
      tool('probe', () => new Promise((resolve) => setTimeout(resolve, 10))),
    ],
    interceptors: [
      new IdempotencyInterceptor(),
      new CacheInterceptor({ ttlMs: 300 }),
      new FallbackInterceptor({ value: 'fallback' }),
      new RetryInterceptor({ maxAttempts: 3, initialDelayMs: 20, maxDelayMs: 200 }),
      new CircuitBreakerInterceptor({ openForMs: 200 }),
      new ConcurrencyLimitInterceptor({ perTool: PER_TOOL, perCaller: PER_CALLER, queue: 4 }),
      new AttemptTimeoutInterceptor({ timeoutMs: 150 }),
    ],
    options: { logLevel: 'silent' },
  })

  const begin = async (planned: PlannedCall, callId: number): Promise<Answered> => {
    await wait(planned.atMs)
    const caller = new AbortController()
    const { cancelAfterMs, timeoutMs, key } = planned
    if (cancelAfterMs !== undefined) setTimeout(() => caller.abort(), cancelAfterMs)
    const result = await runtime.call(
      planned.tool,
      { n: planned.n },
      {
        callId,
        timeoutMs,
        signal: caller.signal,
        principal: new Principal({ subject: `caller-${planned.caller}` }),
        ...(key !== undefined && { idempotencyKey: key }),
      },
    )
    return { planned, callId, result, atMs: performance.now() }
  }

  const all = Promise.all(calls.map(begin))
  let answers: readonly Answered[] | undefined
  void all.then((answered) => {
    answers = answered
  })
  // The last one begins, and ends, long before.
  await vi.advanceTimersByTimeAsync(30_000)
  if (answers === undefined) throw new Error('a call has no answer')

  isOver = true
  const probes = await Promise.race([
    Promise.all(Array.from({ length: PER_TOOL }, (_, i) => begin({ ...PROBE, caller: i }, 1_000 + i))),
    vi.advanceTimersByTimeAsync(5_000).then(() => []),
  ])
  const closing = runtime.close()
  await vi.advanceTimersByTimeAsync(20_000)
  await closing
  const freePermits = probes.filter(({ result }) => result.ok && result.value === 'over').length
  return { starts, answers, most, freePermits, timersLeft: vi.getTimerCount() }
}

const PROBE = {
  atMs: 0,
  tool: 'put',
  key: undefined,
  n: 9,
  cancelAfterMs: undefined,
  timeoutMs: 5_000,
} as const

async function goOn(behaviour: Behaviour, start: Start, signal: AbortSignal): Promise<unknown> {
  if (behaviour.does === 'hang') return aborted(signal)
  if (behaviour.does === 'ignore-abort') await wait(behaviour.afterMs)
  else await Promise.race([wait(behaviour.afterMs), aborted(signal)])
  switch (behaviour.does) {
    case 'throw':
      throw new Error('reset')
    case 'fail-upstream':
      throw new UpstreamError('The service is down', { status: 503 })
    case 'fail-before-acting':
      start.didNothing = true
      throw new UpstreamError('The service cannot be reached', { outcome: 'not-started' })
    default:
      return { start: start.id, tool: start.tool, caller: start.caller, n: start.n }
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
