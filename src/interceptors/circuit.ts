import { CircuitState as BreakerState, type IBreaker } from 'cockatiel'
import type { ToolHealth } from './failures/tool-health.js'

export type CircuitState = 'closed' | 'open' | 'half-open'

const BREAKER_STATE = {
  closed: BreakerState.Closed,
  open: BreakerState.Open,
  'half-open': BreakerState.HalfOpen,
} as const

interface CircuitOptions {
  /** Says when there were failures enough. */
  readonly breaker: IBreaker
  readonly openForMs: number
  readonly onChange: (state: CircuitState, previous: CircuitState) => void
}

/**
 * Lets attempts through while closed, none while open, and one after that: it closes the circuit or opens it again. One that
 * tells nothing makes way for another, and so does one that takes as long as the circuit was open.
 */
export class Circuit {
  readonly #options: CircuitOptions
  #state: CircuitState = 'closed'
  /** Unless closed, nothing is let through before. */
  #closedUntil = 0
  /** What was let through before the last change has no say. */
  #phase = 0

  constructor(options: CircuitOptions) {
    this.#options = options
  }

  get state(): CircuitState {
    return this.#state
  }

  /** When it lets something through at the latest, in milliseconds; 0 if now. */
  get retryAfterMs(): number {
    return this.#state === 'closed' ? 0 : Math.ceil(Math.max(0, this.#closedUntil - performance.now()))
  }

  /** Lets an attempt through, which tells how it went once it has ended; or refuses it. */
  admit(): ((health: ToolHealth) => void) | undefined {
    if (this.retryAfterMs > 0) return undefined
    if (this.#state !== 'closed') this.#enter('half-open')
    const phase = this.#phase
    return (health) => {
      if (phase === this.#phase) this.#learn(health)
    }
  }

  #learn(health: ToolHealth): void {
    const state = BREAKER_STATE[this.#state]
    const isTrial = this.#state === 'half-open'
    if (health === 'unclear') {
      if (isTrial) this.#closedUntil = 0
    } else if (health === 'good') {
      this.#options.breaker.success(state)
      if (isTrial) this.#enter('closed')
    } else {
      const isEnough = this.#options.breaker.failure(state)
      if (isTrial || isEnough) this.#enter('open')
    }
  }

  #enter(state: CircuitState): void {
    const previous = this.#state
    this.#state = state
    this.#phase++
    this.#closedUntil = performance.now() + this.#options.openForMs
    if (state !== previous) this.#options.onChange(state, previous)
  }
}
