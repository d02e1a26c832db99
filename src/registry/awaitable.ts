/** Now or later. What is there now costs no promise: on the way of a call that is most of it. */
export type Awaitable<T> = T | Promise<T>

/** Whether it is later. Any object with a `then` counts, as it does for `await`. */
export function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

/** `next` of the value, now or when it is there. What `next` throws is thrown, or rejects. */
export function andThen<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromise(value) ? value.then(next) : next(value)
}
