import { IdleWait } from './idle-wait.js'
import type { ToolDefinition } from './tool-definition.js'
import type { ToolInterceptor } from './tool-interceptor.js'

/** Where a tool comes from: its name stands in errors, its interceptors stand around each of its tools. */
export interface ToolSource {
  readonly name: string
  readonly interceptors?: readonly ToolInterceptor[]
}

/**
 * A definition in the registry, with its source and the calls that are running. Replacing a tool makes a new one, which
 * remembers those before it for as long as they are in use.
 */
export class RegisteredTool {
  readonly definition: ToolDefinition
  readonly source: ToolSource
  readonly #earlier: readonly RegisteredTool[]
  readonly #waiting = new IdleWait()
  #running = 0

  constructor(definition: ToolDefinition, source: ToolSource, replaces?: RegisteredTool) {
    this.definition = definition
    this.source = frozenSource(source)
    const earlier = replaces === undefined ? [] : [replaces, ...replaces.#earlier]
    this.#earlier = earlier.filter(({ running }) => running > 0)
  }

  /** Calls that hold a lease. */
  get running(): number {
    return this.#running
  }

  /** Keeps the tool from being let go while a call runs. Each `acquire` needs one `release`. */
  acquire(): void {
    this.#running++
  }

  release(): void {
    this.#running--
    this.#waiting.wake()
  }

  /**
   * Resolves to `true` once nobody but the caller holds a lease, also of the tools that this one replaced, and to `false`
   * after `boundMs`, which may be infinite. `own` says how many leases of a tool the caller holds at the time.
   */
  async drained(boundMs: number, own: (tool: RegisteredTool) => number = () => 0): Promise<boolean> {
    const drained = await Promise.all(
      [this, ...this.#earlier].map((tool) => tool.#waiting.wait(() => tool.#running <= own(tool), boundMs)),
    )
    return drained.every(Boolean)
  }
}

/** A provider may change its list of interceptors later; the tool keeps those it was registered with. */
function frozenSource({ name, interceptors }: ToolSource): ToolSource {
  return Object.freeze({ name, ...(interceptors && { interceptors: Object.freeze([...interceptors]) }) })
}
