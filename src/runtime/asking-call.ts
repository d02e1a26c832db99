import type { CallSuspension } from '../registry/call-suspension.js'
import type { DefinitionKind } from '../registry/definition-kind.js'
import type { ToolOutcome } from '../registry/tool-error.js'
import type { CheckForm } from './ask-answer.js'
import type { FormFaults } from './ask-question.js'
import type { CallOptions } from './call-options.js'
import type { CallRound } from './call-round.js'
import type { CallTask } from './call-task.js'
import type { Interruption } from './call-work.js'

/** Whoever asks: a call, or work that has left it. */
export interface AskingRun {
  readonly signal: AbortSignal
  /** Why it goes on no more. */
  readonly whyOver: Interruption | undefined
  throwIfOver(): void
}

/** What a call is for its dialogue. */
export interface AskingCall extends AskingRun {
  readonly toolName: string
  readonly traceId: string
  readonly idempotencyKey: string
  readonly target: { readonly kind: DefinitionKind } | undefined
  /** What is known of the work so far. */
  readonly outcome: ToolOutcome
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
  /** Set where the call may go on as a task. */
  readonly task?: CallTask | undefined
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
