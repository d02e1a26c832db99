import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PlannedCall } from './model/schedule.js'
import { schedule } from './model/schedule.js'
import { type Answered, type Outcome, PER_CALLER, PER_TOOL, play, type Start } from './model/world.js'

/** The starts that a call answers for: its own, and, where they are not to be repeated, those of its key. */
function startsOf({ planned, callId }: Answered, starts: readonly Start[]): readonly Start[] {
  const { tool, key } = planned
  const caller = callerOf(planned, starts)
  return starts.filter(
    (one) =>
      one.tool === tool &&
      (one.callId === callId ||
        (tool === 'send' && key !== undefined && one.key === key && one.caller === caller)),
  )
}

function callerOf({ caller }: PlannedCall, starts: readonly Start[]): string | undefined {
  return starts.find((one) => one.caller.includes(`caller-${caller}`))?.caller
}

/** Groups the starts of what must run once: those of one key, or of one call. */
function sameWork(starts: readonly Start[]): readonly (readonly Start[])[] {
  const groups = new Map<string, Start[]>()
  for (const start of starts) {
    const id = start.key === undefined ? `call ${start.callId}` : `${start.caller} ${start.key}`
    groups.set(id, [...(groups.get(id) ?? []), start])
  }
  return [...groups.values()]
}

function checkAll({ starts, answers, most, freePermits, timersLeft }: Outcome): void {
  // At most once: of what is not idempotent, whatever came before the last start has done nothing.
  for (const group of sameWork(starts.filter(({ tool }) => tool === 'send'))) {
    for (const earlier of group.slice(0, -1)) expect(earlier).toMatchObject({ didNothing: true })
  }
  expect(most.perTool).toBeLessThanOrEqual(PER_TOOL)
  expect(most.perCaller).toBeLessThanOrEqual(PER_CALLER)
  expect(freePermits).toBe(PER_TOOL)
  expect(timersLeft).toBe(0)
  for (const answer of answers) checkAnswer(answer, starts)
}

function checkAnswer(answer: Answered, starts: readonly Start[]): void {
  const { planned, result, atMs } = answer
  const { tool, n } = planned
  if (!result.ok) {
    if (result.error.outcome !== 'not-started') return
    // "Nothing was started" is never said of what may have acted before.
    for (const start of startsOf(answer, starts)) {
      const hadActed = start.atMs < atMs && !start.didNothing && start.n === n
      expect({ hadActed, code: result.error.code }).toEqual({ hadActed: false, code: result.error.code })
    }
    return
  }
  if (result.degraded) {
    expect(result.value).toBe('fallback')
    return
  }
  // The value is that of a start for the same tool, caller and arguments, and of the same key if there is one.
  const { start: id } = result.value as { readonly start: number }
  const start = starts[id] as Start
  expect(start).toMatchObject({ tool, n, caller: callerOf(planned, starts) })
  if (tool !== 'get') expect(start.key).toBe(planned.key)
}

describe('the execution ring under random schedules', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('never acts twice, never exceeds a limit, never keeps a permit, and always answers', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async (planned) => {
        vi.setSystemTime(0)
        checkAll(await play(planned))
      }),
      // As it was found: to make it smaller takes longer than the test may, and then nothing is told.
      { numRuns: Number(process.env.TOOLWIRE_MODEL_RUNS ?? 150), endOnFailure: true },
    )
  }, 120_000)
})
