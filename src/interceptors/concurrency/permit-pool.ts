import { type Link, LinkedList } from './linked-list.js'
import { WaitingLengths } from './waiting-lengths.js'

/** How many permits a pool has. */
export interface PermitLimits {
  readonly total: number
  readonly perCaller: number
  /** How many may wait. */
  readonly waiting: number
}

/** Gives a permit back. More than once is the same as once. */
export type Release = () => void

/** Who waits hears one of the two, later. */
export interface Waiter {
  granted(release: Release): void
  /** The queue is full, and somebody who has fewer waiting needs the place. */
  displaced(): void
}

interface Caller {
  readonly key: string
  running: number
  readonly waiting: LinkedList<Waiter>
  /** Its place among those whose turn comes. Unset while nothing of it waits, or it has all the permits that it may have. */
  turn: Link<Caller> | undefined
}

/**
 * Permits, and who waits for one. Callers take turns, and what one caller has waiting goes in order; so a call waits for at
 * most one of each other caller before each of its own. When the queue is full, room is made by the caller who has most
 * waiting, of its last, if it then still has as many as the one who comes. Every step takes the same time however many wait.
 */
export class PermitPool {
  readonly #limits: PermitLimits
  readonly #onIdle: () => void
  readonly #callers = new Map<string, Caller>()
  readonly #turns = new LinkedList<Caller>()
  readonly #lengths = new WaitingLengths<Caller>()
  #running = 0
  #waiting = 0

  /** `onIdle` hears each time that nobody has a permit or waits. */
  constructor(limits: PermitLimits, onIdle: () => void = () => undefined) {
    this.#limits = limits
    this.#onIdle = onIdle
  }

  get running(): number {
    return this.#running
  }
  get waiting(): number {
    return this.#waiting
  }

  /** A permit, if there is one: nobody who may have it is waiting then. */
  take(callerKey: string): Release | undefined {
    const caller = this.#callers.get(callerKey)
    if (this.#running >= this.#limits.total) return undefined
    if (caller !== undefined && caller.running >= this.#limits.perCaller) return undefined
    return this.#grant(caller ?? this.#newCaller(callerKey))
  }

  /** Waits for a permit until the function that it returns is called; undefined if there is no room to wait. */
  wait(callerKey: string, waiter: Waiter): (() => void) | undefined {
    const length = this.#callers.get(callerKey)?.waiting.size ?? 0
    if (this.#waiting >= this.#limits.waiting && !this.#makeRoom(length + 1)) return undefined
    const caller = this.#callers.get(callerKey) ?? this.#newCaller(callerKey)
    const link = caller.waiting.push(waiter)
    this.#waiting++
    this.#lengths.set(caller, caller.waiting.size, caller.waiting.size - 1)
    this.#updateTurn(caller)
    return () => {
      if (this.#leave(caller, link)) this.#settle(caller)
    }
  }

  #makeRoom(length: number): boolean {
    const caller = this.#lengths.first
    const link = caller?.waiting.last
    if (caller === undefined || link === undefined || this.#lengths.longest <= length) return false
    this.#leave(caller, link)
    link.value.displaced()
    return true
  }

  #grant(caller: Caller): Release {
    this.#running++
    caller.running++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#running--
      caller.running--
      this.#updateTurn(caller)
      this.#grantNext()
      this.#settle(caller)
    }
  }

  #grantNext(): void {
    const caller = this.#turns.first?.value
    const link = caller?.waiting.first
    if (caller === undefined || link === undefined || this.#running >= this.#limits.total) return
    this.#leave(caller, link)
    const release = this.#grant(caller)
    // Its next turn comes after everybody else's.
    this.#endTurn(caller)
    this.#updateTurn(caller)
    link.value.granted(release)
  }

  #leave(caller: Caller, link: Link<Waiter>): boolean {
    if (!caller.waiting.remove(link)) return false
    this.#waiting--
    this.#lengths.set(caller, caller.waiting.size, caller.waiting.size + 1)
    this.#updateTurn(caller)
    return true
  }

  #updateTurn(caller: Caller): void {
    const mayHave = caller.waiting.size > 0 && caller.running < this.#limits.perCaller
    if (!mayHave) this.#endTurn(caller)
    else caller.turn ??= this.#turns.push(caller)
  }

  #endTurn(caller: Caller): void {
    if (caller.turn !== undefined) this.#turns.remove(caller.turn)
    caller.turn = undefined
  }

  #newCaller(key: string): Caller {
    const caller: Caller = { key, running: 0, waiting: new LinkedList(), turn: undefined }
    this.#callers.set(key, caller)
    return caller
  }

  /** Forgets whoever has nothing here any more. */
  #settle(caller: Caller): void {
    if (caller.running > 0 || caller.waiting.size > 0) return
    this.#callers.delete(caller.key)
    if (this.#callers.size === 0) this.#onIdle()
  }
}
