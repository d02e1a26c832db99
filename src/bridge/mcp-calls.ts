import type { JsonObject } from '../registry/json-value.js'
import type { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { ExposureRule, Viewer } from '../runtime/catalog.js'
import type { RuntimeRequest } from '../runtime/runtime-request.js'
import type { ToolTask } from '../runtime/tasks/tool-task.js'
import type { ToolTasks } from '../runtime/tasks/tool-tasks.js'
import type { BridgedRuntime } from './bridged-runtime.js'
import { CallRounds, type InputRequired } from './call-rounds.js'
import { callOptionsOf } from './mcp-call-options.js'
import type { ClientRound, McpRequest } from './mcp-request.js'
import type { RequestStates } from './request-state.js'

export interface McpCallsOptions {
  /** The part of the runtime that is served. Default: all of it. */
  readonly exposes?: ExposureRule | undefined
  readonly states: RequestStates
}

type ToolRequest = RuntimeRequest & { readonly kind: 'tool' }

/** Says of a task that it began over MCP. */
const MCP_DOOR = 'mcp'

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

  /** The tasks that calls went on as. */
  get tasks(): ToolTasks {
    return this.runtime.tasks
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

  /**
   * A call that goes on as a task, unless it has its answer, or asks, before it comes to its executor. `door`: what has to be
   * known of it later.
   */
  async runAsTask(
    wanted: ToolRequest,
    params: unknown,
    request: McpRequest & { readonly round: ClientRound },
    door: JsonObject,
  ): Promise<ToolTask | ToolExecutionResult | InputRequired> {
    const options = callOptionsOf(params, request, this.#exposes)
    const { supports } = request.round
    return this.#rounds.run(wanted, options, request.round, (inRound, round) =>
      this.tasks.run(wanted, inRound, { round, door: { ...door, [MCP_DOOR]: true }, supports }),
    )
  }

  /** A task of this client that began over MCP, by a tool that is not hidden from it by now. */
  async findTask(id: string, request: McpRequest): Promise<ToolTask | undefined> {
    const { registry, catalog } = this.runtime
    const { principal, address, sessionId } = request
    const task = await this.tasks.get(id, {
      address,
      ...(principal && { principal }),
      ...(sessionId !== undefined && { sessionId }),
    })
    if (task === undefined || (await task.state())?.door[MCP_DOOR] !== true) return undefined
    const isHidden = registry.contains(task.toolName) && !catalog.tool(task.toolName, this.viewer(request))
    return isHidden ? undefined : task
  }
}
