/** The steps of a call that are done, or under way, each under its key. */
export class OnceSteps {
  readonly #steps = new Map<string, Promise<unknown>>()

  /** Runs `fn` unless its key is done. One that fails is not. */
  run<T>(key: string, fn: () => T | Promise<T>): Promise<T> {
    const known = this.#steps.get(key)
    // What is kept under a key is what its own `fn` returned.
    if (known !== undefined) return known as Promise<T>
    const running = (async () => fn())()
    this.#steps.set(key, running)
    running.catch(() => this.#steps.delete(key))
    return running
  }
}
