import type { AskAnswer, AskedQuestion, AskQuestion } from '../registry/ask.js'
import type { AskCapability } from '../registry/ask-capability.js'
import { CallSuspension } from '../registry/call-suspension.js'
import { JsonSchema } from '../registry/json-schema.js'
import { AskUnsupportedError, ToolExecutionError, ToolTimeoutError } from '../registry/tool-error.js'
import { type CheckForm, InvalidAnswerError, readAnswer } from './ask-answer.js'
import type { CallOptions, CallRound } from './call-options.js'
import { requireFlatForm } from './flat-form.js'
import { OnceSteps } from './once-steps.js'

/** What a call is for its dialogue. */
export interface AskingCall {
  readonly toolName: string
  readonly signal: AbortSignal
  /** What is left until the deadline, in milliseconds. */
  readonly remainingMs: number
  /** The deadline stands still until the function that it returns is called. */
  pauseDeadline(): () => void
  /** Ends the call for now: it runs again, from the start, with the answer. */
  interrupt(suspension: CallSuspension): void
}

export interface DialogueOptions {
  readonly ask: CallOptions['ask'] | undefined
  /** Set where an answer comes with another request. */
  readonly round: CallRound | undefined
  readonly checkForm: CheckForm
  /** How long an answer may take, in milliseconds. */
  readonly askTimeoutMs: number
}

const CAPABILITIES = {
  form: 'elicitation',
  url: 'elicitation.url',
  sampling: 'sampling',
  roots: 'roots',
} as const satisfies Record<AskedQuestion['kind'], AskCapability>

/** What one call asks, and the steps that it takes once. */
export class Dialogue {
  readonly #call: AskingCall
  readonly #options: DialogueOptions
  readonly #steps: OnceSteps
  readonly #keys = new Set<string>()
  #pending: AskedQuestion[] = []
  #suspending: Promise<never> | undefined

  constructor(call: AskingCall, options: DialogueOptions) {
    this.#call = call
    this.#options = options
    this.#steps = new OnceSteps(options.round?.steps)
  }

  once<T>(key: string, fn: () => T | Promise<T>): Promise<T> {
    return this.#steps.run(key, fn)
  }

  async ask(question: AskQuestion): Promise<AskAnswer> {
    this.#call.signal.throwIfAborted()
    const asked = this.#read(question)
    const { round, ask } = this.#options
    if (round !== undefined) return this.#askInRounds(asked, round)
    if (ask === undefined) throw new AskUnsupportedError(CAPABILITIES[asked.kind])
    return this.#askNow(asked, ask)
  }

  #read(question: AskQuestion): AskedQuestion {
    const { key = `ask-${this.#keys.size + 1}`, ...rest } = question
    if (this.#keys.has(key)) {
      throw new TypeError(`The key ${JSON.stringify(key)} names two questions of one call: give each its own`)
    }
    this.#keys.add(key)
    if (rest.kind !== undefined && rest.kind !== 'form') return { ...rest, key } as AskedQuestion // only the form's differs
    const { document } = JsonSchema.from(rest.schema)
    requireFlatForm(document)
    return { ...rest, key, kind: 'form', schema: document }
  }

  async #askNow(asked: AskedQuestion, ask: NonNullable<CallOptions['ask']>): Promise<AskAnswer> {
    const { signal, toolName } = this.#call
    const { askTimeoutMs, checkForm } = this.#options
    const resume = this.#call.pauseDeadline()
    let timer: NodeJS.Timeout | undefined
    let giveUp = () => {}
    const ended = new AbortController()
    try {
      const tooLate = new Promise<never>((_, reject) => {
        giveUp = () => reject(signal.reason)
        signal.addEventListener('abort', giveUp)
        timer = setTimeout(
          () => reject(new ToolTimeoutError(toolName, askTimeoutMs, { outcome: 'unknown' }, 'get an answer')),
          askTimeoutMs,
        )
      })
      return readAnswer(asked, await Promise.race([ask(asked, ended.signal), tooLate]), checkForm)
    } catch (thrown) {
      if (!(thrown instanceof InvalidAnswerError)) throw thrown
      throw new ToolExecutionError(thrown.message, { cause: thrown, outcome: 'unknown', retryable: true })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      // Whoever still shows the question can take it away.
      ended.abort()
      resume()
    }
  }

  async #askInRounds(asked: AskedQuestion, { answers, supports }: CallRound): Promise<AskAnswer> {
    if (Object.hasOwn(answers, asked.key)) {
      try {
        return readAnswer(asked, answers[asked.key], this.#options.checkForm)
      } catch (thrown) {
        // An answer that cannot be used is as good as none: it is asked again.
        if (!(thrown instanceof InvalidAnswerError)) throw thrown
      }
    }
    const capability = CAPABILITIES[asked.kind]
    if (!supports(capability)) throw new AskUnsupportedError(capability)
    this.#pending.push(asked)
    if (this.#suspending === undefined) {
      this.#suspending = this.#suspend()
      this.#suspending.catch(() => undefined)
    }
    return this.#suspending
  }

  /** After all that is asked in this turn, and when no step is under way whose effect would be lost. */
  async #suspend(): Promise<never> {
    await new Promise(setImmediate)
    await this.#steps.settled()
    const suspension = new CallSuspension({
      questions: this.#pending,
      steps: this.#steps.results,
      remainingMs: this.#call.remainingMs,
    })
    this.#call.interrupt(suspension)
    throw suspension
  }
}
