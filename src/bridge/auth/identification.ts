import type { Awaitable } from '../../registry/awaitable.js'
import { Principal } from '../../registry/principal.js'
import { ToolError, type UnauthenticatedError } from '../../registry/tool-error.js'

/** Whether it is known who calls: `refused`, it is nobody who may; `unknown`, it cannot be told, which is as bad. */
export type Identification =
  | { readonly kind: 'known'; readonly principal: Principal | undefined }
  | { readonly kind: 'refused'; readonly reason: UnauthenticatedError }
  | { readonly kind: 'unknown'; readonly reason: unknown }

/**
 * Runs code that is not ours and says who calls. Never rejects: what it throws, what it returns that is no principal,
 * and that it takes longer than `timeoutMs`, are all answers. `client` aborts when the client is gone.
 */
export async function identify(
  ask: (signal: AbortSignal) => Awaitable<Principal | undefined>,
  { client, timeoutMs }: { readonly client: AbortSignal; readonly timeoutMs: number },
): Promise<Identification> {
  const waiting = new AbortController()
  const giveUp = (reason: Error) => waiting.abort(reason)
  const onGone = () => giveUp(new Error('The client is gone'))
  const timer = setTimeout(() => giveUp(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs)
  client.addEventListener('abort', onGone, { once: true })
  if (client.aborted) onGone()
  try {
    const principal = await Promise.race([rejection(waiting.signal), ask(waiting.signal)])
    if (principal === undefined || principal instanceof Principal) return { kind: 'known', principal }
    return { kind: 'unknown', reason: new TypeError('What it returned is no Principal') }
  } catch (reason) {
    if (ToolError.is(reason) && reason.code === 'UNAUTHENTICATED') return { kind: 'refused', reason }
    return { kind: 'unknown', reason }
  } finally {
    clearTimeout(timer)
    client.removeEventListener('abort', onGone)
    // Whoever still works on it may stop.
    waiting.abort()
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  aborted.catch(() => undefined) // it aborts in any case, when nobody waits any more
  return aborted
}
