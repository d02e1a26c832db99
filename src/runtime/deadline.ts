/** When a call ends at the latest. Stands still while somebody is asked. Times are on the clock of `performance.now()`. */
export class Deadline {
  readonly timeoutMs: number
  readonly startedAt = performance.now()
  /** Infinite while it stands still. */
  expiresAt: number
  /** Hears each time that it goes on. */
  onResume: (() => void) | undefined
  #pauses = 0
  #pausedMs = 0

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs
    this.expiresAt = this.startedAt + timeoutMs
  }

  get remainingMs(): number {
    return this.#pauses > 0 ? this.#pausedMs : this.expiresAt - performance.now()
  }

  /** Stands still until the function that it returns is called; several may hold it. */
  pause(): () => void {
    this.#pausedMs = this.remainingMs
    this.#pauses++
    this.expiresAt = Number.POSITIVE_INFINITY
    return () => {
      if (--this.#pauses > 0) return
      this.expiresAt = performance.now() + this.#pausedMs
      this.onResume?.()
    }
  }
}
