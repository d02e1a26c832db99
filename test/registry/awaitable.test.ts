import { describe, expect, it } from 'vitest'
import { andThen } from '../../src/registry/awaitable.js'

describe('andThen', () => {
  it('gives a value that is ready on at once', () => {
    expect(andThen(2, (value) => value + 1)).toBe(3)
  })

  it('waits for a promise, and for anything with a then, whatever that returns', async () => {
    // biome-ignore lint/suspicious/noThenProperty: what await takes
    const thenable = { then: (resolve: (value: number) => void) => void setImmediate(() => resolve(2)) }
    expect(await andThen(Promise.resolve(2), (value) => value + 1)).toBe(3)
    expect(await andThen(thenable as unknown as Promise<number>, (value) => value + 1)).toBe(3)
  })
})
