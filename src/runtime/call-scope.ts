import { AsyncLocalStorage } from 'node:async_hooks'
import type { RegisteredDefinition } from '../registry/registered-definition.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { CallRun } from './call-run.js'

interface Scope {
  readonly call: CallRun
  readonly ctx: ToolExecutionContext
  readonly outer: Scope | undefined
}

const scopes = new AsyncLocalStorage<Scope>()

/** The call that the running code belongs to, for code that is handed no context, such as a logger deep in a service. */
export function currentCall(): ToolExecutionContext | undefined {
  return scopes.getStore()?.ctx
}

/** Runs `work` as part of the call; calls that it makes are calls inside it. */
export function runInCall<T>(call: CallRun, ctx: ToolExecutionContext, work: () => T): T {
  return scopes.run({ call, ctx, outer: scopes.getStore() }, work)
}

/** How many of the calls around the running code hold a lease of a definition; they may give it back later. */
export function ownLeases(): (registered: RegisteredDefinition) => number {
  const calls: CallRun[] = []
  for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer) calls.push(scope.call)
  return (registered) => calls.filter(({ lease }) => lease === registered).length
}
