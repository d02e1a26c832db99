import type { PermitLimits } from '../../../src/interceptors/concurrency/permit-pool.js'

interface Waiting {
  readonly caller: string
  readonly id: number
}

/** What `PermitPool` promises, done with arrays that are looked through. */
export class PermitPoolModel {
  readonly log: string[] = []
  readonly #limits: PermitLimits
  #running: Waiting[] = []
  #queue: Waiting[] = []
  /** Whose turn it is, the first one first; those who may not have a permit are not in it. */
  #turns: string[] = []
  /** Callers in the order in which they came to the number that they have waiting. */
  #lengths: string[] = []

  constructor(limits: PermitLimits) {
    this.#limits = limits
  }

  get counts() {
    return { running: this.#running.length, waiting: this.#queue.length }
  }

  come(caller: string, id: number): void {
    const { total, perCaller, waiting } = this.#limits
    if (this.#running.length < total && this.#runningOf(caller) < perCaller) this.#run({ caller, id })
    else if (this.#queue.length >= waiting && !this.#makeRoom(caller)) this.log.push(`${id} refused`)
    else {
      this.#queue.push({ caller, id })
      this.#changed(caller)
    }
  }

  release(id: number): void {
    const gone = this.#running.find((one) => one.id === id)
    if (gone === undefined) throw new Error(`${id} does not run`)
    this.#running = this.#running.filter((one) => one !== gone)
    this.#updateTurns(gone.caller)
    if (this.#running.length >= this.#limits.total) return
    const caller = this.#turns.shift()
    const next = this.#queue.find((one) => one.caller === caller)
    if (next === undefined) return
    this.#queue = this.#queue.filter((one) => one !== next)
    this.#run(next)
    this.#changed(next.caller)
  }

  leave(id: number): void {
    const gone = this.#queue.find((one) => one.id === id)
    if (gone === undefined) throw new Error(`${id} does not wait`)
    this.#queue = this.#queue.filter((one) => one !== gone)
    this.#changed(gone.caller)
  }

  #run(one: Waiting): void {
    this.#running.push(one)
    this.log.push(`${one.id} runs`)
  }

  #makeRoom(caller: string): boolean {
    const longest = Math.max(0, ...this.#lengths.map((one) => this.#waitingOf(one).length))
    if (longest <= this.#waitingOf(caller).length + 1) return false
    const richest = this.#lengths.find((one) => this.#waitingOf(one).length === longest)
    const last = this.#queue.findLast((one) => one.caller === richest)
    if (last === undefined) return false
    this.log.push(`${last.id} displaced`)
    this.leave(last.id)
    return true
  }

  #changed(caller: string): void {
    this.#lengths = [...this.#lengths.filter((one) => one !== caller), caller]
    this.#updateTurns(caller)
  }

  #updateTurns(caller: string): void {
    const mayHave = this.#waitingOf(caller).length > 0 && this.#runningOf(caller) < this.#limits.perCaller
    if (!mayHave) this.#turns = this.#turns.filter((one) => one !== caller)
    else if (!this.#turns.includes(caller)) this.#turns.push(caller)
  }

  #waitingOf(caller: string): readonly Waiting[] {
    return this.#queue.filter((one) => one.caller === caller)
  }

  #runningOf(caller: string): number {
    return this.#running.filter((one) => one.caller === caller).length
  }
}
