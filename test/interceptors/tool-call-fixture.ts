import { CallAttributes } from '../../src/registry/call-attributes.js'
import { JsonSchema } from '../../src/registry/json-schema.js'
import type { ToolDescriptor } from '../../src/registry/tool-descriptor.js'
import { AskUnsupportedError } from '../../src/registry/tool-error.js'
import { type ToolCall, ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { type ToolMetadataInit, toolMetadata } from '../../src/registry/tool-metadata.js'

/** A call of `get_weather`, a tool that exists, by nobody in particular. `tool: undefined` makes the tool unknown. */
export function toolCall(changes: Partial<ToolCall> = {}): ToolCall {
  const toolName = changes.toolName ?? 'get_weather'
  const target = 'tool' in changes ? changes.tool : tool(toolName)
  const call: ToolCall = {
    callId: 'call-1',
    kind: 'tool',
    toolName,
    tool: target,
    target,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    callerKey: 'anonymous',
    attributes: new CallAttributes(),
    signal: new AbortController().signal,
    deadline: Date.now() + 30_000,
    outcome: 'not-started',
    round: 1,
    ask: () => Promise.reject(new AskUnsupportedError()),
    once: async (_key, fn) => fn(),
    progress: () => undefined,
    log: () => undefined,
    idempotencyKey: 'key-1',
    whenWorkSettles: (then) => then(),
    get origin() {
      return call
    },
    beginDetached: () => {
      throw new Error('only a router detaches work')
    },
    callTool: () => Promise.reject(new Error('only a router calls tools')),
    ...changes,
  }
  return call
}

/** A context as the router makes it at the start of a call. */
export function contextOf(
  changes: Partial<ToolCall> = {},
  args: unknown = { city: 'Oslo' },
): ToolExecutionContext {
  return new ToolExecutionContext(toolCall(changes), args)
}

/** What interceptors see of a tool without parameters. */
export function tool(name: string, metadata: ToolMetadataInit = {}): ToolDescriptor {
  return {
    kind: 'tool',
    name,
    inputSchema: JsonSchema.empty().document,
    outputSchema: undefined,
    metadata: toolMetadata(metadata),
  }
}
