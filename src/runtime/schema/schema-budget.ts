/** Thrown while validating, when a value would cost too much: no answer is better than one that was not worked out. */
export class ValidationTooLargeError extends Error {
  override readonly name = 'ValidationTooLargeError'
}

/** Characters that are read natively in the time of one step. */
const CHARACTERS_PER_STEP = 8

/**
 * What one validation may still cost, shared by everything that takes part in it: patterns, formats, comparisons and
 * the compiled functions. A step is some 20 ns.
 */
export class ValidationBudget {
  readonly #steps: number
  #left: number

  constructor(steps: number) {
    this.#steps = steps
    this.#left = steps
  }

  /** Before each validation. */
  refill(): void {
    this.#left = this.#steps
  }

  /** Takes steps that are about to be made. Throws `ValidationTooLargeError`. */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new ValidationTooLargeError('the value takes too many steps to validate')
  }

  /** Takes what one pass over a text costs. */
  spendOn(text: string): void {
    this.spend(1 + Math.floor(text.length / CHARACTERS_PER_STEP))
  }
}
