import type { ToolRuntime } from '../runtime/tool-runtime.js'

/** What a bridge needs of a `ToolRuntime`. */
export type BridgedRuntime = Pick<
  ToolRuntime,
  | 'registry'
  | 'resources'
  | 'prompts'
  | 'catalog'
  | 'logger'
  | 'isStarted'
  | 'isClosing'
  | 'start'
  | 'run'
  | 'tasks'
>
