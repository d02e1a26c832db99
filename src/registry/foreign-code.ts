import { isPromise } from './awaitable.js'

/**
 * Runs code of others that must not hurt us: a listener, a logger, a callback. What it throws, now or later, goes to
 * `onError`, which must not throw.
 */
export function callForeign(act: () => unknown, onError: (error: unknown) => void = () => undefined): void {
  try {
    const pending = act()
    if (isPromise(pending)) Promise.resolve(pending).catch(onError)
  } catch (error) {
    onError(error)
  }
}
