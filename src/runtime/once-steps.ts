import { copyJson, type JsonValue, setMember } from '../registry/json-value.js'

/** The steps of a call that are done, or under way, each under its key. */
export class OnceSteps {
  readonly #steps = new Map<string, Promise<unknown>>()
  readonly #results: Record<string, JsonValue> = {}

  /** `done`: the results of earlier rounds. */
  constructor(done: Readonly<Record<string, unknown>> = {}) {
    for (const [key, value] of Object.entries(done)) this.#keep(key, value)
  }

  /** Results so far, by key. */
  get results(): Readonly<Record<string, JsonValue>> {
    return this.#results
  }

  /** Runs `fn` unless its key is done. One that fails, or gives what JSON cannot carry, is not. */
  run<T>(key: string, fn: () => T | Promise<T>): Promise<T> {
    const known = this.#steps.get(key)
    // What is kept under a key is what its own `fn` returned.
    if (known !== undefined) return known as Promise<T>
    const running = (async () => {
      const value = await fn()
      // One that gives nothing is done all the same.
      this.#keep(key, value === undefined ? null : value)
      return value
    })()
    this.#steps.set(key, running)
    running.catch(() => this.#steps.delete(key))
    return running
  }

  /** Resolves when no step is under way. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#steps.values())
  }

  #keep(key: string, value: unknown): void {
    const copy = copyJson(value, `The result of once(${JSON.stringify(key)})`)
    setMember(this.#results, key, copy)
    this.#steps.set(key, Promise.resolve(copy))
  }
}
