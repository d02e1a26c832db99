import { LRUCache } from 'lru-cache'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import { definitionKey } from './definition-key.js'
import { requireNumber } from './number-option.js'

/**
 * Each definition has `reserve` retries to begin with. A retry takes one, and gives it back if it succeeds; each call earns
 * `perCall` of one, up to the reserve. So while nothing succeeds, the load grows by that share alone.
 */
export interface RetryBudgetOptions {
  /** Default 0.2: one retry for five calls. */
  readonly perCall?: number
  /** Default 20. */
  readonly reserve?: number
}

/** So many definitions are known apart; one that was not called for long starts anew. */
const MAX_DEFINITIONS = 1_000

type Called = Pick<ToolExecutionContext, 'kind' | 'toolName'>

/** How many retries the definitions have left, as {@link RetryBudgetOptions} says. */
export class RetryBudget {
  readonly #perCall: number
  readonly #reserve: number
  /** By definition; one that is not here has its whole reserve. */
  readonly #left = new LRUCache<string, number>({ max: MAX_DEFINITIONS })

  constructor({ perCall = 0.2, reserve = 20 }: RetryBudgetOptions) {
    requireNumber('budget.perCall', perCall, { min: 0 })
    requireNumber('budget.reserve', reserve, { min: 1 })
    this.#perCall = perCall
    this.#reserve = reserve
  }

  retriesLeft(kind: string, name: string): number {
    return Math.floor(this.#left.peek(definitionKey(kind, name)) ?? this.#reserve)
  }

  earn(call: Called): void {
    this.#add(call, this.#perCall)
  }

  /** Takes a retry, if there is one. */
  spend(call: Called): boolean {
    if (this.retriesLeft(call.kind, call.toolName) < 1) return false
    this.#add(call, -1)
    return true
  }

  giveBack(call: Called): void {
    this.#add(call, 1)
  }

  #add({ kind, toolName }: Called, retries: number): void {
    const key = definitionKey(kind, toolName)
    const left = Math.min(this.#reserve, (this.#left.get(key) ?? this.#reserve) + retries)
    if (left === this.#reserve) this.#left.delete(key)
    else this.#left.set(key, left)
  }
}
