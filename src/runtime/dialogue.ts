import { type AskAnswer, type AskedQuestion, type AskQuestion, CAPABILITY_OF } from '../registry/ask.js'
import { CallSuspension } from '../registry/call-suspension.js'
import type { DefinitionKind } from '../registry/definition-kind.js'
import { digest } from '../registry/fingerprint.js'
import { LONGEST_TIMER_MS } from '../registry/idle-wait.js'
import {
  AskUnsupportedError,
  ToolAbortedError,
  ToolError,
  ToolExecutionError,
  type ToolOutcome,
  ToolTimeoutError,
} from '../registry/tool-error.js'
import { type CheckForm, InvalidAnswerError, readAnswer } from './ask-answer.js'
import { type FormFaults, readQuestion } from './ask-question.js'
import type { CallOptions } from './call-options.js'
import type { CallRound } from './call-round.js'
import { OnceSteps } from './once-steps.js'

/** What a call is for its dialogue. */
export interface AskingCall {
  readonly toolName: string
  readonly traceId: string
  readonly target: { readonly kind: DefinitionKind } | undefined
  readonly signal: AbortSignal
  /** What is known of the work so far. */
  readonly outcome: ToolOutcome
  /** It has its answer. */
  readonly ended: boolean
  /** It may run from the start once more. */
  readonly mayAskInRounds: boolean
  /** What is left until the deadline, in milliseconds. */
  readonly remainingMs: number
  /** The deadline stands still until the function that it returns is called. */
  pauseDeadline(): () => void
  /** Ends the call for now: it runs again, from the start, with the answer. */
  interrupt(suspension: CallSuspension): void
}

/** How the questions of a call are checked and waited for. */
export interface AskingSettings {
  /** Set where an answer comes with another request. */
  readonly round: CallRound | undefined
  readonly formFaults: FormFaults
  readonly checkForm: CheckForm
  /** Hears why an answer is asked for again. */
  readonly onUnusable: (toolName: string, reason: string) => void
  /** How long an answer may take, in milliseconds. */
  readonly askTimeoutMs: number
}

export interface DialogueOptions extends AskingSettings {
  readonly ask: CallOptions['ask'] | undefined
}

/** What one call asks, and the steps that it takes once. */
export class Dialogue {
  readonly #call: AskingCall
  readonly #options: DialogueOptions
  readonly #steps: OnceSteps
  /** By key; `shown` is the digest of the question. */
  readonly #asked = new Map<string, { readonly shown: string; readonly answer: Promise<AskAnswer> }>()
  /** Give up the questions that are open. */
  readonly #open = new Set<() => void>()
  #count = 0
  #pending: AskedQuestion[] = []
  #suspending: Promise<never> | undefined

  constructor(call: AskingCall, options: DialogueOptions) {
    this.#call = call
    this.#options = options
    this.#steps = new OnceSteps(options.round?.steps)
  }

  once<T>(key: string, fn: () => T | Promise<T>): Promise<T> {
    return unwatched(this.#once(key, fn))
  }

  ask(question: AskQuestion): Promise<AskAnswer> {
    return unwatched(this.#ask(question))
  }

  async #once<T>(key: string, fn: () => T | Promise<T>): Promise<T> {
    this.#requireRunning()
    return this.#steps.run(key, fn)
  }

  async #ask(question: AskQuestion): Promise<AskAnswer> {
    this.#requireRunning()
    const asked = readQuestion(question, `ask-${++this.#count}`, this.#options.formFaults)
    const { key } = asked
    const shown = digest(asked)
    const earlier = this.#asked.get(key)
    if (earlier === undefined) {
      const answer = this.#answerTo(asked, shown)
      this.#asked.set(key, { shown, answer })
      answer.catch(() => this.#asked.delete(key))
      return answer
    }
    // A second attempt of the call asks the same again, and has its answer.
    if (earlier.shown === shown) return earlier.answer
    throw new TypeError(`The key ${JSON.stringify(key)} names two questions of one call: give each its own`)
  }

  #answerTo(asked: AskedQuestion, shown: string): Promise<AskAnswer> {
    const { round, ask } = this.#options
    if (round !== undefined) return this.#askInRounds(asked, shown, round)
    if (ask === undefined) throw this.#unsupported(asked.kind)
    return this.#askNow(asked, ask)
  }

  /** Nobody waits for an answer any more. */
  end(): void {
    for (const giveUp of this.#open) giveUp()
  }

  /**
   * What goes on after the end of its call acts and asks no more: nobody would know of it, and the next round would repeat
   * it.
   */
  #requireRunning(): void {
    const { signal, ended } = this.#call
    if (signal.aborted || ended) throw this.#whyOver
  }

  get #whyOver(): unknown {
    const { signal, toolName, outcome } = this.#call
    return signal.aborted ? signal.reason : new ToolAbortedError(toolName, { outcome })
  }

