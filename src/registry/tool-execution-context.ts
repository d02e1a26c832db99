import type { Ask } from './ask.js'
import type { CallAttributes } from './call-attributes.js'
import type { CallSuspension } from './call-suspension.js'
import type { DefinitionKind } from './definition-kind.js'
import type { Descriptor } from './descriptor.js'
import type { Principal } from './principal.js'
import type { ToolDescriptor } from './tool-descriptor.js'

/** MCP logging levels (RFC 5424 severities). */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** What a call is for: to run a tool, read a resource, get a prompt, or complete an argument of one of the latter two. */
export type CallKind = DefinitionKind | 'completion'

/** The parts of a context that are the same from the first interceptor to the executor. */
export interface ToolCall {
  /** Unique in its session; over MCP the JSON-RPC request id. */
  readonly callId: string | number
  readonly kind: CallKind
  /** The name of what is called, whatever its kind; for a resource that does not exist, its URI. */
  readonly toolName: string
  /** The tool that is called. Unset where no such tool exists: request-ring interceptors see these calls too. */
  readonly tool?: ToolDescriptor | undefined
  /** What is called, whatever its kind; for a completion, what it completes an argument of. */
  readonly target?: Descriptor | undefined
  /** Of the resource that is read. */
  readonly uri?: string | undefined
  readonly sessionId?: string | undefined
  /** W3C trace id: 32 hexadecimal digits. */
  readonly traceId: string
  readonly agentId?: string | undefined
  readonly principal?: Principal | undefined
  /**
   * Names the caller for every key. The principal; without one the peer's address; a session or agent id, which a client
   * can pick, only for calls from this process.
   */
  readonly callerKey: string
  readonly attributes: CallAttributes
  /** Aborts when the caller gives up, the deadline passes or the runtime shuts down. */
  readonly signal: AbortSignal
  /** When the call ends at the latest: milliseconds since the epoch. */
  readonly deadline: number
  /** 1, or higher where the call was resumed after a question. */
  readonly round: number
  /**
   * Set once the call waits for an answer, which comes with another request.
   * @internal
   */
  readonly suspension?: CallSuspension | undefined
  /**
   * Asks the user, or the client. Rejects with `ASK_UNSUPPORTED`, at once, where nobody can answer. Meanwhile the deadline
   * stands still. In MCP 2026-07-28 the call runs again from the start with each answer: what it does before it asks
   * belongs into {@link once}.
   */
  readonly ask: Ask
  /** Runs `fn` the first time and gives its JSON result each time; one that fails is run again. */
  readonly once: <T>(key: string, fn: () => T | Promise<T>) => Promise<T>
  /** Tells the caller how far the work is. Never fails; nothing is sent once the call has ended. */
  readonly progress: (progress: number, total?: number, message?: string) => void
  /** Sends a log line to the caller, not to our log. Never fails. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void
}

// No names known (`unknown`) means any name. Written so that the compiler sees both vary with `Args`: a context of known
// arguments, and so a tool with them, does where one of unknown ones is wanted.
type ArgName<Args> = [keyof Args] extends [never] ? string : keyof Args & string
type ArgValue<Args, Name> = [keyof Args] extends [never] ? unknown : Args[Name & keyof Args]

/** One call on its way through the chain. Frozen; {@link with} gives a changed copy. Its functions may be destructured. */
export class ToolExecutionContext<out Args = unknown> implements ToolCall {
  readonly #call: ToolCall
  readonly #signal: AbortSignal | undefined
  /** As the caller sent them in the request ring; canonical, valid and deeply frozen after the arguments pipeline. */
  readonly args: Args

  constructor(call: ToolCall, args: Args, signal?: AbortSignal) {
    this.#call = call
    this.#signal = signal
    this.args = args
    Object.freeze(this)
  }

  /** The value is a context, not just an object that looks like one. */
  static is(value: unknown): value is ToolExecutionContext {
    return typeof value === 'object' && value !== null && #call in value
  }

  /** Both belong to one call. */
  isOfSameCall(other: ToolExecutionContext): boolean {
    return this.#call === other.#call
  }

  /** A copy with other arguments (request ring only) or a signal that aborts earlier. */
  with<NewArgs = Args>({
    args,
    signal,
  }: {
    readonly args?: NewArgs
    readonly signal?: AbortSignal
  }): ToolExecutionContext<NewArgs> {
    // Without `args` the type parameter is `Args`.
    return new ToolExecutionContext(
      this.#call,
      args === undefined ? (this.args as unknown as NewArgs) : args,
      signal ?? this.#signal,
    )
  }

  get callId() {
    return this.#call.callId
  }
  get kind() {
    return this.#call.kind
  }
  get toolName() {
    return this.#call.toolName
  }
  get tool() {
    return this.#call.tool
  }
  get target() {
    return this.#call.target
  }
  get uri() {
    return this.#call.uri
  }
  get sessionId() {
    return this.#call.sessionId
  }
  get traceId() {
    return this.#call.traceId
  }
  get agentId() {
    return this.#call.agentId
  }
  get principal() {
    return this.#call.principal
  }
  get callerKey() {
    return this.#call.callerKey
  }
  get attributes() {
    return this.#call.attributes
  }
  get signal() {
    return this.#signal ?? this.#call.signal
  }
  get deadline() {
    return this.#call.deadline
  }
  get round() {
    return this.#call.round
  }
  /** @internal */
  get suspension() {
    return this.#call.suspension
  }
  get ask() {
    return this.#call.ask
  }
  get once() {
    return this.#call.once
  }
  get progress() {
    return this.#call.progress
  }
  get log() {
    return this.#call.log
  }

  /** An argument by name; `undefined` if it is not there. */
  get getArg(): <Name extends ArgName<Args>>(name: Name) => ArgValue<Args, Name> {
    return (name) => ownValue(this.args, name) as ArgValue<Args, typeof name>
  }

  /** An argument by name, or `fallback` if it is not there. 0, '', false and null are there. */
  get getArgOrDefault(): <Name extends ArgName<Args>, Fallback>(
    name: Name,
    fallback: Fallback,
  ) => Exclude<ArgValue<Args, Name>, undefined> | Fallback {
    return (name, fallback) => {
      const value = ownValue(this.args, name)
      return value === undefined ? fallback : (value as Exclude<ArgValue<Args, typeof name>, undefined>)
    }
  }
}

function ownValue(args: unknown, name: string): unknown {
  if (typeof args !== 'object' || args === null || !Object.hasOwn(args, name)) return undefined
  return (args as Readonly<Record<string, unknown>>)[name]
}
