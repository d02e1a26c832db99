import fc from 'fast-check'
import { Container } from 'inversify'
import { describe, expect, it } from 'vitest'
import { MemoryStore } from '../../../src/interceptors/stores/memory-store.js'
import { Store, StoreFullError, storeKey } from '../../../src/interceptors/stores/store.js'

describe('storeKey', () => {
  it('gives equal keys for equal parts and different keys for different ones', () => {
    const text = fc.oneof(
      fc.constantFrom('', ',', '"', '\\', '","', 'null', ':'),
      fc.string({ unit: 'binary' }),
    )
    const parts = fc.array(fc.option(text, { nil: undefined }), { maxLength: 4 })
    fc.assert(
      fc.property(parts, parts, (left, right) => {
        const same = left.length === right.length && left.every((part, index) => part === right[index])
        expect(storeKey(...left) === storeKey(...right)).toBe(same)
        expect(storeKey(...left)).toBe(storeKey(...[...left]))
      }),
    )
  })

  it.each([
    [['a', 'b'], ['a,b']],
    [
      ['a"', 'b'],
      ['a', '"b'],
    ],
    [[''], [undefined]],
    [[undefined], ['null']],
    [[], ['']],
  ])('tells %j from %j', (left, right) => {
    expect(storeKey(...left)).not.toBe(storeKey(...right))
  })
})

describe('StoreFullError', () => {
  it('is recognised by its brand', () => {
    const error = new StoreFullError('full', { retryAfterMs: 5, cause: 'why' })
    const fromAnotherCopy = Object.assign(new Error('full'), {
      [Symbol.for('toolwire.StoreFullError')]: true,
    })
    expect(
      [error, fromAnotherCopy, new Error('full'), null, undefined, 'full'].map(StoreFullError.is),
    ).toEqual([true, true, false, false, false, false])
    expect([error.name, error.message, error.retryAfterMs, error.cause]).toEqual([
      'StoreFullError',
      'full',
      5,
      'why',
    ])
  })
})

it('is found in a container by the identifier that shares its name', () => {
  const container = new Container()
  container.bind(Store).toConstantValue(new MemoryStore())
  expect(container.get(Store)).toBeInstanceOf(MemoryStore)
})
