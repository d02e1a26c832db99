import { randomUUID } from 'node:crypto'
import { type Lease, retryAfterOf, type Store, storeKey } from '../../interceptors/stores/store.js'
import type { JsonValue } from '../../registry/json-value.js'
import { OverloadedError, ToolError, ToolExecutionError } from '../../registry/tool-error.js'
import { ToolExecutionResult } from '../../registry/tool-execution-result.js'
import { resultText } from './result-text.js'
import { hasEnded, type TaskRecord } from './task-record.js'
import type { TaskSettings } from './task-settings.js'

/** How long a process that runs a task may be silent before the task counts as lost, in milliseconds. */
export const OWNER_LEASE_MS = 15_000

/** A record as it was read, or written. */
export interface StoredTask {
  readonly record: TaskRecord
  readonly version: string
}

/** What other processes have to say to the one that runs a task. */
export interface TaskMail {
  readonly isCancelled?: boolean
  /** By the key of the question. */
  readonly answers: Readonly<Record<string, JsonValue>>
}

const NO_MAIL: TaskMail = { answers: {} }
/** Two that send at once take turns; more than this many turns means that the store is broken. */
const MAX_TURNS = 20

/**
 * Tasks in a `Store`. The record of a task is written by the process that runs it, which holds its lease meanwhile; others
 * leave it mail. Whoever looks at the task of a process that is gone finds the lease free, and says so in its place.
 */
export class TaskStore {
  readonly #store: Store
  readonly #settings: TaskSettings

  constructor(store: Store, settings: TaskSettings) {
    this.#store = store
    this.#settings = settings
  }

  /** Makes the record, and takes the lease, of a new task. Rejects with `OVERLOADED` if there is no room, or no store. */
  async create(id: string, record: TaskRecord): Promise<{ readonly lease: Lease; readonly version: string }> {
    const { toolName, callerKey } = record
    try {
      await this.#count(toolName, callerKey)
      const lease = await this.#store.lease(leaseKey(id), { ttlMs: OWNER_LEASE_MS })
      if (lease === undefined) throw new Error('The lease of a new task is taken')
      try {
        const options = { ttlMs: this.ttlMs, ifAbsent: true }
        const version = await this.#store.set(recordKey(id), record, options)
        if (version === undefined) throw new Error('There is a task of this id')
        return { lease, version }
      } catch (thrown) {
        await lease.release().catch(() => undefined)
        throw thrown
      }
    } catch (cause) {
      if (ToolError.is(cause)) throw cause
      throw new OverloadedError(toolName, retryAfterOf(cause), { cause })
    }
  }

  async read(id: string): Promise<StoredTask | undefined> {
    const entry = await this.#store.get(recordKey(id))
    // Nobody else writes under this key.
    return entry && { record: entry.value as object as TaskRecord, version: entry.version }
  }

  /**
   * Writes what the process that runs the task knows of it, for another `ttlMs`, and returns the new version. Undefined if
   * the task is no longer its own: it has expired, or was given up for lost.
   */
  async write(id: string, record: TaskRecord, version: string): Promise<string | undefined> {
    const { ttlMs } = this
    const written = await this.#store.compareAndSet(recordKey(id), version, record, { ttlMs })
    if (written !== undefined) return written
    // A write whose answer got lost has been done all the same.
    const found = await this.read(id)
    if (found === undefined || hasEnded(found.record)) return undefined
    return this.#store.compareAndSet(recordKey(id), found.version, record, { ttlMs })
  }

  /** The task of a process that is gone has failed: says so, if that is how it is. */
  async giveUpIfLost(id: string, { record, version }: StoredTask): Promise<TaskRecord | undefined> {
    const lease = await this.#store.lease(leaseKey(id), { ttlMs: OWNER_LEASE_MS })
    if (lease === undefined) return record
    try {
      const lost = lostTask(record, this.expiry())
      const { ttlMs } = this
      if ((await this.#store.compareAndSet(recordKey(id), version, lost, { ttlMs })) !== undefined)
        return lost
      // It has changed since it was read, so that its process was there.
      return (await this.read(id))?.record
    } finally {
      await lease.release()
    }
  }

  async mail(id: string): Promise<TaskMail | undefined> {
    const entry = await this.#store.get(mailKey(id))
    return entry?.value as TaskMail | undefined
  }

  async send(id: string, { isCancelled, answers }: TaskMail): Promise<void> {
    const { ttlMs } = this
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      const entry = await this.#store.get(mailKey(id))
      const before = (entry?.value ?? NO_MAIL) as TaskMail
      const mail = {
        isCancelled: before.isCancelled === true || isCancelled === true,
        // The first answer counts, as it does in the process that runs the task.
        answers: { ...answers, ...before.answers },
      }
      const written =
        entry === undefined
          ? await this.#store.set(mailKey(id), mail, { ttlMs, ifAbsent: true })
          : await this.#store.compareAndSet(mailKey(id), entry.version, mail, { ttlMs })
      if (written !== undefined) return
    }
    throw new Error('A message to a task could not be stored')
  }

  async deleteMail(id: string): Promise<void> {
    await this.#store.delete(mailKey(id))
  }

  /** Takes the lease of a task that lost it, if it is free. */
  takeLease(id: string): Promise<Lease | undefined> {
    return this.#store.lease(leaseKey(id), { ttlMs: OWNER_LEASE_MS })
  }

  async delete(id: string): Promise<void> {
    await this.#store.delete(recordKey(id))
  }

  /** How long what is written is kept, in milliseconds. */
  get ttlMs(): number {
    return this.#settings.ttlMs
  }

  /** When what is written now expires. */
  expiry(): number {
    return Date.now() + this.ttlMs
  }

  /** A caller that begins too many uses up its own share, not that of all. */
  async #count(toolName: string, callerKey: string): Promise<void> {
    const { ttlMs: windowMs, maxPerCaller, max } = this.#settings
    const own = await this.#store.consume(storeKey('tasks', callerKey), { limit: maxPerCaller, windowMs })
    if (!own.allowed) throw new OverloadedError(toolName, own.retryAfterMs)
    const all = await this.#store.consume(storeKey('tasks'), { limit: max, windowMs })
    if (!all.allowed) throw new OverloadedError(toolName, all.retryAfterMs)
  }
}

/** An id that nobody can guess: whoever knows it has been told. */
export function newTaskId(): string {
  return randomUUID()
}

function lostTask(record: TaskRecord, expiresAt: number): TaskRecord {
  const message = `The process that ran ${record.toolName} is gone: what it has done is not known`
  const error = new ToolExecutionError(message, { outcome: 'unknown' })
  return {
    ...record,
    status: 'failed',
    statusMessage: message,
    lastUpdatedAt: Date.now(),
    expiresAt,
    questions: '{}',
    result: resultText(ToolExecutionResult.failure(error, { toolName: record.toolName })),
  }
}

const recordKey = (id: string) => storeKey('task', id)
const leaseKey = (id: string) => storeKey('task-owner', id)
const mailKey = (id: string) => storeKey('task-mail', id)
