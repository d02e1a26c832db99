/** A value in its place in a {@link LinkedList}. */
export interface Link<T> {
  readonly value: T
}

interface Node<T> extends Link<T> {
  list: LinkedList<T> | undefined
  before: Node<T> | undefined
  after: Node<T> | undefined
}

/** A queue that values can leave from the middle; each step takes the same time however long it is. */
export class LinkedList<T> {
  #first: Node<T> | undefined
  #last: Node<T> | undefined
  #size = 0

  get first(): Link<T> | undefined {
    return this.#first
  }
  get last(): Link<T> | undefined {
    return this.#last
  }
  get size(): number {
    return this.#size
  }

  push(value: T): Link<T> {
    const node: Node<T> = { value, list: this, before: this.#last, after: undefined }
    if (this.#last === undefined) this.#first = node
    else this.#last.after = node
    this.#last = node
    this.#size++
    return node
  }

  /** False if it has left the list before. */
  remove(link: Link<T>): boolean {
    const node = link as Node<T>
    if (node.list !== this) return false
    node.list = undefined
    if (node.before === undefined) this.#first = node.after
    else node.before.after = node.after
    if (node.after === undefined) this.#last = node.before
    else node.after.before = node.before
    this.#size--
    return true
  }
}
