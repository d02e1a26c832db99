import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RegistryChange } from '../../src/registry/registry-listeners.js'
import type { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolRegistry } from '../../src/registry/tool-registry.js'
import { observed, recorder } from './listener-fixture.js'
import { namedTool } from './tool-fixture.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('any sequence of changes', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '__proto__', 'constructor')
  const step = fc.oneof(
    fc.record({ do: fc.constant('register' as const), names: fc.tuple(name) }),
    fc.record({ do: fc.constant('registerAll' as const), names: fc.array(name, { maxLength: 4 }) }),
    fc.record({ do: fc.constant('replace' as const), names: fc.tuple(name) }),
    fc.record({ do: fc.constant('unregister' as const), names: fc.tuple(name) }),
    fc.record({ do: fc.constant('wait' as const), names: fc.tuple() }),
  )
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

  /** Does one step to the registry and to a plain map, and says whether each let it happen. */
  function apply(
    registry: ToolRegistry,
    model: Map<string, ToolDefinition>,
    { do: what, names }: Step,
    no: number,
  ) {
    const tools = names.map((each) => namedTool(each, `step ${no}`))
    const [tool] = tools
    const known = names.map((each) => model.has(each))
    if (what === 'wait') vi.runAllTimers()
    else if (what === 'unregister') {
      void registry.unregister(tool?.name ?? '')
      model.delete(tool?.name ?? '')
    } else {
      const allowed =
        what === 'replace'
          ? known.every(Boolean)
          : !known.some(Boolean) && new Set(names).size === names.length
      if (allowed) for (const each of tools) model.set(each.name, each)
      const attempt = () => {
        if (what === 'registerAll') registry.registerAll(tools)
        else if (tool !== undefined) registry[what](tool)
      }
      if (allowed) attempt()
      else expect(attempt).toThrow()
    }
  }

  it('agrees with a plain map, and its events add up to the difference', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { registry, changes } = observed()
        const model = new Map<string, ToolDefinition>()
        const each = recorder()
        registry.addListener(each)
        let before = new Map<string, ToolDefinition>()
        let reported = 0
        for (const [no, one] of [...steps, { do: 'wait' as const, names: [] as [] }].entries()) {
          apply(registry, model, one, no)
          expect(registry.list()).toEqual([...model.values()].sort((a, b) => (a.name < b.name ? -1 : 1)))
          expect(registry.list().every((tool) => model.get(tool.name) === tool)).toBe(true)
          expect(registry.size).toBe(model.size)
          if (one.do !== 'wait') continue
          const difference = differenceOf(before, model)
          const isEmpty = Object.values(difference).every((names) => names.length === 0)
          expect(changes.slice(reported)).toEqual(isEmpty ? [] : [difference])
          reported = changes.length
          before = new Map(model)
        }
        expect(namesLeftBy(each.events)).toEqual([...model.keys()].sort())
      }),
      { numRuns: 200 },
    )
  })

  function differenceOf(
    before: ReadonlyMap<string, ToolDefinition>,
    after: ReadonlyMap<string, ToolDefinition>,
  ): RegistryChange {
    const [was, is] = [[...before.keys()].sort(), [...after.keys()].sort()]
    return {
      registered: is.filter((each) => !before.has(each)),
      replaced: is.filter((each) => before.has(each) && before.get(each) !== after.get(each)),
      removed: was.filter((each) => !after.has(each)),
    }
  }

  /** Plays the events of single changes back; each has to fit the state it finds. */
  function namesLeftBy(events: readonly string[]): readonly string[] {
    const present = new Set<string>()
    for (const event of events) {
      const [what, tool = ''] = event.split(' ')
      expect(present.has(tool)).toBe(what !== 'registered')
      if (what === 'registered') present.add(tool)
      if (what === 'removed') present.delete(tool)
    }
    return [...present].sort()
  }
})
