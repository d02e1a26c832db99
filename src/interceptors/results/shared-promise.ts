/**
 * A promise that several wait for, each for as long as its own signal lets it. Who leaves leaves nothing behind, neither
 * here nor at the signal. A failure that nobody waits for ends no process.
 */
export class SharedPromise<T> {
  readonly #promise: Promise<T>
  readonly #waiting = new Set<() => void>()
  #state: 'pending' | 'fulfilled' | 'rejected' = 'pending'

  constructor(promise: Promise<T>) {
    this.#promise = promise
    promise.then(
      () => this.#settle('fulfilled'),
      () => this.#settle('rejected'),
    )
  }

  get state() {
    return this.#state
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Settles as the promise does, or rejects with the reason of the signal, whichever comes first. */
  wait(signal: AbortSignal): Promise<T> {
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.#state !== 'pending') return this.#promise
    return new Promise((resolve, reject) => {
      const letGo = () => {
        this.#waiting.delete(arrive)
        signal.removeEventListener('abort', leave)
      }
      const arrive = () => {
        letGo()
        resolve(this.#promise)
      }
      const leave = () => {
        letGo()
        reject(signal.reason)
      }
      this.#waiting.add(arrive)
      signal.addEventListener('abort', leave)
    })
  }

  #settle(state: 'fulfilled' | 'rejected'): void {
    this.#state = state
    for (const arrive of this.#waiting) arrive()
  }
}
