import type { CallableDefinition } from '../registry/callable-definition.js'
import { ToolError } from '../registry/tool-error.js'
import type { ToolSuccess } from '../registry/tool-execution-result.js'
import type { CallRun } from './call-run.js'
import { checkResult } from './result-check.js'
import type { Route } from './route.js'

export interface ResultGateOptions {
  /** The largest result of a definition that names none, in characters of JSON, roughly. */
  readonly maxResultSize: number
  /** May answer with something smaller what is too large; without an answer it is refused. */
  readonly spill: (
    call: CallRun,
    definition: CallableDefinition,
    result: ToolSuccess,
  ) => ToolSuccess | undefined
}

/** What leaves an execution ring passes here, wherever it came from: serialisable, as promised, and not too large. */
export class ResultGate {
  readonly #options: ResultGateOptions
  /** Small already, however little room there is; work that has left its call passes here twice. */
  readonly #spilled = new WeakSet<ToolSuccess>()

  constructor(options: ResultGateOptions) {
    this.#options = options
  }

  /** The result, or a smaller one that stands for it. Throws an `InvalidResultError`. */
  pass(call: CallRun, route: Route | undefined, result: ToolSuccess): ToolSuccess {
    if (result.spilled && this.#spilled.has(result)) return result
    const { maxResultSize, spill } = this.#options
    const definition = route?.definition
    const maxSize = definition?.metadata.maxResultSize ?? maxResultSize
    const validate = call.kind === 'completion' ? undefined : route?.validators.result
    try {
      const { name, kind } = definition ?? { name: call.toolName, kind: undefined }
      checkResult({ name, kind, outcome: call.outcome }, result, { validate, maxSize })
      return result
    } catch (thrown) {
      const smaller = isTooLarge(thrown) && definition && spill(call, definition, result)
      if (!smaller) throw thrown
      this.#spilled.add(smaller)
      return smaller
    }
  }
}

function isTooLarge(thrown: unknown): boolean {
  return ToolError.is(thrown) && thrown.code === 'RESULT_TOO_LARGE'
}