  #unsupported(kind: AskedQuestion['kind']): AskUnsupportedError {
    return new AskUnsupportedError(CAPABILITY_OF[kind], { outcome: this.#call.outcome })
  }

  async #askNow(asked: AskedQuestion, ask: NonNullable<CallOptions['ask']>): Promise<AskAnswer> {
    const { signal, toolName, target, outcome } = this.#call
    const { askTimeoutMs, checkForm } = this.#options
    const resume = this.#call.pauseDeadline()
    let timer: NodeJS.Timeout | undefined
    let giveUp = () => {}
    const ended = new AbortController()
    try {
      const tooLate = new Promise<never>((_, reject) => {
        giveUp = () => reject(this.#whyOver)
        this.#open.add(giveUp)
        signal.addEventListener('abort', giveUp)
        const options = { outcome, kind: target?.kind }
        timer = setTimeout(
          () => reject(new ToolTimeoutError(toolName, askTimeoutMs, options, 'get an answer')),
          Math.min(askTimeoutMs, LONGEST_TIMER_MS),
        )
      })
      return readAnswer(asked, await Promise.race([ask(asked, ended.signal), tooLate]), checkForm)
    } catch (thrown) {
      if (thrown instanceof InvalidAnswerError) {
        throw new ToolExecutionError(thrown.message, { cause: thrown, outcome, retryable: true })
      }
      // Of whoever was asked, who does not know what was done before.
      if (ToolError.is(thrown)) throw thrown.withOutcomeOf(outcome)
      // It was another call's `ask`, which waits now: this one has no later round.
      throw CallSuspension.is(thrown) ? new ToolAbortedError(toolName, { outcome, cause: thrown }) : thrown
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      this.#open.delete(giveUp)
      // Whoever still shows the question can take it away.
      ended.abort()
      resume()
    }
  }

  /** One that cannot be used is as good as none: to fail would lose the steps that are done, and asking goes on in a new round. */
  #usable(asked: AskedQuestion, answer: unknown): AskAnswer | undefined {
    const { checkForm, onUnusable } = this.#options
    try {
      return readAnswer(asked, answer, checkForm)
    } catch (thrown) {
      if (!(thrown instanceof InvalidAnswerError)) throw thrown
      onUnusable(this.#call.toolName, thrown.message)
      return undefined
    }
  }

  async #askInRounds(
    asked: AskedQuestion,
    shown: string,
    { answers, supports }: CallRound,
  ): Promise<AskAnswer> {
    const given = Object.hasOwn(answers, asked.key) ? answers[asked.key] : undefined
    // An answer to another question is none: what was shown is what is answered.
    const usable = given?.questionDigest === shown ? this.#usable(asked, given.answer) : undefined
    if (usable !== undefined) return usable
    if (!supports(CAPABILITY_OF[asked.kind])) throw this.#unsupported(asked.kind)
    if (!this.#call.mayAskInRounds) {
      const refusal = `${this.#call.toolName} has acted and is not idempotent: nothing can be asked any more that would run it again`
      throw new ToolExecutionError(refusal, { outcome: this.#call.outcome })
    }
    this.#steps.waitForAnswer()
    this.#pending.push(asked)
    this.#suspending ??= this.#suspend()
    return this.#suspending
  }

  /** After all that is asked in this turn, and when no step is under way whose effect would be lost. */
  async #suspend(): Promise<never> {
    do {
      await this.#steps.settled()
      // What follows on a step begins within the turn, and may be another one.
      await new Promise(setImmediate)
    } while (this.#steps.areUnderWay)
    const suspension = new CallSuspension({
      questions: Object.freeze([...this.#pending]),
      steps: this.#steps.results,
      traceId: this.#call.traceId,
      remainingMs: this.#call.remainingMs,
    })
    this.#call.interrupt(suspension)
    throw suspension
  }
}

/** Whoever waits for it hears of a failure; one that comes before anybody does must not end the process. */
function unwatched<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}
