import { AsyncLocalStorage } from 'node:async_hooks'
import type { RegisteredTool } from '../registry/registered-tool.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'

interface Scope {
  readonly ctx: ToolExecutionContext
  readonly registered: RegisteredTool | undefined
  readonly outer: Scope | undefined
}

const scopes = new AsyncLocalStorage<Scope>()

/** The call that the running code belongs to, for code that is handed no context, such as a logger deep in a service. */
export function currentCall(): ToolExecutionContext | undefined {
  return scopes.getStore()?.ctx
}

/** Runs `work` as part of the call; calls that it makes are calls inside it. */
export function runInCall<T>(
  ctx: ToolExecutionContext,
  registered: RegisteredTool | undefined,
  work: () => T,
): T {
  return scopes.run({ ctx, registered, outer: scopes.getStore() }, work)
}

/** How many of the calls around the running code hold a lease of `tool`. */
export function ownLeases(tool: RegisteredTool): number {
  let held = 0
  for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer) {
    if (scope.registered === tool) held++
  }
  return held
}
