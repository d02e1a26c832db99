interface Follower {
  signal: AbortSignal | undefined
  onAbort: () => void
  detach: (() => void) | undefined
}

interface Followers {
  readonly all: Set<() => void>
  readonly listener: () => void
}

const followed = new WeakMap<AbortSignal, Followers>()
/** Those that came in this turn of the event loop. */
let arrivals: Follower[] = []

/**
 * Calls `onAbort` when the signal aborts, until the returned function lets go of it. A listener on a signal costs as much
 * as several calls, so the signal gets one when this turn of the event loop is over: what has ended by then needs none.
 */
export function follow(signal: AbortSignal, onAbort: () => void): () => void {
  const follower: Follower = { signal, onAbort, detach: undefined }
  if (arrivals.length === 0) setImmediate(attachArrivals)
  arrivals.push(follower)
  return () => {
    follower.signal = undefined
    follower.detach?.()
  }
}

function attachArrivals(): void {
  const now = arrivals
  arrivals = []
  for (const follower of now) {
    const { signal, onAbort } = follower
    if (signal === undefined) continue
    if (signal.aborted) onAbort()
    else follower.detach = listen(signal, onAbort)
  }
}

/** A signal that many calls share gets one listener: Node warns of a leak at eleven. */
function listen(signal: AbortSignal, onAbort: () => void): () => void {
  const { all, listener } = followed.get(signal) ?? begin(signal)
  all.add(onAbort)
  return () => {
    all.delete(onAbort)
    if (all.size > 0) return
    signal.removeEventListener('abort', listener)
    followed.delete(signal)
  }
}

function begin(signal: AbortSignal): Followers {
  const all = new Set<() => void>()
  const listener = () => {
    for (const onAbort of all) onAbort()
  }
  const followers = { all, listener }
  signal.addEventListener('abort', listener, { once: true })
  followed.set(signal, followers)
  return followers
}
