interface Followers {
  readonly all: Set<() => void>
  readonly listener: () => void
}

const followed = new WeakMap<AbortSignal, Followers>()

/**
 * Calls `onAbort` when the signal aborts, until the returned function lets go of it. A signal that many calls share gets
 * one listener: Node warns of a leak at eleven.
 */
export function follow(signal: AbortSignal, onAbort: () => void): () => void {
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
