import type { AskedQuestion } from '../../registry/ask.js'
import type { JsonObject } from '../../registry/json-value.js'
import type { ToolExecutionResult } from '../../registry/tool-execution-result.js'
import { resultOf } from './result-text.js'

/**
 * MCP's words (tasks extension). `completed`: there is a result, which may be a failure. `failed`: there will never be
 * one, since the process that ran the task is gone.
 */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** What is stored of a task. Times are in milliseconds since 1970: several processes read them. */
export interface TaskRecord {
  /** Whose it is. */
  readonly callerKey: string
  readonly toolName: string
  /** What the door that it came through has to know of it later. */
  readonly door: JsonObject
  readonly status: TaskStatus
  readonly statusMessage?: string
  readonly createdAt: number
  readonly lastUpdatedAt: number
  readonly expiresAt: number
  /** By key, as JSON text: a store may allow a value less depth than a question has. */
  readonly questions: string
  /** `resultText`, of one that has ended; also larger than a store takes as a value of many parts. */
  readonly result?: string
}

/** A task as it was when it was looked at. */
export interface TaskState {
  readonly status: TaskStatus
  /** What it does just now, as it has said itself, or why it failed. */
  readonly statusMessage?: string
  readonly createdAt: Date
  readonly lastUpdatedAt: Date
  /** When it is forgotten, unless it changes before. */
  readonly expiresAt: Date
  /** What waits for an answer, by key. */
  readonly questions: Readonly<Record<string, AskedQuestion>>
  /** Of one that has ended. */
  readonly result?: ToolExecutionResult
  /** @internal */
  readonly door: JsonObject
}

export function hasEnded({ status }: Pick<TaskRecord, 'status'>): boolean {
  return status !== 'working' && status !== 'input_required'
}

export function stateOf(record: TaskRecord): TaskState {
  const { status, statusMessage, createdAt, lastUpdatedAt, expiresAt, questions, result, door } = record
  return {
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(createdAt),
    lastUpdatedAt: new Date(lastUpdatedAt),
    expiresAt: new Date(expiresAt),
    questions: JSON.parse(questions),
    ...(result !== undefined && { result: resultOf(result) }),
    door,
  }
}
