import type { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { ExposureRule, Viewer } from '../runtime/catalog.js'
import type { RuntimeRequest } from '../runtime/runtime-request.js'
import type { BridgedRuntime } from './bridged-runtime.js'
import { CallRounds, type InputRequired } from './call-rounds.js'
import { callOptionsOf } from './mcp-call-options.js'
import type { McpRequest } from './mcp-request.js'
import type { RequestStates } from './request-state.js'

export interface McpCallsOptions {
  /** The part of the runtime that is served. Default: all of it. */
  readonly exposes?: ExposureRule | undefined
  readonly states: RequestStates
}

/** Runs what MCP requests ask for, each for its client and in the way of its era. */
export class McpCalls {
  readonly runtime: BridgedRuntime
  readonly #exposes: McpCallsOptions['exposes']
  readonly #rounds: CallRounds

  constructor(runtime: BridgedRuntime, { exposes, states }: McpCallsOptions) {
    this.runtime = runtime
    this.#exposes = exposes
    this.#rounds = new CallRounds(runtime, states)
  }

  /** What the client of the request sees. */
  viewer({ principal }: Pick<McpRequest, 'principal'>): Viewer {
    return { principal, exposes: this.#exposes }
  }

  run(
    wanted: RuntimeRequest,
    params: unknown,
    request: McpRequest,
  ): Promise<ToolExecutionResult | InputRequired> {
    const options = callOptionsOf(params, request, this.#exposes)
    if (request.round === undefined || wanted.kind === 'completion') return this.runtime.run(wanted, options)
    return this.#rounds.run(wanted, options, request.round)
  }
}
