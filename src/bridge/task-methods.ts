import type { AskedQuestion } from '../registry/ask.js'
import type { TaskState } from '../runtime/tasks/task-record.js'
import type { ToolTask } from '../runtime/tasks/tool-task.js'
import { inputRequestOf } from './input-request.js'
import { INTERNAL_ERROR, INVALID_PARAMS, JsonRpcError, METHOD_NOT_FOUND, membersOf } from './json-rpc.js'
import type { McpCalls } from './mcp-calls.js'
import type { McpRequest } from './mcp-request.js'
import { toCallToolResult } from './mcp-result.js'
import { capabilityError } from './protocol-error.js'
import { tasksRequired } from './tasks-extension.js'

type Method = (params: unknown, request: McpRequest) => Promise<object>

/** The methods of the extension `io.modelcontextprotocol/tasks`, for clients that have declared it (from 2026-07-28). */
export function taskMethods(calls: McpCalls): readonly (readonly [string, Method])[] {
  return [
    [
      'tasks/get',
      async (params, request) => {
        const task = await findTask(calls, params, request)
        const state = await task.state()
        if (state === undefined) throw unknownTask()
        return detailedTask(task.id, state, calls.tasks.pollIntervalMs)
      },
    ],
    [
      'tasks/update',
      async (params, request) => {
        const task = await findTask(calls, params, request)
        // The SDK has taken them out of the parameters.
        await task.answer((request.round?.inputResponses ?? {}) as Parameters<typeof task.answer>[0])
        return {}
      },
    ],
    [
      'tasks/cancel',
      async (params, request) => {
        const task = await findTask(calls, params, request)
        await task.cancel()
        return {}
      },
    ],
  ]
}

/** MCP `CreateTaskResult`: what a call is answered with that goes on as a task. */
export interface CreateTaskResult {
  readonly resultType: 'task'
  readonly taskId: string
  readonly status: TaskState['status']
}

/** The task as it begins; all else that there is to say of it, `tasks/get` says. */
export async function createTaskResult(task: ToolTask, pollIntervalMs: number): Promise<CreateTaskResult> {
  const state = await task.state()
  // It has expired within its first moments.
  if (state === undefined) throw unknownTask()
  return { resultType: 'task', ...taskFields(task.id, state, pollIntervalMs), status: 'working' }
}

/** MCP `DetailedTask`. */
function detailedTask(id: string, state: TaskState, pollIntervalMs: number): object {
  const task = taskFields(id, state, pollIntervalMs)
  const { status, result, questions, statusMessage } = state
  if (status === 'input_required') return { ...task, inputRequests: inputRequests(id, questions) }
  if (status === 'failed') {
    return { ...task, error: { code: INTERNAL_ERROR, message: statusMessage ?? 'Internal error' } }
  }
  if (status !== 'completed' || result === undefined) return task
  // What would have been a JSON-RPC error without a task is one here.
  const fault = result.ok ? undefined : capabilityError(result.error, 'modern')
  if (fault === undefined)
    return { ...task, result: toCallToolResult(result, { structured: state.door.structured === true }) }
  const { code, message, data } = fault
  return { ...task, status: 'failed', statusMessage: message, error: { code, message, data } }
}

function taskFields(taskId: string, state: TaskState, pollIntervalMs: number) {
  const { status, statusMessage, createdAt, lastUpdatedAt, expiresAt } = state
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: lastUpdatedAt.toISOString(),
    ttlMs: expiresAt.getTime() - createdAt.getTime(),
    pollIntervalMs,
  }
}

function inputRequests(id: string, questions: Readonly<Record<string, AskedQuestion>>) {
  return Object.fromEntries(
    Object.entries(questions).map(([key, question]) => [key, inputRequestOf(question, `${id}/${key}`)]),
  )
}

/** Another caller's task looks like one that there is not. */
async function findTask(calls: McpCalls, params: unknown, request: McpRequest): Promise<ToolTask> {
  if (request.era !== 'modern') throw new JsonRpcError(METHOD_NOT_FOUND, 'Method not found')
  if (!request.hasTasks) throw tasksRequired()
  const { taskId } = membersOf(params)
  if (typeof taskId !== 'string')
    throw new JsonRpcError(INVALID_PARAMS, 'params.taskId must be the id of a task')
  const task = await calls.findTask(taskId, request)
  if (task === undefined) throw unknownTask()
  return task
}

function unknownTask(): JsonRpcError {
  return new JsonRpcError(INVALID_PARAMS, 'Unknown task: there is none of this id, or it has expired')
}
