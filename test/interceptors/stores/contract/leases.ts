import { describe, expect } from 'vitest'
import { type ContractTest, present, race } from './contract-test.js'

/** What `lease` promises. */
export function describeLeases(it: ContractTest): void {
  describe('leases', () => {
    it('has one holder at a time', async ({ store, key }) => {
      const leases = await race(100, () => store.lease(key, { ttlMs: 60_000 }))
      const held = leases.filter((lease) => lease !== undefined)
      expect(held.map((lease) => lease.key)).toEqual([key])
      expect(await store.lease(key, { ttlMs: 60_000 })).toBeUndefined()
      expect(await held[0]?.release()).toBe(true)
      expect(await store.lease(key, { ttlMs: 60_000 })).toBeDefined()
    })

    it('is free at its expiry, and the old holder can neither renew nor release it any more', async ({
      store,
      key,
      time,
    }) => {
      const old = await present(store.lease(key, { ttlMs: 1_000 }))
      await time.toJustBefore(1_000)
      expect(await store.lease(key, { ttlMs: 1_000 })).toBeUndefined()
      await time.overTheEdge()
      expect([await old.renew(), await old.release()]).toEqual([false, false])
      const next = await present(store.lease(key, { ttlMs: 60_000 }))
      expect([await old.renew(), await old.release()]).toEqual([false, false])
      expect(await store.lease(key, { ttlMs: 1_000 })).toBeUndefined()
      expect(await next.release()).toBe(true)
    })

    it('is held on by renewing, for its first lifetime or another', async ({ store, key, time }) => {
      const lease = await present(store.lease(key, { ttlMs: 1_000 }))
      await time.pass(600)
      expect(await lease.renew()).toBe(true)
      await time.pass(600)
      expect(await store.lease(key, { ttlMs: 1_000 })).toBeUndefined()
      expect(await lease.renew(200)).toBe(true)
      await time.pass(200 + time.slackMs)
      expect(await store.lease(key, { ttlMs: 1_000 })).toBeDefined()
    })

    it('cannot be released twice', async ({ store, key }) => {
      const lease = await present(store.lease(key, { ttlMs: 60_000 }))
      expect([await lease.release(), await lease.release(), await lease.renew()]).toEqual([
        true,
        false,
        false,
      ])
    })

    it('numbers its holders upwards', async ({ store, key, time }) => {
      const tokens: number[] = []
      for (let turn = 0; turn < 5; turn++) {
        const lease = await present(store.lease(key, { ttlMs: 100 }))
        tokens.push(lease.token)
        if (turn % 2 === 0) await lease.release()
        else await time.pass(100 + time.slackMs)
      }
      expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b))
    })

    it('is released at the end of an await using block, also by an error', async ({ store, key }) => {
      const work = async () => {
        await using lease = await present(store.lease(key, { ttlMs: 60_000 }))
        throw new Error(`lost ${lease.key}`)
      }
      await expect(work()).rejects.toThrow(`lost ${key}`)
      expect(await store.lease(key, { ttlMs: 60_000 })).toBeDefined()
    })
  })
}
