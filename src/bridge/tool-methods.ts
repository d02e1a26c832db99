import { describe, isObject } from '../registry/json-value.js'
import { quoteName } from '../registry/quoted-name.js'
import type { ToolDescriptor } from '../registry/tool-descriptor.js'
import { ToolNotFoundError, ToolUnavailableError } from '../registry/tool-error.js'
import { ToolExecutionResult } from '../registry/tool-execution-result.js'
import type { RuntimeRequest } from '../runtime/runtime-request.js'
import { ToolTask } from '../runtime/tasks/tool-task.js'
import { type InputRequired, isInputRequired } from './call-rounds.js'
import type { Era } from './era.js'
import { INVALID_PARAMS, JsonRpcError, membersOf } from './json-rpc.js'
import type { McpCalls } from './mcp-calls.js'
import type { McpRequest } from './mcp-request.js'
import { type CallToolResult, toCallToolResult } from './mcp-result.js'
import { capabilityError } from './protocol-error.js'
import { type CreateTaskResult, createTaskResult } from './task-methods.js'
import { TASKS_EXTENSION, tasksRequired } from './tasks-extension.js'

/**
 * `tools/call`. What is wrong with the request itself (no such tool, arguments that are not an object) throws a
 * {@link JsonRpcError}; what is wrong with the call is a result with `isError`, so that the model can do better.
 */
export async function callTool(
  calls: McpCalls,
  params: unknown,
  request: McpRequest,
): Promise<CallToolResult | InputRequired | CreateTaskResult> {
  const { name, arguments: input } = membersOf(params)
  if (typeof name !== 'string') throw new JsonRpcError(INVALID_PARAMS, NO_NAME)
  const tool = calls.runtime.registry.lookup(name)
  const structured = tool !== undefined && showsOutputSchema(tool, request.era)
  const answer = await runTool(calls, { kind: 'tool', name, input }, { params, request, structured })
  if (answer instanceof ToolTask) return createTaskResult(answer, calls.tasks.pollIntervalMs)
  if (isInputRequired(answer)) return answer
  const result = answer
  if (!result.ok) {
    const { code, message } = result.error
    // A tool that calls another one may fail with the same code; then it is the other's name in the message.
    const isUnknown = code === 'TOOL_NOT_FOUND' && message === new ToolNotFoundError(name).message
    const isMalformed = code === 'INVALID_ARGUMENTS' && !isNothing(input) && !isObject(input)
    if (isUnknown || isMalformed) throw new JsonRpcError(INVALID_PARAMS, message)
    const missing = capabilityError(result.error, request.era)
    if (missing !== undefined) throw missing
  }
  return toCallToolResult(result, { structured })
}

/** As a task where the tool may be one and the client knows tasks. */
async function runTool(
  calls: McpCalls,
  wanted: ToolRequest,
  { params, request, structured }: ToolCallParts,
): Promise<ToolTask | ToolExecutionResult | InputRequired> {
  const { name } = wanted
  const task = calls.runtime.catalog.tool(name, calls.viewer(request))?.definition.metadata.task
  const { round } = request
  if (task !== undefined && round !== undefined && request.hasTasks) {
    return calls.runAsTask(wanted, params, { ...request, round }, { structured })
  }
  if (task !== 'required') return calls.run(wanted, params, request)
  if (request.era === 'modern') throw tasksRequired()
  const reason = `it takes so long that only a client which knows ${TASKS_EXTENSION} can call it`
  return ToolExecutionResult.failure(new ToolUnavailableError(name, reason), { toolName: name })
}

type ToolRequest = RuntimeRequest & { readonly kind: 'tool' }

interface ToolCallParts {
  readonly params: unknown
  readonly request: McpRequest
  /** The client was shown an output schema. */
  readonly structured: boolean
}

const NO_NAME = 'tools/call needs params.name, the name of a tool'

/** What {@link callTool} would refuse the request for, for an SDK that would rather say it in its parser's words. */
export function callFault(params: unknown): string | undefined {
  const { name, arguments: args } = membersOf(params)
  if (typeof name !== 'string') return NO_NAME
  if (isNothing(args) || isObject(args)) return undefined
  const got = describe(args)
  return `Invalid arguments for ${quoteName(name)}: arguments must be an object of named arguments (got ${got})`
}

/** Some clients write null for no arguments. */
function isNothing(args: unknown): boolean {
  return args === undefined || args === null
}

/** Whether the client of this era can be shown the tool's `outputSchema`: before 2026-07-28 its root is an object. */
export function showsOutputSchema({ outputSchema }: ToolDescriptor, era: Era): boolean {
  return outputSchema !== undefined && (era === 'modern' || outputSchema.type === 'object')
}

/** A tool in `tools/list`. */
export function toolJson(tool: ToolDescriptor, era: Era): Readonly<Record<string, unknown>> {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, meta } = tool
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(showsOutputSchema(tool, era) && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    ...(icons !== undefined && { icons }),
    ...(meta !== undefined && { _meta: meta }),
  }
}
