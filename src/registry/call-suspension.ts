import type { AskedQuestion } from './ask.js'
import { hasBrand } from './brand.js'

const BRAND = Symbol.for('toolwire.CallSuspension')

/**
 * What `ctx.ask` throws where the answer comes with another request (MCP 2026-07-28 `input_required`): the call ends here,
 * and runs again from the start once the answer is there. Not an error: let it pass. Whoever catches it and goes on
 * changes nothing, since what the call returns then is not used.
 */
export class CallSuspension extends Error {
  override readonly name = 'CallSuspension'
  /** All that is asked at once. */
  readonly questions: readonly AskedQuestion[]
  /** Results of `ctx.once` so far, by key. */
  readonly steps: Readonly<Record<string, unknown>>
  /** Goes on in the rounds after. */
  readonly traceId: string
  /** The same in all rounds, where the caller gives none. */
  readonly idempotencyKey: string
  /** What is left of the call's time, in milliseconds. */
  readonly remainingMs: number

  constructor({
    questions,
    steps,
    traceId,
    idempotencyKey,
    remainingMs,
  }: Pick<CallSuspension, 'questions' | 'steps' | 'traceId' | 'idempotencyKey' | 'remainingMs'>) {
    super('The call waits for an answer')
    this.questions = questions
    this.steps = steps
    this.traceId = traceId
    this.idempotencyKey = idempotencyKey
    this.remainingMs = remainingMs
  }

  static is(value: unknown): value is CallSuspension {
    return hasBrand(value, BRAND)
  }

  get [BRAND](): true {
    return true
  }
}
