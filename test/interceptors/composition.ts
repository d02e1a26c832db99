import { ConsecutiveBreaker } from 'cockatiel'
import { vi } from 'vitest'
import {
  CircuitBreakerInterceptor,
  type CircuitBreakerInterceptorOptions,
} from '../../src/interceptors/circuit-breaker.js'
import { ConcurrencyLimitInterceptor } from '../../src/interceptors/concurrency-limit.js'
import { InterceptorOrder } from '../../src/interceptors/interceptor-order.js'
import { UpstreamError } from '../../src/registry/tool-error.js'
import type { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import type { CallOptions } from '../../src/runtime/call-options.js'
import { started, tool } from '../runtime/runtime-fixture.js'

type BuiltIn = keyof typeof InterceptorOrder

/** Where a built-in stands: without an order, where it does by default. */
export type Place = (name: BuiltIn) => { readonly order?: number }

/** What comes of a scenario with two built-ins as they stand by default, and with each in the place of the other. */
export async function bothWays<T>(outer: BuiltIn, inner: BuiltIn, scenario: (at: Place) => Promise<T>) {
  const orders: Partial<Record<BuiltIn, number>> = {
    [outer]: InterceptorOrder[inner],
    [inner]: InterceptorOrder[outer],
  }
  const swapped = (name: BuiltIn) => {
    const order = orders[name]
    return order === undefined ? {} : { order }
  }
  return { byDefault: await scenario(() => ({})), swapped: await scenario(swapped) }
}

/** A runtime with one tool that does one step of a script after the other, and then the last one again and again. */
export async function scripted(
  steps: readonly ((signal: AbortSignal) => unknown)[],
  interceptors: readonly ToolInterceptor[],
  metadata: ToolMetadataInit = {},
) {
  const ran: unknown[] = []
  const scripted = tool(
    'scripted',
    ({ args, signal }) => steps[Math.min(ran.push(args), steps.length) - 1]?.(signal),
    { metadata },
  )
  const { runtime, logger } = await started({ tools: [scripted], interceptors })
  return {
    ran,
    logger,
    runtime,
    call: async (options?: CallOptions, args: unknown = {}) =>
      gistOf(await runtime.call('scripted', args, options)),
  }
}

/** What a result is about, and whether it is that of a stand-in. */
export function gistOf(result: ToolExecutionResult) {
  if (!result.ok) return { code: result.error.code, outcome: result.error.outcome }
  return { value: result.value, ...(result.degraded && { degraded: true }) }
}

/** Lets so much of the faked time go by. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
}

/** What comes of calls, which take less than a second. */
export async function all<T>(...calls: readonly Promise<T>[]): Promise<readonly T[]> {
  const results = Promise.all(calls)
  await pass(1_000)
  return results
}

/** A step that takes so long, whatever its signal says. */
export function takes(ms: number, step: () => unknown): () => Promise<unknown> {
  return () =>
    new Promise((resolve, reject) =>
      setTimeout(() => {
        try {
          resolve(step())
        } catch (thrown) {
          reject(thrown)
        }
      }, ms),
    )
}

/** A step that succeeds. */
export const gives = (value: string) => () => value

/** A step that may have acted. */
export function resets(): never {
  throw new UpstreamError('connection reset')
}

/** A step that did nothing. */
export function isAway(): never {
  throw new UpstreamError('the server is away', { outcome: 'not-started' })
}

/** Opens at that many failures in a row, and notes how it changes. */
export function breakerAt(failures: number, options: CircuitBreakerInterceptorOptions = {}) {
  const changes: string[] = []
  const breaker = new CircuitBreakerInterceptor({
    breaker: () => new ConsecutiveBreaker(failures),
    onStateChange: ({ state }) => changes.push(state),
    ...options,
  })
  return { breaker, changes }
}

/** One at a time, and nobody waits. */
export function oneAtATime(place: { readonly order?: number } = {}): ConcurrencyLimitInterceptor {
  return new ConcurrencyLimitInterceptor({ perTool: 1, queue: 0, ...place })
}
