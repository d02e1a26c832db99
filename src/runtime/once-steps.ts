import { AsyncLocalStorage } from 'node:async_hooks'
import { IdleWait } from '../registry/idle-wait.js'
import { copyJson, type JsonValue, setMember } from '../registry/json-value.js'

/** A step that is under way. */
interface Step {
  readonly of: OnceSteps
  readonly key: string
  /** The one that it is part of. */
  readonly outer: Step | undefined
  result: Promise<JsonValue> | undefined
  /** It waits for an answer itself. */
  isWaiting: boolean
}

const around = new AsyncLocalStorage<Step>()

/** The steps of a call that are done, or under way, each under its key. */
export class OnceSteps {
  readonly #done = new Map<string, JsonValue>()
  readonly #underWay = new Map<string, Step>()
  readonly #idle = new IdleWait()

  /** `done`: the results of earlier rounds. */
  constructor(done: Readonly<Record<string, unknown>> = {}) {
    for (const [key, value] of Object.entries(done)) this.#keep(key, value)
  }

  /** Results so far, by key: a copy. */
  get results(): Readonly<Record<string, JsonValue>> {
    const results: Record<string, JsonValue> = {}
    for (const [key, value] of this.#done) setMember(results, key, value)
    return Object.freeze(results)
  }

  /**
   * Runs `fn` unless its key is done, and gives its result as JSON carries it, the same each time: frozen, and `null` for
   * nothing. A step that fails, or gives what JSON cannot carry, is not done.
   */
  async run<T>(key: string, fn: () => T | Promise<T>): Promise<T> {
    const done = this.#done.get(key)
    // What is kept under a key is what its own `fn` returned.
    if (done !== undefined) return done as T
    if (stepsAround().some((step) => step.of === this && step.key === key)) {
      throw new TypeError(
        `The step ${JSON.stringify(key)} of ctx.once waits for itself: give each its own key`,
      )
    }
    return (this.#underWay.get(key)?.result ?? this.#start(key, fn)) as Promise<T>
  }

  /** The code that is running waits for an answer, and so do the steps that it is part of. */
  waitForAnswer(): void {
    for (const step of stepsAround()) if (step.of === this) step.isWaiting = true
    this.#idle.wake()
  }

  /** Something is under way whose result would be lost if the call ended now. */
  get areUnderWay(): boolean {
    return [...this.#underWay.values()].some(({ isWaiting }) => !isWaiting)
  }

  /** Resolves when none is under way, but for those that wait for an answer. */
  async settled(): Promise<void> {
    await this.#idle.wait(() => !this.areUnderWay)
  }

  #start(key: string, fn: () => unknown): Promise<JsonValue> {
    const step: Step = { of: this, key, outer: around.getStore(), result: undefined, isWaiting: false }
    this.#underWay.set(key, step)
    step.result = this.#finish(step, fn)
    return step.result
  }

  async #finish(step: Step, fn: () => unknown): Promise<JsonValue> {
    try {
      const value = await around.run(step, fn)
      // One that gives nothing is done all the same.
      return this.#keep(step.key, value === undefined ? null : value)
    } finally {
      this.#underWay.delete(step.key)
      this.#idle.wake()
    }
  }

  #keep(key: string, value: unknown): JsonValue {
    const copy = copyJson(value, `The result of once(${JSON.stringify(key)})`)
    this.#done.set(key, copy)
    return copy
  }
}

/** From the innermost to the outermost. */
function stepsAround(): readonly Step[] {
  const steps: Step[] = []
  for (let step = around.getStore(); step !== undefined; step = step.outer) steps.push(step)
  return steps
}
