import { describe, expect, it } from 'vitest'
import { shortened } from '../../src/registry/shortened.js'

describe('shortened', () => {
  it.each([
    ['', 3, ''],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc…'],
    ['ab😀', 4, 'ab😀'],
    ['ab😀c', 4, 'ab😀…'],
    ['ab😀', 3, 'ab…'],
  ])('makes %j, at %d characters, %j', (text, max, expected) => {
    expect(shortened(text, max)).toBe(expected)
  })
})
