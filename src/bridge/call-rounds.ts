import { CallSuspension } from '../registry/call-suspension.js'
import type { CallableDefinition } from '../registry/callable-definition.js'
import type { DefinitionKind } from '../registry/definition-kind.js'
import { digest, fingerprint } from '../registry/fingerprint.js'
import type { JsonValue } from '../registry/json-value.js'
import { ToolError } from '../registry/tool-error.js'
import { ToolExecutionResult } from '../registry/tool-execution-result.js'
import { MalformedUriError } from '../registry/uri-template-error.js'
import { type CallOptions, callerKey } from '../runtime/call-options.js'
import type { CallRound } from '../runtime/call-round.js'
import { nameOf, type RuntimeRequest } from '../runtime/runtime-request.js'
import type { BridgedRuntime } from './bridged-runtime.js'
import { type InputRequest, inputRequestOf } from './input-request.js'
import { INVALID_PARAMS, JsonRpcError } from './json-rpc.js'
import type { ClientRound } from './mcp-request.js'
import type { RequestStates, RoundBinding, RoundState } from './request-state.js'

/** Asks the client to answer and to send the request again (MCP 2026-07-28, `InputRequiredResult`). */
export interface InputRequired {
  readonly resultType: 'input_required'
  readonly inputRequests: Readonly<Record<string, InputRequest>>
  readonly requestState: string
}

export function isInputRequired(answer: ToolExecutionResult | InputRequired): answer is InputRequired {
  return 'resultType' in answer
}

export type RoundRequest = RuntimeRequest & { readonly kind: DefinitionKind }

/** Runs one round of a call. */
export type RunRound<Other> = (
  options: CallOptions,
  round: CallRound,
) => Promise<ToolExecutionResult | CallSuspension | Other>

const FIRST_ROUND = { round: 1, answers: {}, steps: {}, openDigests: {} } as const

/** Runs calls that may take several requests, each of which brings the state that the last one left, sealed. */
export class CallRounds {
  readonly #runtime: BridgedRuntime
  readonly #states: RequestStates

  constructor(runtime: BridgedRuntime, states: RequestStates) {
    this.#runtime = runtime
    this.#states = states
  }

  /** Rejects with a `JsonRpcError` for a state that is not this call's. */
  async run<Other = never>(
    request: RoundRequest,
    options: CallOptions,
    round: ClientRound,
    run: RunRound<Other> = (inRound, one) => this.#runtime.run(request, inRound, one),
  ): Promise<ToolExecutionResult | InputRequired | Other> {
    try {
      return await this.#run(request, options, round, run)
    } catch (thrown) {
      // A state that cannot be sealed, or looked up, is a failure of the call.
      if (!ToolError.is(thrown)) throw thrown
      return ToolExecutionResult.failure(thrown, { toolName: nameOf(request) })
    }
  }

  async #run<Other>(
    request: RoundRequest,
    options: CallOptions,
    { supports, inputResponses, requestState }: ClientRound,
    run: RunRound<Other>,
  ): Promise<ToolExecutionResult | InputRequired | Other> {
    const definition = this.#find(request, options)
    const opened =
      requestState === undefined
        ? undefined
        : await this.#states.open(requestState, bindingOf(request, definition, options))
    const { round, steps: earlierSteps, openDigests, answers: earlierAnswers } = opened ?? FIRST_ROUND
    const answers = { ...earlierAnswers, ...answered(openDigests, inputResponses) }
    const outcome = await run(
      { ...options, ...(opened && { timeoutMs: opened.remainingMs, traceId: opened.traceId }) },
      {
        number: round,
        answers,
        steps: earlierSteps,
        idempotencyKey: opened?.idempotencyKey,
        supports,
      },
    )
    if (!CallSuspension.is(outcome)) return outcome
    const { questions, steps, traceId, idempotencyKey, remainingMs } = outcome
    const next: RoundState = {
      round: round + 1,
      answers,
      // The dialogue keeps JSON alone.
      steps: steps as RoundState['steps'],
      traceId,
      idempotencyKey,
      remainingMs,
      openDigests: Object.fromEntries(questions.map((question) => [question.key, digest(question)])),
    }
    return {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(
        questions.map((question) => [question.key, inputRequestOf(question)]),
      ),
      requestState: await this.#states.seal(next, bindingOf(request, definition, options)),
    }
  }

  /** What the request is for, as its caller sees it: what is asked belongs to that definition. */
  #find(request: RoundRequest, options: CallOptions): CallableDefinition | undefined {
    const { catalog } = this.#runtime
    if (request.kind === 'tool') return catalog.tool(request.name, options)?.definition
    if (request.kind === 'prompt') return catalog.prompt(request.name, options)?.definition
    try {
      return catalog.resource(request.uri, options)?.registered.definition
    } catch (thrown) {
      // The runtime says what is wrong with it.
      if (thrown instanceof MalformedUriError) return undefined
      throw thrown
    }
  }
}

function bindingOf(
  request: RoundRequest,
  definition: CallableDefinition | undefined,
  options: CallOptions,
): RoundBinding {
  return {
    callerKey: callerKey(options),
    kind: request.kind,
    name: nameOf(request),
    fingerprint: definition === undefined ? '' : fingerprint(definition),
    argsDigest: digestOf(request.kind === 'resource' ? undefined : request.input),
  }
}

/**
 * The answers to what the last round asked. What was not asked is ignored (MCP 2026-07-28 "Multi Round-Trip Requests", Error
 * Handling), also in a first request: nothing says that anybody was shown that question.
 */
function answered(
  openDigests: RoundState['openDigests'],
  inputResponses: ClientRound['inputResponses'] = {},
): RoundState['answers'] {
  const given = Object.entries(openDigests).filter(([key]) => Object.hasOwn(inputResponses, key))
  // They came as JSON.
  return Object.fromEntries(
    given.map(([key, questionDigest]) => [key, { questionDigest, answer: inputResponses[key] as JsonValue }]),
  )
}

function digestOf(input: unknown): string {
  try {
    return digest(input)
  } catch {
    // They came as JSON, which can name half a character.
    throw new JsonRpcError(INVALID_PARAMS, 'The arguments of a call that asks must be well-formed Unicode')
  }
}
