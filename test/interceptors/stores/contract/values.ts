import { describe, expect } from 'vitest'
import { type ContractTest, freshKey, valueIn } from './contract-test.js'

/** What `get`, `set` and `delete` promise. */
export function describeValues(it: ContractTest): void {
  describe('values', () => {
    it.for([null, false, 0, '', 'text', 1.5, [], {}, [1, [null, { a: '北京' }]], { a: { b: [true] } }])(
      'gives back %j as it was set',
      async (value, { store, key }) => {
        await store.set(key, value)
        expect(await valueIn(store, key)).toStrictEqual(value)
      },
    )

    it('knows nothing of a key that was never set', async ({ store, key }) => {
      expect(await store.get(key)).toBeUndefined()
      expect(await store.delete(key)).toBe(false)
    })

    it('keeps a copy: the object that was set can change', async ({ store, key }) => {
      const value = { list: [1], inner: { a: 1 } }
      await store.set(key, value)
      value.list.push(2)
      value.inner.a = 2
      expect(await valueIn(store, key)).toStrictEqual({ list: [1], inner: { a: 1 } })
    })

    it('does not change when somebody tries to change what was read', async ({ store, key }) => {
      await store.set(key, { list: [1], inner: { a: 1 } })
      const read = (await valueIn(store, key)) as { list: number[]; inner: { a: number } }
      for (const change of [() => read.list.push(2), () => Object.assign(read.inner, { a: 2 })]) {
        try {
          change()
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError)
        }
      }
      expect(await valueIn(store, key)).toStrictEqual({ list: [1], inner: { a: 1 } })
    })

    it('leaves out members that are undefined, and keeps one called __proto__ a member', async ({
      store,
      key,
    }) => {
      await store.set(key, JSON.parse('{ "__proto__": { "admin": true } }'))
      expect(JSON.stringify(await valueIn(store, key))).toBe('{"__proto__":{"admin":true}}')
      await store.set(key, { a: 1, b: undefined })
      expect(await valueIn(store, key)).toStrictEqual({ a: 1 })
    })

    it.for<[what: string, value: unknown, message: RegExp]>([
      ['undefined', undefined, /undefined/],
      ['a number that JSON lacks', { a: [0, Number.NaN] }, /NaN.*\/a\/1\b/],
      ['a hole in an array', Object.assign([0], { 2: 2 }), /undefined.*\/1\b/],
      ['a date', { at: new Date(0) }, /Date.*\/at\b/],
      ['a map', new Map(), /Map/],
      ['an own class', { user: new (class User {})() }, /User.*\/user\b/],
      ['a function', { toJSON: () => 1 }, /function.*\/toJSON\b/],
      ['a bigint', [1n], /bigint.*\/0\b/],
      ['a cycle', cycle(), /contains itself.*\/itself\b/],
    ])('refuses %s and says where it is', async ([, value, message], { store, key }) => {
      await store.set(key, 'before')
      await expect(store.set(key, value)).rejects.toThrow(TypeError)
      await expect(store.set(key, value)).rejects.toThrow(message)
      expect(await valueIn(store, key)).toBe('before')
    })

    it('says that a set took place, with ifAbsent only for a key without a live value', async ({
      store,
      key,
      time,
    }) => {
      expect(await store.set(key, 'first', { ifAbsent: true, ttlMs: 1_000 })).toBeTypeOf('string')
      expect(await store.set(key, 'second', { ifAbsent: true })).toBeUndefined()
      expect(await valueIn(store, key)).toBe('first')
      await time.toJustBefore(1_000)
      await time.overTheEdge()
      expect(await store.set(key, 'third', { ifAbsent: true })).toBeTypeOf('string')
      expect(await valueIn(store, key)).toBe('third')
    })

    it.for([false, true])(
      'holds a value until its expiry and not longer (evictable: %s)',
      async (evictable, { store, key, time }) => {
        await store.set(key, 'value', { ttlMs: 1_000, evictable })
        await time.toJustBefore(1_000)
        expect(await valueIn(store, key)).toBe('value')
        await time.overTheEdge()
        expect(await store.get(key)).toBeUndefined()
        expect(await store.delete(key)).toBe(false)
      },
    )

    it('takes the expiry of the latest set, and none when it names none', async ({ store, key, time }) => {
      await store.set(key, 'short', { ttlMs: 500 })
      await store.set(key, 'long', { ttlMs: 1_500 })
      const forever = freshKey()
      await store.set(forever, 'short', { ttlMs: 500 })
      await store.set(forever, 'kept')
      await time.pass(1_000)
      expect([await valueIn(store, key), await valueIn(store, forever)]).toEqual(['long', 'kept'])
      await time.pass(1_000)
      expect([await valueIn(store, key), await valueIn(store, forever)]).toEqual([undefined, 'kept'])
    })

    it('keeps one value of a key, evictable or not', async ({ store, key }) => {
      await store.set(key, 'evictable', { evictable: true })
      await store.set(key, 'kept')
      expect(await valueIn(store, key)).toBe('kept')
      await store.set(key, 'evictable again', { evictable: true })
      expect(await valueIn(store, key)).toBe('evictable again')
      expect([await store.delete(key), await store.get(key)]).toEqual([true, undefined])
    })
  })
}

function cycle(): object {
  const value: Record<string, unknown> = {}
  value.itself = value
  return value
}
