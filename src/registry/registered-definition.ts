import type { CallableDefinition } from './callable-definition.js'
import { IdleWait } from './idle-wait.js'
import type { ToolInterceptor } from './tool-interceptor.js'

/** Where a definition comes from: its name stands in errors, its interceptors stand around all that it brings. */
export interface DefinitionSource {
  readonly name: string
  readonly interceptors?: readonly ToolInterceptor[]
}

/**
 * A definition in a registry, with its source and the calls that are running. Replacing one makes a new one, which
 * remembers those before it for as long as they are in use.
 */
export class RegisteredDefinition<D extends CallableDefinition = CallableDefinition> {
  readonly definition: D
  readonly source: DefinitionSource
  readonly #earlier: readonly RegisteredDefinition[]
  readonly #waiting = new IdleWait()
  #running = 0

  constructor(definition: D, source: DefinitionSource, replaces?: RegisteredDefinition) {
    this.definition = definition
    this.source = frozenSource(source)
    const earlier = replaces === undefined ? [] : [replaces, ...replaces.#earlier]
    this.#earlier = earlier.filter(({ running }) => running > 0)
  }

  /** Calls that hold a lease. */
  get running(): number {
    return this.#running
  }

  /** Keeps the definition from being let go while a call runs. Each `acquire` needs one `release`. */
  acquire(): void {
    this.#running++
  }

  release(): void {
    this.#running--
    this.#waiting.wake()
  }

  /**
   * Resolves to `true` once nobody but the caller holds a lease, also of those that this one replaced, and to `false`
   * after `boundMs`, which may be infinite. `own` says how many leases of one the caller holds at the time.
   */
  async drained(
    boundMs: number,
    own: (registered: RegisteredDefinition) => number = () => 0,
  ): Promise<boolean> {
    const drained = await Promise.all(
      [this, ...this.#earlier].map((one) => one.#waiting.wait(() => one.#running <= own(one), boundMs)),
    )
    return drained.every(Boolean)
  }
}

/** A provider may change its list of interceptors later; what is registered keeps those it was registered with. */
function frozenSource({ name, interceptors }: DefinitionSource): DefinitionSource {
  return Object.freeze({ name, ...(interceptors && { interceptors: Object.freeze([...interceptors]) }) })
}
