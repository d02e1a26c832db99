import type { AskAnswer } from '../../registry/ask.js'
import type { ToolExecutionResult } from '../../registry/tool-execution-result.js'
import type { TaskAccess } from './task-access.js'
import type { TaskState } from './task-record.js'

/** A call that goes on by itself. Whoever knows its id, and is its caller, can look in later: see `ToolTasks.get`. */
export class ToolTask<Value = unknown> {
  readonly id: string
  readonly toolName: string
  readonly #access: TaskAccess

  /** @internal */
  constructor(id: string, toolName: string, access: TaskAccess) {
    this.id = id
    this.toolName = toolName
    this.#access = access
  }

  /** How it stands; undefined once it has expired. Rejects if the store cannot say. */
  state(): Promise<TaskState | undefined> {
    return this.#access.state(this.id)
  }

  /**
   * Waits for the result, which is that of a call: look at `result.ok`. Rejects with the reason of `signal`, which ends the
   * waiting and not the task, or if the store cannot say.
   */
  result({ signal }: { readonly signal?: AbortSignal } = {}): Promise<ToolExecutionResult<Value>> {
    // The definition that the task was started by has said what its value is.
    return this.#access.result(this.id, this.toolName, signal) as Promise<ToolExecutionResult<Value>>
  }

  /**
   * Answers questions of `ctx.ask`, by their key in `state().questions`. Resolves to the keys under which nothing is asked, or
   * not any more. An answer that does not fit is asked for again, under a new key.
   */
  answer(answers: Readonly<Record<string, AskAnswer>>): Promise<readonly string[]> {
    return this.#access.answer(this.id, answers)
  }

  /** Aborts its work. It may end otherwise all the same, if it is quicker; one that has ended stays as it is. */
  cancel(): Promise<void> {
    return this.#access.cancel(this.id)
  }
}
