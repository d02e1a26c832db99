/** How tasks are kept. */
export interface TaskOptions {
  /**
   * How long a task can be looked at after it has last changed, in milliseconds; longer than that only while it runs.
   * `TOOLWIRE_TASK_TTL_MS`, default 3 600 000 (an hour), at least 5 000.
   */
  readonly ttlMs?: number
  /** How often a caller should look, in milliseconds. `TOOLWIRE_TASK_POLL_MS`, default 1 000. */
  readonly pollIntervalMs?: number
  /** The most that one caller may begin within `ttlMs`. `TOOLWIRE_TASK_MAX_PER_CALLER`, default 1 000. */
  readonly maxPerCaller?: number
  /** The most that all callers together may begin within `ttlMs`. `TOOLWIRE_TASK_MAX`, default 10 000. */
  readonly max?: number
}

export type TaskSettings = Required<TaskOptions>

type ReadNumber = (
  option: string,
  given: number | undefined,
  variable: string,
  fallback: number,
  min: number,
) => number

/** A task that runs is written again once in a while: with less it would expire, and be aborted, before that. */
const MIN_TTL_MS = 5_000

/** `number` reads an option, or else its variable. */
export function taskSettings(options: TaskOptions = {}, number: ReadNumber): TaskSettings {
  const { ttlMs, pollIntervalMs, maxPerCaller, max } = options
  return {
    ttlMs: number('tasks.ttlMs', ttlMs, 'TOOLWIRE_TASK_TTL_MS', 3_600_000, MIN_TTL_MS),
    pollIntervalMs: number('tasks.pollIntervalMs', pollIntervalMs, 'TOOLWIRE_TASK_POLL_MS', 1_000, 1),
    maxPerCaller: number('tasks.maxPerCaller', maxPerCaller, 'TOOLWIRE_TASK_MAX_PER_CALLER', 1_000, 0),
    max: number('tasks.max', max, 'TOOLWIRE_TASK_MAX', 10_000, 0),
  }
}
