import { inspect } from 'node:util'
import type { CallableDefinition } from './callable-definition.js'
import { type DefinitionSource, RegisteredDefinition } from './registered-definition.js'
import { type ChangeListener, type RegistryChange, RegistryListeners } from './registry-listeners.js'

/** Refuses a definition by throwing, before it is registered. */
export type Admission<D> = (definition: D, source: DefinitionSource) => void

export interface RegistryOptions {
  /** How long changes are gathered before `onChanged`, in milliseconds. Default 50. */
  readonly changeDelayMs?: number
  /** Hears what a listener threw. Default: a process warning. */
  readonly onListenerError?: (error: unknown) => void
  /**
   * For the code that is running now: says, then and later, how many leases of a definition it holds, not to wait for them.
   * @internal
   */
  readonly ownLeases?: () => (registered: RegisteredDefinition) => number
}

const APPLICATION: DefinitionSource = Object.freeze({ name: 'the application' })

/**
 * What the registries of tools, resources and prompts have in common. Definitions come and go while one is in use; calls
 * that run keep the definition they started with.
 */
export abstract class DefinitionRegistry<
  D extends CallableDefinition,
  Listener extends ChangeListener = ChangeListener,
> {
  readonly #registered = new Map<string, RegisteredDefinition<D>>()
  readonly #admissions = new Set<{ readonly admission: Admission<D> }>()
  readonly #changeDelayMs: number
  readonly #ownLeases: () => (registered: RegisteredDefinition) => number
  /** What stood under each changed key at the last `onChanged`. */
  readonly #before = new Map<string, D | undefined>()
  #changeTimer: NodeJS.Timeout | undefined
  #list: readonly D[] | undefined
  protected readonly listeners: RegistryListeners<Listener>

  constructor({
    changeDelayMs = 50,
    onListenerError = (error) =>
      process.emitWarning('A registry listener failed', { detail: inspect(error) }),
    ownLeases = () => () => 0,
  }: RegistryOptions = {}) {
    this.#changeDelayMs = changeDelayMs
    this.listeners = new RegistryListeners(onListenerError)
    this.#ownLeases = ownLeases
  }

  /** Under what it is kept, and unique by. */
  abstract keyOf(definition: D): string
  /**
   * Throws for what is no definition of this kind, or has a key that is not allowed. Written in JavaScript, a provider may
   * bring anything.
   */
  protected abstract requireValid(definition: D): void
  protected abstract duplicate(key: string, registeredBy: string, refused: string): Error
  protected abstract notFound(key: string): Error
  protected abstract tellRegistered(listener: Listener, definition: D): void | Promise<void>
  protected abstract tellReplaced(listener: Listener, definition: D, previous: D): void | Promise<void>
  protected abstract tellRemoved(listener: Listener, definition: D): void | Promise<void>

  get size(): number {
    return this.#registered.size
  }

  /** Throws `DuplicateToolError` for a key that is taken, `ToolDefinitionError` for a definition that is refused. */
  register(definition: D, source: DefinitionSource = APPLICATION): void {
    this.registerAll([definition], source)
  }

  /** All or nothing: one that is bad, and none is registered and no listener is told. */
  registerAll(definitions: Iterable<D>, source: DefinitionSource = APPLICATION): void {
    // All code that is not ours runs first; from the check of the keys to the end nothing can come between.
    const batch = [...definitions]
    for (const definition of batch) this.#admit(definition, source)
    const added = new Map<string, RegisteredDefinition<D>>()
    for (const definition of batch) {
      const key = this.keyOf(definition)
      const taken = this.#registered.get(key) ?? added.get(key)
      if (taken !== undefined) throw this.duplicate(key, taken.source.name, source.name)
      added.set(key, new RegisteredDefinition(definition, source))
    }
    for (const [key, registered] of added) this.#put(key, registered)
    this.listeners.tell(batch.map((definition) => (listener) => this.tellRegistered(listener, definition)))
  }

  /** Swaps the definition of that key in one step: no call finds it missing, and those that run end with the old one. */
  replace(definition: D, source?: DefinitionSource): void {
    this.requireValid(definition)
    const key = this.keyOf(definition)
    const found = this.#registered.get(key)
    if (found === undefined) throw this.notFound(key)
    const newSource = source ?? found.source
    this.#admit(definition, newSource)
    // An admission may have changed what is registered.
    const previous = this.#registered.get(key)
    if (previous === undefined) throw this.notFound(key)
    this.#put(key, new RegisteredDefinition(definition, newSource, previous))
    this.listeners.tell([(listener) => this.tellReplaced(listener, definition, previous.definition)])
  }

  /**
   * New calls are refused at once. Resolves when the running ones have settled, or after `drainMs`, to whether the
   * definition was there and is no longer in use. A call that removes its own definition does not wait for itself.
   */
  async unregister(key: string, { drainMs = 30_000 }: { readonly drainMs?: number } = {}): Promise<boolean> {
    const removed = this.#registered.get(key)
    if (removed === undefined) return false
    this.#put(key, undefined)
    this.listeners.tell([(listener) => this.tellRemoved(listener, removed.definition)])
    return removed.drained(drainMs, this.#ownLeases())
  }

  /** Removes all, without waiting for calls that run. */
  async clear(): Promise<void> {
    await Promise.all([...this.#registered.keys()].map((key) => this.unregister(key, { drainMs: 0 })))
  }

  lookup(key: string): D | undefined {
    return this.#registered.get(key)?.definition
  }

  /** Throws where `lookup` has nothing. */
  getRequired(key: string): D {
    const definition = this.lookup(key)
    if (definition === undefined) throw this.notFound(key)
    return definition
  }

  contains(key: string): boolean {
    return this.#registered.has(key)
  }

  /** By key, so that the order depends on what is there and not on who was faster. The same frozen array until a change. */
  list(): readonly D[] {
    this.#list ??= Object.freeze(
      [...this.#registered].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { definition }]) => definition),
    )
    return this.#list
  }

  /**
   * The definition with its source and leases: what the router runs.
   * @internal
   */
  registered(key: string): RegisteredDefinition<D> | undefined {
    return this.#registered.get(key)
  }

  /**
   * All of them, with their sources and leases.
   * @internal
   */
  all(): readonly RegisteredDefinition<D>[] {
    return [...this.#registered.values()]
  }

  /** Dispose of what it returns to stop listening. */
  addListener(listener: Listener): Disposable {
    return this.listeners.add(listener)
  }

  /** From now on every definition has to pass. Throws what it throws for one that is here already. */
  addAdmission(admission: Admission<D>): Disposable {
    for (const { definition, source } of this.#registered.values()) admission(definition, source)
    const added = { admission }
    this.#admissions.add(added)
    return { [Symbol.dispose]: () => void this.#admissions.delete(added) }
  }

  #admit(definition: D, source: DefinitionSource): void {
    this.requireValid(definition)
    for (const { admission } of this.#admissions) admission(definition, source)
  }

  #put(key: string, registered: RegisteredDefinition<D> | undefined): void {
    if (!this.#before.has(key)) this.#before.set(key, this.lookup(key))
    if (registered === undefined) this.#registered.delete(key)
    else this.#registered.set(key, registered)
    this.#list = undefined
    // The timer is not restarted: a registry that never rests still reports. Nor does it keep the process alive.
    this.#changeTimer ??= setTimeout(() => this.#reportChange(), this.#changeDelayMs).unref()
  }

  #reportChange(): void {
    this.#changeTimer = undefined
    const keys = { registered: [] as string[], replaced: [] as string[], removed: [] as string[] }
    for (const [key, before] of this.#before) {
      const now = this.lookup(key)
      if (before === undefined && now !== undefined) keys.registered.push(key)
      else if (before !== undefined && now === undefined) keys.removed.push(key)
      else if (before !== now) keys.replaced.push(key)
    }
    this.#before.clear()
    for (const list of Object.values(keys)) Object.freeze(list.sort())
    const change: RegistryChange = Object.freeze(keys)
    const isEmpty = Object.values(keys).every((list) => list.length === 0)
    if (!isEmpty) this.listeners.tell([(listener) => listener.onChanged?.(change)])
  }
}
