import { ConsecutiveBreaker, type IBreaker } from 'cockatiel'
import { LRUCache } from 'lru-cache'
import { CallSuspension } from '../registry/call-suspension.js'
import type { Descriptor } from '../registry/descriptor.js'
import { callForeign } from '../registry/foreign-code.js'
import { LONGEST_TIMER_MS } from '../registry/idle-wait.js'
import { describe } from '../registry/json-value.js'
import { type AnyToolError, CircuitOpenError, ToolError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { Next, ToolInterceptor } from '../registry/tool-interceptor.js'
import { Circuit, type CircuitState } from './circuit.js'
import { definitionKey } from './definition-key.js'
import { healthOf, type ToolHealth } from './failures/tool-health.js'
import { InterceptorOrder } from './interceptor-order.js'
import { requireNumber } from './number-option.js'

export interface CircuitBreakerInterceptorOptions {
  /** Calls with the same key share a circuit, such as those of one service. Default: one for each definition. */
  readonly key?: (ctx: ToolExecutionContext) => string
  /**
   * Makes what says, for one circuit, when there were failures enough: a breaker of cockatiel, or one like it. Default: five
   * failures in a row.
   *
   * @example () => new SamplingBreaker({ threshold: 0.5, duration: 30_000 })
   */
  readonly breaker?: () => IBreaker
  /** How long an open circuit refuses calls before it lets one try. Default 10 000. */
  readonly openForMs?: number
  /** What counts as a failure, in place of the rule below; not asked about a call that its caller gave up. */
  readonly isFailure?: (error: AnyToolError, ctx: ToolExecutionContext) => boolean
  /** Hears of each change. What it throws is dropped. */
  readonly onStateChange?: (change: CircuitStateChange) => void
  /** How many circuits are known; the one that was not used for longest is forgotten. Default 1 000. */
  readonly maxCircuits?: number
  /** Default `InterceptorOrder.circuitBreaker`. */
  readonly order?: number
}

export interface CircuitStateChange {
  /** As the option `key` gave it; by default kind and name, such as `tool:get_weather`. */
  readonly key: string
  readonly state: CircuitState
  readonly previous: CircuitState
}

/** A circuit, and the definitions that were called through it. */
interface KnownCircuit {
  readonly circuit: Circuit
  readonly definitions: WeakSet<Descriptor>
}

/** A circuit that nobody uses is forgotten after an hour: what it guarded may be gone, or mended. */
const IDLE_MS = 3_600_000

/**
 * Gives what keeps failing a rest: calls fail at once with `CIRCUIT_OPEN`, and nothing is started, until `openForMs` have
 * passed and one call has shown that it works again.
 *
 * Only what speaks of the tool's health counts: `UPSTREAM_FAILED` with a status of 5xx or none, `TIMEOUT`, and exceptions
 * that the executor did not expect. Bad arguments, refusals, overload and calls that are given up or wait for the user say
 * nothing, nor does a deadline that left an attempt less than half the definition's own time (`metadata.timeoutMs`), or
 * less than a second where it names none.
 */
export class CircuitBreakerInterceptor implements ToolInterceptor {
  readonly order: number
  readonly #options: Pick<CircuitBreakerInterceptorOptions, 'isFailure' | 'onStateChange'>
  readonly #key: (ctx: ToolExecutionContext) => string
  readonly #breaker: () => IBreaker
  readonly #openForMs: number
  readonly #circuits: LRUCache<string, KnownCircuit>

  constructor({
    key = ({ kind, toolName, alternative }) => definitionKey(kind, toolName, alternative),
    breaker = () => new ConsecutiveBreaker(5),
    openForMs = 10_000,
    maxCircuits = 1_000,
    order = InterceptorOrder.circuitBreaker,
    ...options
  }: CircuitBreakerInterceptorOptions = {}) {
    requireNumber('openForMs', openForMs, { min: 1, max: LONGEST_TIMER_MS })
    requireNumber('maxCircuits', maxCircuits, { min: 1, whole: true })
    this.#key = key
    this.#breaker = breaker
    this.#openForMs = openForMs
    this.#circuits = new LRUCache({
      max: maxCircuits,
      ttl: Math.max(IDLE_MS, 2 * openForMs),
      updateAgeOnGet: true,
    })
    this.#options = options
    this.order = order
  }

  async aroundExecute(ctx: ToolExecutionContext, next: Next): Promise<ToolExecutionResult> {
    const circuit = this.#circuitOf(ctx)
    const tell = circuit.admit()
    if (tell === undefined) {
      throw new CircuitOpenError(ctx.toolName, circuit.retryAfterMs, { kind: ctx.target?.kind })
    }
    const startedAt = performance.now()
    let health: ToolHealth = 'unclear'
    try {
      const result = await next()
      health = 'good'
      return result
    } catch (thrown) {
      if (!CallSuspension.is(thrown))
        health = this.#healthOf(ToolError.from(thrown), ctx, performance.now() - startedAt)
      throw thrown
    } finally {
      tell(health)
    }
  }

  explain(target: Descriptor) {
    // One that is new under a known name was not called yet.
    const ownKey = definitionKey(target.kind, target.name)
    const circuits = [...this.#circuits.entries()]
      .filter(([key, { definitions }]) => key === ownKey || definitions.has(target))
      .map(([key, { circuit }]) => ({ key, state: circuit.state, retryAfterMs: circuit.retryAfterMs }))
    return { openForMs: this.#openForMs, circuits }
  }

  #healthOf(error: AnyToolError, ctx: ToolExecutionContext, workedMs: number): ToolHealth {
    const { isFailure } = this.#options
    if (isFailure === undefined) return healthOf(error, ctx, workedMs)
    if (error.code === 'ABORTED' || error.code === 'SHUTTING_DOWN') return 'unclear'
    return isFailure(error, ctx) === true ? 'bad' : 'unclear'
  }

  #circuitOf(ctx: ToolExecutionContext): Circuit {
    const key: unknown = this.#key(ctx)
    if (typeof key !== 'string')
      throw new TypeError(`the key of a circuit must be a string (got ${describe(key)})`)
    const known = this.#circuits.get(key) ?? this.#newCircuit(key)
    if (ctx.target !== undefined) known.definitions.add(ctx.target)
    return known.circuit
  }

  #newCircuit(key: string): KnownCircuit {
    const onChange = (state: CircuitState, previous: CircuitState) =>
      callForeign(() => this.#options.onStateChange?.({ key, state, previous }))
    const circuit = new Circuit({ breaker: this.#breaker(), openForMs: this.#openForMs, onChange })
    const known = { circuit, definitions: new WeakSet<Descriptor>() }
    this.#circuits.set(key, known)
    return known
  }
}
