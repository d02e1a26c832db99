import type { DetachedCall, DetachOptions } from './detached-call.js'
import { callForeign } from './foreign-code.js'
import type { CallTool } from './nested-call.js'
import type { SeenCall, ToolCall } from './tool-call.js'
import type { ToolExecutionResult } from './tool-execution-result.js'

export type { CallKind, LogLevel, ToolCall } from './tool-call.js'

// No names known (`unknown`) means any name. Written so that the compiler sees both vary with `Args`: a context of known
// arguments, and so a tool with them, does where one of unknown ones is wanted.
type ArgName<Args> = [keyof Args] extends [never] ? string : keyof Args & string
type ArgValue<Args, Name> = [keyof Args] extends [never] ? unknown : Args[Name & keyof Args]

/** One alternative of a tool, and what its arguments are made of. */
interface TriedAlternative {
  readonly label: string
  readonly sent: unknown
  readonly isLast: boolean
}

/** One call on its way through the chain. Frozen; {@link with} gives a changed copy. Its functions may be destructured. */
export class ToolExecutionContext<out Args = unknown> implements SeenCall {
  readonly #call: ToolCall
  readonly #signal: AbortSignal | undefined
  /** As the caller sent them in the request ring; canonical, valid and deeply frozen after the arguments pipeline. */
  readonly args: Args
  readonly #tried: TriedAlternative | undefined

  constructor(call: ToolCall, args: Args, signal?: AbortSignal, tried?: TriedAlternative) {
    this.#call = call
    this.#signal = signal
    this.args = args
    this.#tried = tried
    Object.freeze(this)
  }

  /** The value is a context, not just an object that looks like one. */
  static is(value: unknown): value is ToolExecutionContext {
    return typeof value === 'object' && value !== null && #call in value
  }

  /** Both belong to one call. */
  isOfSameCall(other: ToolExecutionContext): boolean {
    return this.#call.origin === other.#call.origin
  }

  /**
   * What runs under the context.
   * @internal
   */
  static callOf(ctx: ToolExecutionContext): ToolCall {
    return ctx.#call
  }

  /**
   * Throws the reason of a signal of its own that has aborted: an attempt that was given up starts nothing more. That of
   * the call, which it would have to make for that, is not looked at.
   * @internal
   */
  throwIfGivenUp(): void {
    this.#signal?.throwIfAborted()
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
      this.#tried,
    )
  }

  /**
   * The same for one alternative of the tool.
   * @internal
   */
  static on(
    ctx: ToolExecutionContext,
    alternative: Pick<TriedAlternative, 'label' | 'isLast'>,
  ): ToolExecutionContext {
    return new ToolExecutionContext(ctx.#call, ctx.args, ctx.#signal, { ...alternative, sent: ctx.args })
  }

  /**
   * Arguments that two calls can be compared by: each alternative has others for the same call.
   * @internal
   */
  static comparableArgs(ctx: ToolExecutionContext): unknown {
    return ctx.#tried === undefined ? ctx.args : ctx.#tried.sent
  }

  /** Which of the alternatives of the tool is tried, by its label; unset for a tool that has none. */
  get alternative() {
    return this.#tried?.label
  }
  /**
   * Where this one fails, another alternative may still be tried.
   * @internal
   */
  get hasNextAlternative(): boolean {
    return this.#tried?.isLast === false
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
  get givenIdempotencyKey() {
    return this.#call.givenIdempotencyKey
  }
  get idempotencyKey() {
    return this.#call.idempotencyKey
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
  get outcome() {
    return this.#call.outcome
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
  get whenWorkSettles() {
    return (then: () => void): void => this.#call.whenWorkSettles(() => callForeign(then))
  }

  /**
   * Runs `next`, that of `aroundExecute`, as work that goes on for as long as somebody wants it, whatever becomes of this
   * call: with a signal, the definition's deadline and a lease of its own, until it ends or is aborted. Attributes, `ask`,
   * `once` and the count of attempts stay those of the call. For what several calls share, or nobody waits for.
   */
  get detach(): Detach {
    return (next, options) =>
      this.#call.beginDetached(
        this.args,
        (call) => next(new ToolExecutionContext(call, this.args, undefined, this.#tried)),
        options,
      )
  }

  /** Calls another tool as the same caller, in the time that is left, and with all that stands around that tool. */
  get call(): CallTool {
    return ((tool: { readonly name: string } | string, input: unknown) =>
      this.#call.callTool(typeof tool === 'string' ? tool : tool.name, input, this.signal)) as CallTool
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

type Detach = (
  next: (ctx: ToolExecutionContext) => Promise<ToolExecutionResult>,
  options?: DetachOptions,
) => DetachedCall

function ownValue(args: unknown, name: string): unknown {
  if (typeof args !== 'object' || args === null || !Object.hasOwn(args, name)) return undefined
  return (args as Readonly<Record<string, unknown>>)[name]
}
