import { inspect } from 'node:util'
import { describe } from './json-value.js'
import { RegisteredTool, type ToolSource } from './registered-tool.js'
import { ToolDefinition } from './tool-definition.js'
import { ToolDefinitionError } from './tool-definition-error.js'
import { DuplicateToolError, ToolNotFoundError } from './tool-error.js'
import {
  type ToolRegistryChange,
  type ToolRegistryListener,
  ToolRegistryListeners,
} from './tool-registry-listener.js'

/** Refuses a tool by throwing, before it is registered. */
export type ToolAdmission = (tool: ToolDefinition, source: ToolSource) => void

export interface ToolRegistryOptions {
  /**
   * `portable` (default): 1 to 64 of `A-Z a-z 0-9 _ -`, which every known client and model provider takes. `mcp`: the
   * specification's 1 to 128, with the dot.
   */
  readonly names?: 'portable' | 'mcp'
  /** How long changes are gathered before `onChanged`, in milliseconds. Default 50. */
  readonly changeDelayMs?: number
  /** Hears what a listener threw. Default: a process warning. */
  readonly onListenerError?: (error: unknown) => void
  /**
   * For the code that is running now: says, then and later, how many leases of a tool it holds, not to wait for them.
   * @internal
   */
  readonly ownLeases?: () => (tool: RegisteredTool) => number
}

const APPLICATION: ToolSource = Object.freeze({ name: 'the application' })

