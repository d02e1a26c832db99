import type { Consumption, Quota } from './store.js'

/**
 * An exact sliding window: the log of the calls that passed. Calls of the same ms share an entry, so that the log has at
 * most as many entries as the limit, and as the window has ms.
 */
export class SlidingWindow {
  readonly #passed: { readonly at: number; cost: number }[] = []
  #used = 0
  #expiresAt = 0

  /** When the last of the calls leaves the window. */
  get expiresAt(): number {
    return this.#expiresAt
  }

  /** Counts or refuses a call at `now`, which never runs backwards. */
  consume(now: number, { limit, windowMs, cost = 1 }: Quota): Consumption {
    this.#forgetUntil(now - windowMs)
    const missing = this.#used + cost - limit
    if (missing > 0) {
      const remaining = Math.max(0, limit - this.#used)
      return { allowed: false, remaining, retryAfterMs: this.#waitFor(missing, now, windowMs) }
    }
    this.#record(now, cost)
    this.#expiresAt = now + windowMs
    return { allowed: true, remaining: limit - this.#used, retryAfterMs: 0 }
  }

  #forgetUntil(time: number): void {
    const firstLive = this.#passed.findIndex(({ at }) => at > time)
    const gone = this.#passed.splice(0, firstLive === -1 ? this.#passed.length : firstLive)
    for (const { cost } of gone) this.#used -= cost
  }

  #record(now: number, cost: number): void {
    const last = this.#passed.at(-1)
    if (last?.at === now) last.cost += cost
    else this.#passed.push({ at: now, cost })
    this.#used += cost
  }

  /** Until the oldest calls that make up what is missing have left the window. */
  #waitFor(missing: number, now: number, windowMs: number): number {
    let freed = 0
    for (const { at, cost } of this.#passed) {
      freed += cost
      if (freed >= missing) return at + windowMs - now
    }
    return windowMs
  }
}
