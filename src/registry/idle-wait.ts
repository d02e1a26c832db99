/** `setTimeout` fires at once for a delay that is longer. 24 days will do for infinity. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Lets several wait, each up to a bound, until something is no longer in use. */
export class IdleWait {
  readonly #waiting = new Set<() => void>()

  /** Resolves to `true` once `isIdle()` holds, looked at now and at every {@link wake}; to `false` after `boundMs`. */
  wait(isIdle: () => boolean, boundMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (isIdle()) return Promise.resolve(true)
    return new Promise((resolve) => {
      const settle = (idle: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(look)
        resolve(idle)
      }
      const look = () => {
        if (isIdle()) settle(true)
      }
      const timer = setTimeout(() => settle(false), Math.min(boundMs, LONGEST_TIMER_MS))
      this.#waiting.add(look)
    })
  }

  /** Something has ended: everybody who waits looks again. */
  wake(): void {
    for (const look of this.#waiting) look()
  }
}
