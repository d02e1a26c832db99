import type { CallAttributes } from './call-attributes.js'
import type { Principal } from './principal.js'
import type { ToolDescriptor } from './tool-descriptor.js'

/** A question to the user, as MCP's form elicitation. */
export interface AskQuestion {
  readonly message: string
  /** A flat JSON Schema object of the fields wanted (MCP `requestedSchema`). */
  readonly schema: Readonly<Record<string, unknown>>
}

/** What the user did: filled in the form, said no, or closed it (MCP `ElicitResult`). */
export type AskAnswer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' }

/** MCP logging levels (RFC 5424 severities). */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** The parts of a context that are the same from the first interceptor to the executor. */
export interface ToolCall {
  /** Unique in its session; over MCP the JSON-RPC request id. */
  readonly callId: string | number
  readonly toolName: string
  /** Unset where no such tool exists: request-ring interceptors see these calls too. */
  readonly tool?: ToolDescriptor | undefined
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
  /** Asks the user. Rejects with `ASK_UNSUPPORTED`, at once, where nobody can answer. */
  readonly ask: (question: AskQuestion) => Promise<AskAnswer>
  /** Runs `fn` the first time and gives its JSON result each time; one that fails is run again. See `ask`. */
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
  get toolName() {
    return this.#call.toolName
  }
  get tool() {
    return this.#call.tool
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
