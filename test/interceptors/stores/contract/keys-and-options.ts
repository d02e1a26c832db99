import { describe, expect } from 'vitest'
import type { Store } from '../../../../src/interceptors/stores/store.js'
import { type ContractTest, present, valueIn } from './contract-test.js'

/** What holds for every method. */
export function describeKeysAndOptions(it: ContractTest): void {
  describe('keys and options', () => {
    it('keeps values, windows and leases of one key apart', async ({ store, key }) => {
      await store.set(key, 'value')
      await store.consume(key, { limit: 1, windowMs: 60_000 })
      const lease = await present(store.lease(key, { ttlMs: 60_000 }))
      await store.delete(key)
      expect((await store.consume(key, { limit: 1, windowMs: 60_000 })).allowed).toBe(false)
      expect(await lease.release()).toBe(true)
    })

    it('takes any text as a key, and keeps every two of them apart', async ({ store, key }) => {
      const keys = 'a|A|a |__proto__|constructor|北京|é|e\u0301|a\u0000b|a:b|{a}b'.split('|')
      for (const text of keys) await store.set(key + text, text)
      expect(await Promise.all(keys.map((text) => valueIn(store, key + text)))).toEqual(keys)
    })

    it.for<BadCall>([
      ['an empty key', (s) => s.get(''), 'not an empty one'],
      ['no key', (s) => s.set(undefined as never, 1), 'not undefined'],
      ['a key that is no string', (s) => s.consume(7 as never, { limit: 1, windowMs: 1 }), 'not number'],
    ])('refuses %s', async ([, call, message], { store }) => {
      await expect(call(store)).rejects.toThrow(TypeError)
      await expect(call(store)).rejects.toThrow(message)
    })

    it.for<BadCall>([
      [
        'no lifetime',
        (s) => s.set('k', 1, { ttlMs: 0 }),
        'ttlMs must be a whole number of at least 1, not 0',
      ],
      ['an endless lifetime', (s) => s.lease('k', { ttlMs: Number.POSITIVE_INFINITY }), 'not Infinity'],
      ['half a limit', (s) => s.consume('k', { limit: 0.5, windowMs: 1 }), 'limit must be a whole number'],
      ['a limit below 0', (s) => s.consume('k', { limit: -1, windowMs: 1 }), 'at least 0, not -1'],
      ['no window', (s) => s.consume('k', { limit: 1, windowMs: Number.NaN }), 'windowMs must be'],
      ['a call that gives back', (s) => s.consume('k', { limit: 1, windowMs: 1, cost: -1 }), 'cost must be'],
    ])('refuses %s', async ([, call, message], { store }) => {
      await expect(call(store)).rejects.toThrow(RangeError)
      await expect(call(store)).rejects.toThrow(message)
    })
  })
}

type BadCall = [what: string, call: (s: Store) => Promise<unknown>, message: string]
