import type { Ask } from './ask.js'
import type { CallAttributes } from './call-attributes.js'
import type { CallSuspension } from './call-suspension.js'
import type { DefinitionKind } from './definition-kind.js'
import type { Descriptor } from './descriptor.js'
import type { DetachedCall, DetachOptions } from './detached-call.js'
import type { NestedCall } from './nested-call.js'
import type { Principal } from './principal.js'
import type { ToolDescriptor } from './tool-descriptor.js'
import type { ToolOutcome } from './tool-error-base.js'
import type { ToolExecutionResult } from './tool-execution-result.js'

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
  /** The key under which the caller wants this call to run once, however often it repeats it. */
  readonly givenIdempotencyKey?: string | undefined
  /**
   * Names this call to a service that does the same work once for each key: the same in every attempt and round. Made of
   * caller, definition and the key that the caller gave, and then the same in every repeat too; else random.
   */
  readonly idempotencyKey: string
  readonly attributes: CallAttributes
  /** Aborts when the caller gives up, the deadline passes or the runtime shuts down. */
  readonly signal: AbortSignal
  /** When the call ends at the latest: milliseconds since the epoch. */
  readonly deadline: number
  /** What is known of the work so far, over all attempts. */
  readonly outcome: ToolOutcome
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
  /**
   * Calls `then` once nothing that the executor has started so far in this call is running any more, also what was timed
   * out and works on; now if nothing is. Whatever the work needs, such as a permit, is given back there.
   */
  readonly whenWorkSettles: (then: () => void) => void
  /**
   * The call itself, also of work that has left it.
   * @internal
   */
  readonly origin: ToolCall
  /**
   * Runs work that leaves the call.
   * @internal
   */
  readonly beginDetached: (
    args: unknown,
    run: (call: ToolCall) => Promise<ToolExecutionResult>,
    options?: DetachOptions,
  ) => DetachedCall
  /**
   * Calls another tool as the same caller.
   * @internal
   */
  readonly callTool: NestedCall
}

/** What interceptors and executors see of a call. */
export type SeenCall = Omit<ToolCall, 'origin' | 'beginDetached' | 'callTool'>
