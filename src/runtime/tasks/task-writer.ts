import type { TaskRecord } from './task-record.js'
import type { TaskStore } from './task-store.js'

export interface TaskWriterOptions {
  readonly id: string
  /** Of the record as it was created. */
  readonly version: string
  readonly expiresAt: number
  /** What is to be written, as it is now. */
  readonly record: () => TaskRecord
  readonly onFailure: (error: unknown) => void
  /** The record is no longer ours to write. */
  readonly onLost: () => void
}

/**
 * Writes the record of one task, one write after the other; what changes during a write is in the next one. A store that
 * fails is tried again when the task looks around.
 */
export class TaskWriter {
  /** When the record expires, as it stands. */
  expiresAt: number
  readonly #store: TaskStore
  readonly #options: TaskWriterOptions
  #version: string
  #hasChanged = false
  #writing: Promise<void> | undefined
  /** There is nothing left that could be written. */
  #isOver = false

  constructor(store: TaskStore, options: TaskWriterOptions) {
    this.#store = store
    this.#options = options
    this.#version = options.version
    this.expiresAt = options.expiresAt
  }

  /** All changes are written. */
  get isDone(): boolean {
    return this.#isOver || (!this.#hasChanged && this.#writing === undefined)
  }

  /** Something has changed that can wait for {@link keep}. */
  markChanged(): void {
    this.#hasChanged = true
  }

  /** Resolves when what has changed is written, or has failed to be. */
  write(): Promise<void> {
    this.#hasChanged = true
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  /** Writes what is not written yet, and writes again before it expires. */
  async keep(): Promise<void> {
    const { expiresAt } = this
    const isHalfOver = Date.now() > expiresAt - this.#store.ttlMs / 2
    if (this.#hasChanged || isHalfOver) await this.write()
  }

  giveUp(): void {
    this.#isOver = true
  }

  async #writeAll(): Promise<void> {
    const { id, record, onFailure, onLost } = this.#options
    while (this.#hasChanged && !this.#isOver) {
      this.#hasChanged = false
      this.expiresAt = this.#store.expiry()
      try {
        const version = await this.#store.write(id, record(), this.#version)
        if (version !== undefined) this.#version = version
        else {
          this.#isOver = true
          onLost()
        }
      } catch (error) {
        this.#hasChanged = true
        onFailure(error)
        return
      }
    }
  }
}
