import { type AskAnswer, type AskedQuestion, type AskQuestion, CAPABILITY_OF } from '../registry/ask.js'
import { CallSuspension } from '../registry/call-suspension.js'
import { digest } from '../registry/fingerprint.js'
import { LONGEST_TIMER_MS } from '../registry/idle-wait.js'
import {
  AskUnsupportedError,
  ToolAbortedError,
  ToolError,
  ToolExecutionError,
  ToolTimeoutError,
  ToolUnavailableError,
} from '../registry/tool-error.js'
import { InvalidAnswerError, readAnswer } from './ask-answer.js'
import { readQuestion } from './ask-question.js'
import type { AskingCall, AskingRun, DialogueOptions } from './asking-call.js'
import type { CallOptions } from './call-options.js'
import type { CallRound } from './call-round.js'
import type { CallTask } from './call-task.js'
import { OnceSteps } from './once-steps.js'

/** How often a task asks for an answer that can be used. */
const MAX_TRIES = 8

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

  once<T>(key: string, fn: () => T | Promise<T>, run: AskingRun): Promise<T> {
    return unwatched(this.#once(key, fn, run))
  }

  ask(question: AskQuestion, run: AskingRun): Promise<AskAnswer> {
    return unwatched(this.#ask(question, run))
  }

  async #once<T>(key: string, fn: () => T | Promise<T>, run: AskingRun): Promise<T> {
    // What goes on after the end acts no more: nobody would know of it, and the next round would repeat it.
    run.throwIfOver()
    return this.#steps.run(key, fn)
  }

  async #ask(question: AskQuestion, run: AskingRun): Promise<AskAnswer> {
    run.throwIfOver()
    // Work that has left its call goes on without whoever could be asked.
    const isAlone = () => this.#call.whyOver !== undefined && run.whyOver === undefined
    if (isAlone()) throw this.#nobody()
    try {
      return await this.#answerOnce(question)
    } catch (thrown) {
      throw isAlone() && !CallSuspension.is(thrown) ? this.#nobody() : thrown
    }
  }

  async #answerOnce(question: AskQuestion): Promise<AskAnswer> {
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
    const { round, ask, task } = this.#options
    if (ask === undefined && task?.hasBegun) return this.#askInTask(asked, task)
    if (round !== undefined) return this.#askInRounds(asked, shown, round)
    if (ask === undefined) throw this.#unsupported(asked.kind)
    return this.#askNow(asked, ask)
  }

  /** Nobody waits for an answer any more. */
  end(): void {
    for (const giveUp of this.#open) giveUp()
  }

  #nobody(): ToolUnavailableError {
    const { toolName, target, outcome } = this.#call
    const options = { outcome, kind: target?.kind, retryable: true }
    return new ToolUnavailableError(toolName, 'the caller that it would ask is gone', options)
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
        giveUp = () => reject(this.#call.whyOver)
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

  /** What cannot be used is asked again, like in rounds: to fail would lose the work. */
  async #askInTask(asked: AskedQuestion, task: CallTask): Promise<AskAnswer> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#askNow(asked, (question, signal) => task.ask(question, signal))
      } catch (thrown) {
        if (!(ToolError.is(thrown) && thrown.cause instanceof InvalidAnswerError) || tries === MAX_TRIES)
          throw thrown
        this.#options.onUnusable(this.#call.toolName, thrown.message)
      }
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
    const { task } = this.#options
    if (task !== undefined && !task.endsWithQuestion()) return this.#askInTask(asked, task)
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
      idempotencyKey: this.#call.idempotencyKey,
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
