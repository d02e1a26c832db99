import type { Logger } from '../interceptors/logger.js'
import type { AnyToolError } from '../registry/tool-error.js'
import type { CallRun } from './call-run.js'

/** What the runtime itself writes of calls: what no caller may hear, and what becomes of work that has been given up. */
export class CallLog {
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  failed(call: CallRun, error: AnyToolError): void {
    if (error.code === 'EXECUTION_FAILED' && error.cause !== undefined) {
      this.#logger.error({ ...idsOf(call), err: error.cause }, `${call.kind} failed`)
    }
    // Its author has to know: the caller can do nothing about it.
    if (error.code === 'INVALID_RESULT')
      this.#logger.error({ ...idsOf(call), err: error }, `${call.kind} gave an invalid result`)
  }

  /** The answer has not waited for the work. */
  answeredEarly(call: CallRun): void {
    let isTold = false
    call.whenWorkSettles(() => {
      if (isTold) this.#logger.info(idsOf(call), 'the work of an answered call has ended')
    })
    // Work that heeds its signal, or that waits for an answer, ends in this turn.
    setImmediate(() => {
      if (!call.isWorking) return
      isTold = true
      this.#logger.warn(idsOf(call), `answered while the ${call.kind} is still working`)
    })
  }
}

/** What the log knows a call by. */
function idsOf({ kind, toolName, callId, traceId }: CallRun) {
  return { ...(kind !== 'tool' && { kind }), toolName, callId, traceId }
}
