/** Names a value that interceptors and the executor of one call share; two keys never collide, whatever their names. */
export class AttributeKey<T> {
  readonly name: string
  /** Carries `T` for the compiler alone. */
  declare readonly valueType: T

  constructor(name: string) {
    this.name = name
    Object.freeze(this)
  }
}

/**
 * What interceptors remember about one call. State that differs between calls belongs here, never in a field of the
 * interceptor: one instance serves all calls at once.
 */
export class CallAttributes {
  readonly #values = new Map<AttributeKey<unknown>, unknown>()

  get<T>(key: AttributeKey<T>): T | undefined {
    // The map holds under each key only what `set` took for it.
    return this.#values.get(key) as T | undefined
  }

  set<T>(key: AttributeKey<T>, value: NoInfer<T>): void {
    this.#values.set(key, value)
  }

  has(key: AttributeKey<unknown>): boolean {
    return this.#values.has(key)
  }

  delete(key: AttributeKey<unknown>): boolean {
    return this.#values.delete(key)
  }
}
