import { type Link, LinkedList } from './linked-list.js'

/** Knows who has the most waiting, in one step: those with equally many stand together. */
export class WaitingLengths<T> {
  readonly #byLength: LinkedList<T>[] = []
  readonly #links = new Map<T, Link<T>>()
  #longest = 0

  get longest(): number {
    return this.#longest
  }

  /** Whoever has had the most for longest. */
  get first(): T | undefined {
    return this.#byLength[this.#longest]?.first?.value
  }

  /** The length of one that grew, or shrank, by 1 is now `length`. */
  set(one: T, length: number, before: number): void {
    const link = this.#links.get(one)
    if (link !== undefined) this.#byLength[before]?.remove(link)
    if (length === 0) this.#links.delete(one)
    else {
      this.#byLength[length] ??= new LinkedList()
      this.#links.set(one, this.#byLength[length].push(one))
    }
    if (length > this.#longest) this.#longest = length
    else if (this.#longest === before && this.#byLength[before]?.size === 0) this.#longest = length
  }
}
