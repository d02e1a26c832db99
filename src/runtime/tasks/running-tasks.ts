import type { Logger } from '../../interceptors/logger.js'
import type { TaskRun } from './task-run.js'

/** How often the tasks of this process look around, in milliseconds. */
const LOOK_EVERY_MS = 1_000
/** How long the end waits for the store, in milliseconds. */
const CLOSE_MS = 5_000

/** The tasks that this process runs, and those whose end is not stored yet. One timer serves them all. */
export class RunningTasks {
  readonly #runs = new Map<string, TaskRun>()
  readonly #ending = new Set<Promise<void>>()
  readonly #logger: Logger
  #failures = 0
  #timer: NodeJS.Timeout | undefined

  constructor(logger: Logger) {
    this.#logger = logger
  }

  get(id: string): TaskRun | undefined {
    return this.#runs.get(id)
  }

  add(run: TaskRun): void {
    this.#runs.set(run.id, run)
    this.#arm()
  }

  /** Its call has ended, and `stored` settles when that has been tried to be stored. */
  ending(run: TaskRun, stored: Promise<void>): void {
    const settled = stored.then(() => {
      this.#ending.delete(settled)
      this.#forgetIfSettled(run)
    })
    this.#ending.add(settled)
  }

  /** Said once, until it works again: every task that runs meets with it, again and again. */
  storeFailed(err: unknown): void {
    if (this.#failures++ === 0) this.#logger.error({ err }, 'the state of tasks cannot be stored')
  }

  /** After all calls have ended. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS)
    })
    await Promise.race([Promise.all(this.#ending), tooLong])
    await Promise.race([this.#lookAround(), tooLong])
    clearTimeout(timer)
    for (const run of this.#runs.values()) {
      this.#logger.error({ toolName: run.toolName }, 'the end of a task could not be stored')
      void run.giveUp()
    }
    this.#runs.clear()
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** The process need not live for it: what runs has a timer of its own. */
  #arm(): void {
    if (this.#timer !== undefined || this.#runs.size === 0) return
    this.#timer = setTimeout(async () => {
      await this.#lookAround()
      this.#timer = undefined
      this.#arm()
    }, LOOK_EVERY_MS)
    this.#timer.unref()
  }

  async #lookAround(): Promise<void> {
    const failures = this.#failures
    await Promise.all(
      [...this.#runs.values()].map(async (run) => {
        try {
          await run.lookAround()
        } catch (err) {
          this.storeFailed(err)
        }
        this.#forgetIfSettled(run)
      }),
    )
    if (this.#failures > failures || this.#failures === 0) return
    this.#failures = 0
    this.#logger.info({}, 'the state of tasks can be stored again')
  }

  #forgetIfSettled(run: TaskRun): void {
    if (!run.isSettled) return
    this.#runs.delete(run.id)
    if (this.#runs.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
