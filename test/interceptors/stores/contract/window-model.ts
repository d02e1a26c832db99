import fc from 'fast-check'
import { expect } from 'vitest'
import type { Consumption, Quota } from '../../../../src/interceptors/stores/store.js'
import { type ContractTest, freshKey } from './contract-test.js'

/** Compares `consume` with a list of all calls, at every step of time. */
export function describeWindowModel(it: ContractTest): void {
  it('counts as a list of all calls would, whatever the steps of time', async ({ store, time }) => {
    const step = fc.record({ wait: fc.nat(12), cost: fc.integer({ min: 1, max: 3 }) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.array(fc.nat(6), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 40 }),
        async (steps, limits, windowMs) => {
          const model = new CallList()
          const key = freshKey()
          for (const [index, { wait, cost }] of steps.entries()) {
            await time.pass(wait)
            model.time += wait
            const quota = { limit: limits[index % limits.length] ?? 0, windowMs, cost }
            expect(await store.consume(key, quota)).toEqual(model.consume(quota))
          }
        },
      ),
    )
  })
}

/** The sliding window as one would say it: count the calls of the last `windowMs`. */
class CallList {
  time = 0
  readonly #passedAt: number[] = []

  consume({ limit, windowMs, cost = 1 }: Quota): Consumption {
    const usedAt = (time: number) => this.#passedAt.filter((at) => at > time - windowMs).length
    const left = limit - usedAt(this.time)
    if (left >= cost) {
      for (let n = 0; n < cost; n++) this.#passedAt.push(this.time)
      return { allowed: true, remaining: left - cost, retryAfterMs: 0 }
    }
    let wait = 1
    while (wait < windowMs && usedAt(this.time + wait) + cost > limit) wait++
    return { allowed: false, remaining: Math.max(0, left), retryAfterMs: wait }
  }
}
