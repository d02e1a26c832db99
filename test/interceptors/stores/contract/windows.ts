import { describe, expect } from 'vitest'
import type { Consumption, Quota } from '../../../../src/interceptors/stores/store.js'
import { type ContractTest, freshKey, race, type StoreTime } from './contract-test.js'

/** What `consume` promises. */
export function describeWindows(it: ContractTest): void {
  describe('sliding windows', () => {
    const perSecond = (limit: number): Quota => ({ limit, windowMs: 1_000 })
    const allowed = (remaining: number): Consumption => ({ allowed: true, remaining, retryAfterMs: 0 })

    it('lets the limit pass and tells the next one exactly when there is room', async ({
      store,
      key,
      time,
    }) => {
      const outcomes = await race(60, () => store.consume(key, { limit: 60, windowMs: 1_000 }))
      expect(outcomes.map(({ remaining }) => remaining)).toEqual(Array.from({ length: 60 }, (_, n) => 59 - n))
      await time.pass(300)
      const refused = await store.consume(key, { limit: 60, windowMs: 1_000 })
      expectRefusal(time, refused, 0, 700)
      await time.toJustBefore(700)
      expect((await store.consume(key, { limit: 60, windowMs: 1_000 })).allowed).toBe(false)
      await time.overTheEdge()
      expect(await store.consume(key, { limit: 60, windowMs: 1_000 })).toEqual(allowed(59))
    })

    it('slides: a call leaves the window on its own, not with the others', async ({ store, key, time }) => {
      await store.consume(key, perSecond(2))
      await time.pass(400)
      await store.consume(key, perSecond(2))
      expectRefusal(time, await store.consume(key, perSecond(2)), 0, 600)
      await time.pass(600 + time.slackMs)
      expect(await store.consume(key, perSecond(2))).toEqual(allowed(0))
      expectRefusal(time, await store.consume(key, perSecond(2)), 0, 400 - time.slackMs)
    })

    it('does not count refused calls: who keeps asking still gets in on time', async ({
      store,
      key,
      time,
    }) => {
      await store.consume(key, perSecond(1))
      for (let asked = 0; asked < 4; asked++) {
        await time.pass(200)
        expect((await store.consume(key, perSecond(1))).allowed).toBe(false)
      }
      await time.pass(200 + time.slackMs)
      expect(await store.consume(key, perSecond(1))).toEqual(allowed(0))
    })

    it('counts the cost of a call, and refuses a dear one where a cheap one still fits', async ({
      store,
      key,
      time,
    }) => {
      expect(await store.consume(key, { ...perSecond(5), cost: 4 })).toEqual(allowed(1))
      expectRefusal(time, await store.consume(key, { ...perSecond(5), cost: 2 }), 1, 1_000)
      expect(await store.consume(key, perSecond(5))).toEqual(allowed(0))
    })

    it('refuses everything at limit 0, and what costs more than the limit', async ({ store, key, time }) => {
      expectRefusal(time, await store.consume(key, perSecond(0)), 0, 1_000)
      expectRefusal(time, await store.consume(key, { ...perSecond(2), cost: 3 }), 2, 1_000)
      expect(await store.consume(key, perSecond(2))).toEqual(allowed(1))
    })

    it('takes a new limit for the calls that already passed', async ({ store, key, time }) => {
      await race(4, () => store.consume(key, perSecond(4)))
      expectRefusal(time, await store.consume(key, perSecond(2)), 0, 1_000)
      expect(await store.consume(key, perSecond(6))).toEqual(allowed(1))
    })

    it('counts each key by itself', async ({ store, key }) => {
      await store.consume(key, perSecond(1))
      expect(await store.consume(freshKey(), perSecond(1))).toEqual(allowed(0))
    })

    it('never lets more than the limit through, however many come at once', async ({ store, key }) => {
      const outcomes = await race(1_000, () => store.consume(key, { limit: 60, windowMs: 60_000 }))
      expect(outcomes.filter((outcome) => outcome.allowed)).toHaveLength(60)
    })
  })
}

function expectRefusal(time: StoreTime, actual: Consumption, remaining: number, retryAfterMs: number): void {
  const aboutAsSaid = time.snap(actual.retryAfterMs, retryAfterMs)
  expect({ ...actual, retryAfterMs: aboutAsSaid }).toEqual({ allowed: false, remaining, retryAfterMs })
}
