import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ModelEvent, modelRun } from './chain-model.js'
import { AROUND_ACTS, type ChainPlan, chainPlan, drops, type HookPlan } from './chain-plan.js'
import { runPlan } from './chain-plan-run.js'
import { unhandledRejectionsDuring } from './unhandled-rejections.js'

/** What the property tests check for any chain whatever, once for each plan that fast-check thinks of. */
async function forAnyChain(holds: (plan: ChainPlan) => Promise<void>): Promise<void> {
  const check = () => fc.assert(fc.asyncProperty(chainPlan, holds), { numRuns: 500 })
  expect(await unhandledRejectionsDuring(check)).toEqual([])
}

describe('any chain', () => {
  it('is planned so that calls reach every act of an around', () => {
    const reached = fc.sample(chainPlan, { numRuns: 1_000, seed: 1 }).flatMap((plan) => {
      const arounds = modelRun(plan).events.filter(({ what }) => /^\d\.around$/.test(what))
      return arounds.map(({ what }) => plan.interceptors[Number(what[0])]?.around?.act)
    })
    expect(new Set(reached)).toEqual(new Set(AROUND_ACTS))
  })

  it('does what a plain recursive reading of the contract says', async () => {
    await forAnyChain(async (plan) => {
      const [run, model] = [await runPlan(plan), modelRun(plan)]
      expect({ end: run.end, branches: byBranch(run.events) }).toEqual({
        end: model.end,
        branches: byBranch(model.events),
      })
    })
  })

  it('ends with a success or a ToolError', async () => {
    await forAnyChain(async (plan) => {
      expect((await runPlan(plan)).end).toMatch(/^(ok|failed (masked|executor|\d\.))/)
    })
  })

  it('gives each entry one of after and onError, the last to enter first, and nobody else any', async () => {
    await forAnyChain(async (plan) => {
      const withAllHooks = everyHook(plan)
      for (const events of byBranch((await runPlan(withAllHooks)).events).values()) {
        const inside: string[] = []
        for (const event of events) {
          const entered = entryOf(withAllHooks, event)
          if (entered !== undefined) inside.push(entered)
          else if (isExit(event)) expect(inside.pop()).toBe(`${event.what[0]} in ${event.place}`)
        }
        expect(inside).toEqual([])
      }
    })
  })

  it('runs nothing after it has ended, unless an around dropped its next', async () => {
    await forAnyChain(async (plan) => {
      fc.pre(!plan.interceptors.some(drops))
      const { events, eventsAtEnd } = await runPlan(plan)
      expect(events.slice(eventsAtEnd)).toEqual([])
    })
  })
})

/** What goes on in order; what an around left behind has an order of its own. */
function byBranch(events: readonly ModelEvent[]): ReadonlyMap<string, readonly ModelEvent[]> {
  const branches = new Map<string, ModelEvent[]>()
  for (const event of events) {
    const branch = /^.*(dropped|late)/.exec(event.place)?.[0] ?? ''
    branches.set(branch, [...(branches.get(branch) ?? []), event])
  }
  return branches
}

function everyHook({ interceptors, innermost }: ChainPlan): ChainPlan {
  const pass: HookPlan = { act: 'pass', turns: 0 }
  return {
    interceptors: interceptors.map(({ before = pass, after = pass, onError = pass, around }) => ({
      before,
      after,
      onError,
      around,
    })),
    innermost,
  }
}

/** Who is inside after this event and with which context, if it is a `before` that lets the call in. */
function entryOf({ interceptors }: ChainPlan, { what, place }: ModelEvent): string | undefined {
  const [, i] = /^(\d)\.before$/.exec(what) ?? []
  const act = interceptors[Number(i)]?.before?.act
  if (act === 'changed') return `${i} in ${place}/${i}b`
  return act === 'pass' || act === 'junk' ? `${i} in ${place}` : undefined
}

function isExit({ what }: ModelEvent): boolean {
  return /^\d\.(after|onError)/.test(what)
}