/** The list of tools. Tools come and go while it is in use; calls that run keep the definition they started with. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>()
  readonly #admissions = new Set<{ readonly admission: ToolAdmission }>()
  readonly #listeners: ToolRegistryListeners
  readonly #namePattern: RegExp
  readonly #changeDelayMs: number
  readonly #ownLeases: () => (tool: RegisteredTool) => number
  /** What stood under each changed name at the last `onChanged`. */
  readonly #before = new Map<string, ToolDefinition | undefined>()
  #changeTimer: NodeJS.Timeout | undefined
  #list: readonly ToolDefinition[] | undefined

  constructor({
    names = 'portable',
    changeDelayMs = 50,
    onListenerError = (error) =>
      process.emitWarning('A tool registry listener failed', { detail: inspect(error) }),
    ownLeases = () => () => 0,
  }: ToolRegistryOptions = {}) {
    this.#namePattern = names === 'mcp' ? /^[A-Za-z0-9_.-]{1,128}$/ : /^[A-Za-z0-9_-]{1,64}$/
    this.#changeDelayMs = changeDelayMs
    this.#listeners = new ToolRegistryListeners(onListenerError)
    this.#ownLeases = ownLeases
  }

  get size(): number {
    return this.#tools.size
  }

  /** Throws `DuplicateToolError` for a name that is taken, `ToolDefinitionError` for a tool that is refused. */
  register(tool: ToolDefinition, source: ToolSource = APPLICATION): void {
    this.registerAll([tool], source)
  }

  /** All or nothing: one bad tool, and none is registered and no listener is told. */
  registerAll(tools: Iterable<ToolDefinition>, source: ToolSource = APPLICATION): void {
    // All code that is not ours runs first; from the check of the names to the end nothing can come between.
    const batch = [...tools]
    for (const tool of batch) this.#admit(tool, source)
    const added = new Map<string, RegisteredTool>()
    for (const tool of batch) {
      const taken = this.#tools.get(tool.name) ?? added.get(tool.name)
      if (taken !== undefined) throw new DuplicateToolError(tool.name, taken.source.name, source.name)
      added.set(tool.name, new RegisteredTool(tool, source))
    }
    for (const [name, registered] of added) this.#put(name, registered)
    this.#listeners.tell(batch.map((tool) => (listener) => listener.onToolRegistered?.(tool)))
  }

  /** Swaps the tool of that name in one step: no call finds it missing, and those that run end with the old one. */
  replace(tool: ToolDefinition, source?: ToolSource): void {
    requireDefinition(tool)
    const previous = this.#tools.get(tool.name)
    if (previous === undefined) throw new ToolNotFoundError(tool.name)
    const newSource = source ?? previous.source
    this.#admit(tool, newSource)
    this.#put(tool.name, new RegisteredTool(tool, newSource, previous))
    this.#listeners.tell([(listener) => listener.onToolReplaced?.(tool, previous.definition)])
  }

  /**
   * New calls are refused at once. Resolves when the running ones have settled, or after `drainMs`, to whether the tool
   * was there and is no longer in use. A call that removes its own tool does not wait for itself.
   */
  async unregister(name: string, { drainMs = 30_000 }: { readonly drainMs?: number } = {}): Promise<boolean> {
    const removed = this.#tools.get(name)
    if (removed === undefined) return false
    this.#put(name, undefined)
    this.#listeners.tell([(listener) => listener.onToolRemoved?.(removed.definition)])
    return removed.drained(drainMs, this.#ownLeases())
  }

  lookup(name: string): ToolDefinition | undefined {
    return this.#tools.get(name)?.definition
  }

  /** Throws `ToolNotFoundError`. */
  getRequired(name: string): ToolDefinition {
    const tool = this.lookup(name)
    if (tool === undefined) throw new ToolNotFoundError(name)
    return tool
  }

  contains(name: string): boolean {
    return this.#tools.has(name)
  }

  /** By name, so that the order depends on the tools alone and not on who was faster. The same frozen array until a change. */
  list(): readonly ToolDefinition[] {
    this.#list ??= Object.freeze(
      [...this.#tools.values()]
        .map(({ definition }) => definition)
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    )
    return this.#list
  }

  /**
   * The definition with its source and leases: what the router runs.
   * @internal
   */
  registered(name: string): RegisteredTool | undefined {
    return this.#tools.get(name)
  }

  /** Dispose of what it returns to stop listening. */
  addListener(listener: ToolRegistryListener): Disposable {
    return this.#listeners.add(listener)
  }

  /** From now on every tool has to pass. Throws what it throws for a tool that is here already. */
  addAdmission(admission: ToolAdmission): Disposable {
    for (const { definition, source } of this.#tools.values()) admission(definition, source)
    const added = { admission }
    this.#admissions.add(added)
    return { [Symbol.dispose]: () => void this.#admissions.delete(added) }
  }

  #admit(tool: ToolDefinition, source: ToolSource): void {
    requireDefinition(tool)
    if (typeof tool.name !== 'string' || !this.#namePattern.test(tool.name)) {
      const allowed = `must match ${this.#namePattern}; the option names: 'mcp' allows all that MCP does`
      throw new ToolDefinitionError(String(tool.name), [{ path: 'name', message: allowed }])
    }
    for (const { admission } of this.#admissions) admission(tool, source)
  }

  #put(name: string, registered: RegisteredTool | undefined): void {
    if (!this.#before.has(name)) this.#before.set(name, this.lookup(name))
    if (registered === undefined) this.#tools.delete(name)
    else this.#tools.set(name, registered)
    this.#list = undefined
    // The timer is not restarted: a registry that never rests still reports. Nor does it keep the process alive.
    this.#changeTimer ??= setTimeout(() => this.#reportChange(), this.#changeDelayMs).unref()
  }

  #reportChange(): void {
    this.#changeTimer = undefined
    const names = { registered: [] as string[], replaced: [] as string[], removed: [] as string[] }
    for (const [name, before] of this.#before) {
      const now = this.lookup(name)
      if (before === undefined && now !== undefined) names.registered.push(name)
      else if (before !== undefined && now === undefined) names.removed.push(name)
      else if (before !== now) names.replaced.push(name)
    }
    this.#before.clear()
    for (const list of Object.values(names)) Object.freeze(list.sort())
    const change: ToolRegistryChange = Object.freeze(names)
    const isEmpty = Object.values(names).every((list) => list.length === 0)
    if (!isEmpty) this.#listeners.tell([(listener) => listener.onChanged?.(change)])
  }
}

/** Written in JavaScript, a provider may bring anything. */
function requireDefinition(value: unknown): void {
  if (ToolDefinition.is(value)) return
  throw new TypeError(
    `A tool must be a ToolDefinition, made with ToolDefinition.builder() (got ${describe(value)})`,
  )
}
