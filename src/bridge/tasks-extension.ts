import { isObject } from '../registry/json-value.js'
import { JsonRpcError, MISSING_CAPABILITY } from './json-rpc.js'

/** The extension of MCP 2026-07-28 by which a tool call goes on as a task. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** Where a request says what its client can do. */
export const CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities'

/** Whether a client with these MCP capabilities knows tasks. */
export function declaresTasks(capabilities: unknown): boolean {
  return (
    isObject(capabilities) &&
    isObject(capabilities.extensions) &&
    isObject(capabilities.extensions[TASKS_EXTENSION])
  )
}

/** What a client is told that must know tasks for what it asks, and has not said that it does. */
export function tasksRequired(): JsonRpcError {
  return new JsonRpcError(MISSING_CAPABILITY, `The client must declare the extension ${TASKS_EXTENSION}`, {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  })
}
