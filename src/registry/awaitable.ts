/** A value, or a promise of one. A call passes mostly values that are ready, and for those no promise is made. */
export type Awaitable<T> = T | Promise<T>

/** Whether the value has to be awaited. Any object with a `then` counts, as it does for `await`. */
export function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

/** Gives the value to `next`, at once if it is ready. What `next` throws is then thrown; else it rejects the promise. */
export function andThen<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  // What a `then` that is not a promise's own returns is anybody's guess.
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value)
}
