import type { Logger } from '../interceptors/logger.js'
import type { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { ToolRegistry } from '../registry/tool-registry.js'
import type { CallOptions } from '../runtime/call-options.js'

/** What a bridge needs of a `ToolRuntime`. */
export interface BridgedRuntime {
  readonly registry: ToolRegistry
  readonly logger: Logger
  /** It takes no new work; the bridge then opens no new sessions. */
  readonly isClosing: boolean
  call(toolName: string, input?: unknown, options?: CallOptions): Promise<ToolExecutionResult>
}
