import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What a process holds at a moment. */
export interface Holdings {
  /** Servers of SDK 1.x, of those that were ever connected. */
  readonly servers: number
  /** Abort signals that somebody listens to. */
  readonly signals: number
  readonly intervals: number
  readonly registryListeners: number
  /** What keeps the process alive: sockets, timers. */
  readonly resources: readonly string[]
}

/** A registry of any kind. */
interface Listenable {
  addListener(listener: object): Disposable
}

/** Counts what is acquired and released, from outside, between its making and its disposal. */
export class Census implements Disposable {
  readonly #servers: WeakRef<object>[] = []
  readonly #signals: WeakRef<AbortSignal>[] = []
  readonly #intervals = new Set<unknown>()
  #registryListeners = 0
  readonly #restore: (() => void)[] = []

  constructor(...registries: readonly Listenable[]) {
    const [servers, signals, known] = [this.#servers, this.#signals, new WeakSet<AbortSignal>()]
    this.#wrap(
      Server.prototype,
      'connect',
      (connect) =>
        function (this: object, ...args) {
          servers.push(new WeakRef(this))
          return connect.apply(this, args)
        },
    )
    this.#wrap(
      EventTarget.prototype,
      'addEventListener',
      (add) =>
        function (this: object, ...args) {
          if (this instanceof AbortSignal && !known.has(this)) {
            known.add(this)
            signals.push(new WeakRef(this))
          }
          return add.apply(this, args)
        },
    )
    this.#wrap(globalThis, 'setInterval', (set) => (...args) => {
      const interval = set.apply(globalThis, args)
      this.#intervals.add(interval)
      return interval
    })
    this.#wrap(globalThis, 'clearInterval', (clear) => (...args) => {
      this.#intervals.delete(args[0])
      return clear.apply(globalThis, args)
    })
    for (const registry of registries) {
      this.#wrap(registry, 'addListener', (add) => (...args) => {
        const listener = add.apply(registry, args) as Disposable
        this.#registryListeners++
        return {
          [Symbol.dispose]: () => {
            this.#registryListeners--
            listener[Symbol.dispose]()
          },
        }
      })
    }
  }

  /** After the garbage is collected. */
  async holdings(): Promise<Holdings> {
    for (let round = 0; round < 4; round++) {
      await sleep(1)
      collectGarbage()
    }
    const isListenedTo = (signal: AbortSignal | undefined) =>
      signal !== undefined && getEventListeners(signal, 'abort').length > 0
    return {
      servers: this.#servers.filter((one) => one.deref() !== undefined).length,
      signals: this.#signals.filter((one) => isListenedTo(one.deref())).length,
      intervals: this.#intervals.size,
      registryListeners: this.#registryListeners,
      resources: process.getActiveResourcesInfo().sort(),
    }
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restore.splice(0)) restore()
  }

  // biome-ignore-start lint/suspicious/noExplicitAny: any method of any object
  #wrap(
    owner: any,
    name: string,
    wrapper: (method: (...args: any[]) => any) => (...args: any[]) => any,
  ): void {
    // biome-ignore-end lint/suspicious/noExplicitAny: see above
    const own = Object.getOwnPropertyDescriptor(owner, name)
    owner[name] = wrapper(owner[name])
    this.#restore.push(() => {
      delete owner[name]
      if (own !== undefined) Object.defineProperty(owner, name, own)
    })
  }
}

/** What has been acquired since and is not released, after a while at the latest: the names, with how many. */
export async function leftSince(before: Holdings, census: Census): Promise<Readonly<Record<string, number>>> {
  for (let round = 0; ; round++) {
    const left = grown(before, await census.holdings())
    if (round >= ROUNDS || Object.keys(left).length === 0) return left
    await sleep(50)
  }
}

/** Enough for sockets to close; then it is a leak. */
const ROUNDS = 60

function grown(before: Holdings, now: Holdings): Record<string, number> {
  const [counted, then] = [counts(now), counts(before)]
  const growth = Object.entries(counted).map(([name, count]) => [name, count - (then[name] ?? 0)] as const)
  return Object.fromEntries(growth.filter(([, more]) => more > 0))
}

function counts({ resources, ...others }: Holdings): Record<string, number> {
  const counted: Record<string, number> = { ...others }
  for (const name of resources) counted[name] = (counted[name] ?? 0) + 1
  return counted
}

/** The heap in use, once the garbage is collected. */
export async function heapBytes(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    await sleep(1)
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
}
