import { describe, expect } from 'vitest'
import { type ContractTest, present, race, valueIn } from './contract-test.js'

/** What `compareAndSet`, `compareAndDelete` and `ifAbsent` promise. */
export function describeVersions(it: ContractTest): void {
  describe('versions', () => {
    it('sets a value whose version is still the expected one, and gives it a new one', async ({
      store,
      key,
    }) => {
      const first = await present(store.set(key, 1))
      const second = await present(store.compareAndSet(key, first, 2))
      expect(await store.get(key)).toEqual({ value: 2, version: second })
      expect(await store.compareAndSet(key, first, 3)).toBeUndefined()
      expect(await valueIn(store, key)).toBe(2)
    })

    it('is not fooled by an equal value that was set later', async ({ store, key }) => {
      const first = await present(store.set(key, 'same'))
      await store.set(key, 'same')
      expect(await store.compareAndSet(key, first, 'next')).toBeUndefined()
      await store.delete(key)
      await store.set(key, 'same')
      expect(await store.compareAndSet(key, first, 'next')).toBeUndefined()
      expect(await store.compareAndDelete(key, first)).toBe(false)
      expect(await valueIn(store, key)).toBe('same')
    })

    it('does not bring back what was deleted or has expired', async ({ store, key, time }) => {
      const deleted = await present(store.set(key, 'value'))
      await store.delete(key)
      expect(await store.compareAndSet(key, deleted, 'next')).toBeUndefined()
      const expired = await present(store.set(key, 'value', { ttlMs: 100 }))
      await time.pass(100 + time.slackMs)
      expect(await store.compareAndSet(key, expired, 'next')).toBeUndefined()
      expect(await store.get(key)).toBeUndefined()
    })

    it('sets the expiry along with the value', async ({ store, key, time }) => {
      const version = await present(store.set(key, 1, { ttlMs: 500 }))
      await store.compareAndSet(key, version, 2, { ttlMs: 1_500 })
      await time.pass(1_000)
      expect(await valueIn(store, key)).toBe(2)
      await time.pass(1_000)
      expect(await store.get(key)).toBeUndefined()
    })

    it('deletes only the version that is meant', async ({ store, key }) => {
      const first = await present(store.set(key, 1))
      const second = await present(store.set(key, 2))
      expect(await store.compareAndDelete(key, first)).toBe(false)
      expect(await valueIn(store, key)).toBe(2)
      expect(await store.compareAndDelete(key, second)).toBe(true)
      expect(await store.get(key)).toBeUndefined()
    })

    it('has one winner, and it is the value that stays', async ({ store, key }) => {
      const version = await present(store.set(key, 'start'))
      const raced = await race(100, (n) => store.compareAndSet(key, version, n))
      const winners = [...raced.keys()].filter((n) => raced[n] !== undefined)
      expect(winners).toHaveLength(1)
      expect(await store.get(key)).toEqual({ value: winners[0], version: raced[winners[0] ?? -1] })
    })

    it('lets one of many set an absent key, and one of many delete it', async ({ store, key }) => {
      const set = await race(100, (n) => store.set(key, n, { ifAbsent: true }))
      expect(set.filter((version) => version !== undefined)).toHaveLength(1)
      const deleted = await race(100, () => store.delete(key))
      expect(deleted.filter(Boolean)).toHaveLength(1)
    })

    it('loses no update of a counter that everybody raises by compare and set', async ({ store, key }) => {
      await store.set(key, 0)
      await race(20, async () => {
        for (;;) {
          const entry = await store.get(key)
          if (entry === undefined) throw new Error('the counter is gone')
          if (await store.compareAndSet(key, entry.version, Number(entry.value) + 1)) return
        }
      })
      expect(await valueIn(store, key)).toBe(20)
    })
  })
}
