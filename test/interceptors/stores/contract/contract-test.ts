import { test } from 'vitest'
import type { Store } from '../../../../src/interceptors/stores/store.js'

/** A store to be tested, and how its time passes: a fake clock is moved, a store on real time waits. */
export interface StoreUnderTest {
  readonly store: Store
  advance(ms: number): void | Promise<void>
  /** Gives back what was opened for the test, such as a connection. */
  release?(): void | Promise<void>
}

/** Lets time pass for a store that may be off by some ms, on either side. */
export class StoreTime {
  readonly slackMs: number
  readonly #underTest: StoreUnderTest

  constructor(underTest: StoreUnderTest, slackMs: number) {
    this.#underTest = underTest
    this.slackMs = slackMs
  }

  async pass(ms: number): Promise<void> {
    await this.#underTest.advance(ms)
  }

  /** To the last moment at which `ms` have surely not passed. */
  async toJustBefore(ms: number): Promise<void> {
    await this.pass(ms - 1 - this.slackMs)
  }

  /** From there to the first moment at which they surely have. */
  async overTheEdge(): Promise<void> {
    await this.pass(1 + 2 * this.slackMs)
  }

  /** The expected time if the actual one is off by no more than the slack, else the actual one. */
  snap(actual: number, expected: number): number {
    return Math.abs(actual - expected) <= this.slackMs ? expected : actual
  }
}

export type ContractTest = ReturnType<typeof contractTest>

/** A test that gets a store, a key that nobody else uses, and the store's time. */
export function contractTest(create: () => StoreUnderTest | Promise<StoreUnderTest>, slackMs: number) {
  return test.extend<{ underTest: StoreUnderTest; store: Store; key: string; time: StoreTime }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
    underTest: async ({}, use) => {
      const underTest = await create()
      await use(underTest)
      await underTest.release?.()
    },
    store: async ({ underTest }, use) => use(underTest.store),
    time: async ({ underTest }, use) => use(new StoreTime(underTest, slackMs)),
    // biome-ignore lint/correctness/noEmptyPattern: as above
    key: async ({}, use) => use(freshKey()),
  })
}

let keys = 0

/** A key that no test has used, in this process or another. */
export function freshKey(): string {
  return `contract-${process.pid}-${++keys}`
}

export async function valueIn(store: Store, key: string): Promise<unknown> {
  return (await store.get(key))?.value
}

/** Starts `count` calls at once and waits for all. */
export function race<T>(count: number, run: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => run(n)))
}

/** The result of a step that the test stands on. */
export async function present<T>(result: Promise<T | undefined>): Promise<T> {
  const value = await result
  if (value === undefined) throw new Error('the store refused what the test stands on')
  return value
}
