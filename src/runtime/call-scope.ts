import { AsyncLocalStorage } from 'node:async_hooks'
import { quoteName } from '../registry/quoted-name.js'
import type { RegisteredDefinition } from '../registry/registered-definition.js'
import { ToolExecutionError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { CallRun } from './call-run.js'

interface Scope {
  readonly call: CallRun
  readonly ctx: ToolExecutionContext
  readonly outer: Scope | undefined
}

const scopes = new AsyncLocalStorage<Scope>()

/** Tools that call each other without end would use up the stack, which can end the process. */
const MAX_DEPTH = 32

/** The call that the running code belongs to, for code that is handed no context, such as a logger deep in a service. */
export function currentCall(): ToolExecutionContext | undefined {
  return scopes.getStore()?.ctx
}

/** Runs `work` as part of the call; calls that it makes are calls inside it. */
export function runInCall<T>(call: CallRun, ctx: ToolExecutionContext, work: () => T): T {
  let outer = scopes.getStore()
  // What an executor has left running may call for as long as the process lives: what is over must not pile up around it.
  while (outer?.call.ended && outer.call.lease === undefined) outer = outer.outer
  return scopes.run({ call, ctx, outer }, work)
}

/** Throws if the running code is inside so many calls that have not ended that `name` cannot be run. */
export function throwIfTooDeep(name: string): void {
  let depth = 0
  for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer)
    if (scope.call.parent === undefined && !scope.call.ended) depth++
  if (depth <= MAX_DEPTH) return
  const message = `Calls within calls are nested more than ${MAX_DEPTH} deep: ${quoteName(name)} is not run`
  throw new ToolExecutionError(message, { outcome: 'not-started' })
}

/** How many of the calls around the running code hold a lease of a definition; they may give it back later. */
export function ownLeases(): (registered: RegisteredDefinition) => number {
  const calls: CallRun[] = []
  for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer) calls.push(scope.call)
  return (registered) => calls.filter(({ lease }) => lease === registered).length
}
