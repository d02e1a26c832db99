import { setTimeout as delay } from 'node:timers/promises'
import type { JsonObject } from '../../registry/json-value.js'
import { ToolUnavailableError } from '../../registry/tool-error.js'
import { ToolExecutionResult } from '../../registry/tool-execution-result.js'
import { follow } from '../shared-signal.js'
import type { RunningTasks } from './running-tasks.js'
import { hasEnded, stateOf, type TaskRecord, type TaskState } from './task-record.js'
import type { TaskStore } from './task-store.js'

/** Looks at tasks and speaks to them: at once in the process that runs them, by way of the store in others. */
export class TaskAccess {
  readonly #store: TaskStore
  readonly #running: RunningTasks
  readonly #pollIntervalMs: number

  constructor(store: TaskStore, running: RunningTasks, pollIntervalMs: number) {
    this.#store = store
    this.#running = running
    this.#pollIntervalMs = pollIntervalMs
  }

  /** Undefined for one that there is not, or not any more. */
  async record(id: string): Promise<TaskRecord | undefined> {
    const run = this.#running.get(id)
    if (run !== undefined) return run.record()
    const stored = await this.#store.read(id)
    if (stored === undefined || hasEnded(stored.record)) return stored?.record
    return this.#store.giveUpIfLost(id, stored)
  }

  async state(id: string): Promise<TaskState | undefined> {
    const record = await this.record(id)
    return record && stateOf(record)
  }

  async result(id: string, toolName: string, signal: AbortSignal | undefined): Promise<ToolExecutionResult> {
    for (;;) {
      signal?.throwIfAborted()
      const run = this.#running.get(id)
      if (run !== undefined) return unlessAborted(run.result, signal)
      const state = await this.state(id)
      if (state === undefined) return ToolExecutionResult.failure(expired(toolName), { toolName })
      if (state.result !== undefined) return state.result
      await delay(this.#pollIntervalMs, undefined, { signal }).catch(() => signal?.throwIfAborted())
    }
  }

  /** Returns the keys of those that answer nothing. */
  async answer(id: string, answers: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    const state = await this.state(id)
    const asked = Object.keys(state?.questions ?? {})
    const given = Object.entries(answers)
    const open = given.filter(([key]) => asked.includes(key))
    const ignored = given.flatMap(([key]) => (asked.includes(key) ? [] : [key]))
    const run = this.#running.get(id)
    if (run !== undefined) await run.answer(answers)
    // Answers are JSON; the store refuses what is not.
    else if (open.length > 0) await this.#store.send(id, { answers: Object.fromEntries(open) as JsonObject })
    return ignored
  }

  async cancel(id: string): Promise<void> {
    const run = this.#running.get(id)
    if (run !== undefined) return run.cancel()
    const record = await this.record(id)
    if (record !== undefined && !hasEnded(record))
      await this.#store.send(id, { isCancelled: true, answers: {} })
  }
}

function expired(toolName: string): ToolUnavailableError {
  return new ToolUnavailableError(toolName, 'the task has expired', { outcome: 'unknown' })
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  let letGo = () => {}
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        letGo = follow(signal, () => reject(signal.reason))
      }),
    ])
  } finally {
    letGo()
  }
}
