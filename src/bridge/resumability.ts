import type { EventStore } from './event-store.js'
import { MemoryEventStore } from './memory-event-store.js'

export interface ResumabilityOptions {
  /** Keeps what was sent. Default: a `MemoryEventStore` of its own. */
  readonly store?: EventStore
  /** How long a client is told to wait before it comes back, in whole milliseconds. Default 1 000. */
  readonly retryMs?: number
  /**
   * The response stream of a call that takes longer than this is closed, so that its client comes back for the rest instead
   * of holding a connection (SEP-1699), in whole milliseconds. Default: never.
   */
  readonly closeStreamAfterMs?: number
}

/** The options, complete. */
export type Resumability = ResumabilityOptions & Required<Omit<ResumabilityOptions, 'closeStreamAfterMs'>>

/** `undefined`: a broken stream is lost. Throws on options that make no sense. */
export function resumabilityOf(
  options: boolean | ResumabilityOptions,
  { sessions }: { readonly sessions: boolean },
): Resumability | undefined {
  if (options === false) return undefined
  if (!sessions)
    throw new TypeError('http.resumability needs http.sessions: what can be resumed is a session’s')
  const {
    store = new MemoryEventStore(),
    retryMs = 1_000,
    closeStreamAfterMs,
  } = options === true ? {} : options
  requireMs('retryMs', retryMs, 0)
  if (closeStreamAfterMs === undefined) return { store, retryMs }
  requireMs('closeStreamAfterMs', closeStreamAfterMs, 1)
  return { store, retryMs, closeStreamAfterMs }
}

function requireMs(name: string, value: number, atLeast: number): void {
  if (Number.isSafeInteger(value) && value >= atLeast) return
  throw new RangeError(
    `http.resumability.${name} must be a whole number of milliseconds from ${atLeast} (got ${value})`,
  )
}
