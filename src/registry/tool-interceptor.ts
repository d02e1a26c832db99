import type { ServiceIdentifier } from 'inversify'
import type { Awaitable } from './awaitable.js'
import type { Descriptor } from './descriptor.js'
import type { AnyToolError } from './tool-error.js'
import type { ToolExecutionContext } from './tool-execution-context.js'
import type { ToolExecutionResult } from './tool-execution-result.js'

/**
 * Runs everything inside the interceptor; rejects with a `ToolError` when that fails, with a `CallSuspension` when the call
 * waits.
 */
export type Next = (ctx?: ToolExecutionContext) => Promise<ToolExecutionResult>

/**
 * Wraps calls of tools, reads of resources and gets of prompts (`ctx.kind`): logs, refuses, replaces, repeats. Every hook
 * is optional, a plain object will do.
 *
 * The first interceptor is the outermost: `beforeExecute` runs in order, `afterExecute` and `onError` in reverse. Only an
 * interceptor whose `beforeExecute` completed gets one of them; one that throws or answers itself does not.
 *
 * One instance serves all calls, also at the same time: what belongs to one call goes into `ctx.attributes`.
 */
export interface ToolInterceptor {
  /** For logs and `runtime.explain`; the class name by default. */
  readonly name?: string
  /**
   * `request`: sees the raw call, also one of something unknown or with bad arguments, and may change the arguments.
   * `execution` (default): sees canonical, frozen arguments, which are final.
   */
  readonly ring?: 'request' | 'execution'
  /** Lower is further out, within the shared, the provider's or the definition's interceptors. Default 0. */
  readonly order?: number

  /** Return a context to go on with it, a result to answer without running anything, nothing to go on. */
  beforeExecute?(ctx: ToolExecutionContext): Awaitable<ToolExecutionContext | ToolExecutionResult | void>
  /** Return a result to replace the one that the call would have. */
  afterExecute?(ctx: ToolExecutionContext, result: ToolExecutionResult): Awaitable<ToolExecutionResult | void>
  /** Return a success to recover. Throwing replaces the error; the first one becomes its `cause`. */
  onError?(ctx: ToolExecutionContext, error: AnyToolError): Awaitable<ToolExecutionResult | void>
  /**
   * The call ends here for now, to run again from the start once a question is answered (MCP 2026-07-28): neither
   * `afterExecute` nor `onError` is called, and what other hooks make of the `CallSuspension` does not count. Throwing
   * fails the call. In the next round `ctx.round` is higher.
   */
  onSuspend?(ctx: ToolExecutionContext): Awaitable<void>
  /**
   * For what must be held around the work in `try`/`finally`. May skip `next`, or call it again once the previous call of
   * it has settled and before returning. Must return a result.
   */
  aroundExecute?(ctx: ToolExecutionContext, next: Next): Promise<ToolExecutionResult>
  /** For `runtime.explain`: how it treats this definition, and in what state it is, such as an open circuit. */
  explain?(target: Descriptor): Readonly<Record<string, unknown>>
}

/** Bind an interceptor under this to put it around every definition, whatever its source. */
export const ToolInterceptor = Symbol.for('toolwire.ToolInterceptor') as ServiceIdentifier<ToolInterceptor>

/** What an interceptor is called in logs and errors. */
export function interceptorName(interceptor: ToolInterceptor): string {
  if (interceptor.name !== undefined) return interceptor.name
  const className = interceptor.constructor?.name
  return !className || className === 'Object' ? 'interceptor' : className
}
