import fc from 'fast-check'

/** How a hook answers; `changed` is a changed context, from `before` alone. */
export type HookAct = 'pass' | 'junk' | 'success' | 'failure' | 'throw' | 'throwPlain' | 'rethrow' | 'changed'

/** A hook and how many turns it waits before it answers; 0 is a hook that is not async. */
export interface HookPlan {
  readonly act: HookAct
  readonly turns: number
}

const AROUND = {
  usual: ['once', 'onceChanged', 'twice', 'recover', 'overlap'],
  rare: ['throwAfter', 'drop', 'late', 'skip', 'throwBefore', 'failure', 'junk'],
} as const

/** How an `aroundExecute` uses its `next`; `overlap` and `late` misuse it. */
export const AROUND_ACTS = [...AROUND.usual, ...AROUND.rare]
export type AroundAct = (typeof AROUND_ACTS)[number]

export interface AroundPlan {
  readonly act: AroundAct
  readonly turns: number
}

/** One interceptor; a hook that is undefined is not there. */
export interface InterceptorPlan {
  readonly before: HookPlan | undefined
  readonly after: HookPlan | undefined
  readonly onError: HookPlan | undefined
  readonly around: AroundPlan | undefined
}

/** What the innermost does; `throwSync` is a function that is not even async. */
export interface InnermostPlan {
  readonly act: 'success' | 'throw' | 'throwPlain' | 'throwSync'
  readonly turns: number
}

export interface ChainPlan {
  readonly interceptors: readonly InterceptorPlan[]
  readonly innermost: InnermostPlan
}

/** The ways in which `around` leaves something running behind it. */
export function drops({ around }: InterceptorPlan): boolean {
  return around?.act === 'drop' || around?.act === 'late'
}

const turns = fc.nat({ max: 3 })

/** Seldom what ends the way in, so that many calls get far. */
function mostly<T>(usual: readonly T[], rare: readonly T[]): fc.Arbitrary<T> {
  const [often, seldom] = [fc.constantFrom(...usual), fc.constantFrom(...rare)]
  return fc.oneof({ arbitrary: often, weight: 3 }, { arbitrary: seldom, weight: 1 })
}

function maybe<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: 1 }, { arbitrary, weight: 2 })
}

function hook(...usual: readonly HookAct[]): fc.Arbitrary<HookPlan | undefined> {
  return maybe(
    fc.record({ act: mostly<HookAct>(usual, ['success', 'failure', 'throw', 'throwPlain']), turns }),
  )
}

const around: fc.Arbitrary<AroundPlan> = fc.record({
  act: mostly<AroundAct>(AROUND.usual, AROUND.rare),
  turns,
})

const interceptor: fc.Arbitrary<InterceptorPlan> = fc.record({
  before: hook('pass', 'changed', 'junk'),
  after: hook('pass', 'junk'),
  onError: hook('pass', 'junk', 'rethrow'),
  around: maybe(around),
})

/** Any chain of one to six interceptors; one of none is its innermost. */
export const chainPlan: fc.Arbitrary<ChainPlan> = fc.record({
  interceptors: fc.array(interceptor, { minLength: 1, maxLength: 6, size: 'max' }),
  innermost: fc.record({
    act: fc.constantFrom('success', 'success', 'throw', 'throwPlain', 'throwSync'),
    turns,
  }),
})
