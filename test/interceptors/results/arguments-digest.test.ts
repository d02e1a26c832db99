import { describe, expect, it } from 'vitest'
import { argumentsDigest } from '../../../src/interceptors/results/arguments-digest.js'

describe('the digest of arguments', () => {
  it('is the same in any order of members', () => {
    expect(argumentsDigest({ a: 1, b: { c: 2, d: 3 } })).toBe(argumentsDigest({ b: { d: 3, c: 2 }, a: 1 }))
  })

  it('differs for what differs, also beyond JSON', () => {
    const different = [
      {},
      { a: null },
      { a: '1' },
      { a: 1 },
      { a: 1n },
      { a: 2n },
      { a: new Date(0) },
      { a: new Date(1) },
      { a: [1n] },
      { a: [] },
    ].map(argumentsDigest)
    expect(new Set(different).size).toBe(different.length)
    expect(different).not.toContain(undefined)
  })

  const cycle: Record<string, unknown> = { at: new Date(0) }
  cycle.self = cycle

  it.each([
    ['a Map', new Map([['a', 1]])],
    ['an instance of a class', new URL('https://example.com')],
    ['a function', () => undefined],
    ['an invalid date', new Date(Number.NaN)],
    ['a member that only its symbol names', { [Symbol('a')]: 1n }],
    ['a cycle', cycle],
    ['half a character', '\ud800'],
  ])('does not exist for %s', (_, value) => {
    expect(argumentsDigest({ value })).toBeUndefined()
  })
})
