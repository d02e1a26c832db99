import fc from 'fast-check'

/** How a start of an executor goes on. */
export type Behaviour =
  | { readonly does: 'succeed' | 'throw' | 'fail-upstream' | 'fail-before-acting'; readonly afterMs: number }
  /** Ends when it is aborted, and not before. */
  | { readonly does: 'hang' }
  /** Succeeds, whatever its signal says. */
  | { readonly does: 'ignore-abort'; readonly afterMs: number }

/** A call that somebody makes at some time. */
export interface PlannedCall {
  readonly atMs: number
  readonly tool: 'send' | 'put' | 'get'
  readonly caller: number
  readonly key: string | undefined
  readonly n: number
  readonly cancelAfterMs: number | undefined
  readonly timeoutMs: number
}

/** What happens in one run: calls, and how the executors of each tool go on, one start after the other, over and over. */
export interface Schedule {
  readonly calls: readonly PlannedCall[]
  readonly behaviours: readonly Behaviour[]
}

const afterMs = fc.integer({ min: 0, max: 400 })

const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom('succeed', 'throw', 'fail-upstream', 'fail-before-acting'),
      afterMs,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'hang' as const }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('ignore-abort' as const), afterMs }) },
)

const call: fc.Arbitrary<PlannedCall> = fc.record({
  atMs: fc.integer({ min: 0, max: 1_500 }),
  tool: fc.constantFrom('send', 'put', 'get'),
  caller: fc.integer({ min: 0, max: 2 }),
  key: fc.constantFrom(undefined, undefined, 'k1', 'k2'),
  n: fc.integer({ min: 0, max: 1 }),
  cancelAfterMs: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined, freq: 3 }),
  timeoutMs: fc.constantFrom(50, 300, 1_000, 5_000),
})

/** Slow, failing, cancelled and repeated calls of three callers. */
export const schedule: fc.Arbitrary<Schedule> = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 25 }),
  behaviours: fc.array(behaviour, { minLength: 1, maxLength: 12 }),
})
