import type { RegisteredDefinition } from '../registry/registered-definition.js'
import {
  type AnyToolError,
  PromptNotFoundError,
  ResourceNotFoundError,
  ToolNotFoundError,
} from '../registry/tool-error.js'
import type { CallKind, ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { CallTask } from './call-task.js'

/** What is to be called. */
export interface CallRequest {
  readonly kind: CallKind
  /** As it was asked for: the name of a tool or a prompt, the URI of a resource. */
  readonly name: string
  /** What was found under the name; nothing if there is none that the caller may see. */
  readonly registered: RegisteredDefinition | undefined
  /** Why nothing was found, if it is not that there is none. */
  readonly fault?: AnyToolError
  readonly input: unknown
  readonly uri?: string
  /** Run in place of the definition's executor, on `input` as it is. */
  readonly execute?: (ctx: ToolExecutionContext) => unknown
  /** The call may go on as this task. */
  readonly task?: CallTask | undefined
}

/** What a caller is told of a request for which nothing was found. */
export function notFound({ kind, name, uri, fault }: CallRequest): AnyToolError {
  if (fault !== undefined) return fault
  if (kind === 'tool') return new ToolNotFoundError(name)
  return uri === undefined ? new PromptNotFoundError(name) : new ResourceNotFoundError(uri)
}
