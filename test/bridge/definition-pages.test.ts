import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DefinitionPages } from '../../src/bridge/definition-pages.js'
import { toolJson } from '../../src/bridge/tool-methods.js'
import type { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolRegistry } from '../../src/registry/tool-registry.js'
import { tool } from '../runtime/runtime-fixture.js'

function registryOf(names: readonly string[]): ToolRegistry {
  const registry = new ToolRegistry()
  registry.registerAll(names.map((name) => tool(name)))
  return registry
}

type ToolList = ReturnType<typeof listOf>

/** The pages of a registry's tools, as `tools/list` gives them. */
function listOf(registry: ToolRegistry, pageSize: number) {
  const pages = new DefinitionPages<ToolDefinition>({ pageSize, keyOf: ({ name }) => name, toJson: toolJson })
  return {
    page: (cursor: unknown, era: 'legacy' | 'modern') => pages.page(registry.list(), cursor, era),
  }
}

/** All names, page by page; `between` runs after each page. */
async function walk(list: ToolList, between: (page: number) => unknown = () => undefined): Promise<string[]> {
  const names: string[] = []
  let cursor: string | undefined
  for (let page = 1; ; page++) {
    const { items, nextCursor } = list.page(cursor, 'legacy')
    names.push(...items.map(({ name }) => name as string))
    if (nextCursor === undefined) return names
    cursor = nextCursor
    await between(page)
  }
}

describe('pages of tools', () => {
  it('are all there is when it fits, and an empty list when there is nothing', () => {
    const list = listOf(registryOf(['b', 'a']), 2)
    const inputSchema = { type: 'object' }
    expect(list.page(undefined, 'legacy')).toEqual({
      items: [
        { name: 'a', description: 'Runs a', inputSchema },
        { name: 'b', description: 'Runs b', inputSchema },
      ],
    })
    expect(listOf(new ToolRegistry(), 2).page(undefined, 'modern')).toEqual({ items: [] })
  })

  it('are made once until the registry changes, and cannot be changed', async () => {
    const registry = registryOf(['a', 'b', 'c'])
    const list = listOf(registry, 2)
    const [first, again] = [list.page(undefined, 'legacy'), list.page(undefined, 'legacy')]
    expect(first).toBe(again)
    expect(list.page(first.nextCursor, 'legacy')).toBe(list.page(first.nextCursor, 'legacy'))
    expect([first, first.items, first.items[0]].every(Object.isFrozen)).toBe(true)
    await registry.unregister('a')
    expect(list.page(undefined, 'legacy').items.map(({ name }) => name)).toEqual(['b', 'c'])
  })

  it.each([
    'bogus',
    '',
    'YWZ0ZXI',
    Buffer.from('behind a').toString('base64url'),
    0,
    null,
    `${Buffer.from('after a').toString('base64url')}=`,
  ])('refuse %j, which is no cursor of theirs', (cursor) => {
    const list = listOf(registryOf(['a', 'b', 'c']), 2)
    expect(() => list.page(cursor, 'legacy')).toThrow(expect.objectContaining({ code: -32602 }))
  })

  it('go on after a tool that is gone', async () => {
    const registry = registryOf(['a', 'b', 'c', 'd', 'e'])
    const list = listOf(registry, 2)
    expect(await walk(list, (page) => page === 1 && registry.unregister('b'))).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ])
  })

  it('show what stays exactly once, whatever comes and goes meanwhile, and end', async () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(
        names,
        names,
        names,
        fc.integer({ min: 1, max: 4 }),
        async (stay, leave, come, size) => {
          const leaving = leave.filter((name) => !stay.includes(name))
          const coming = come.filter((name) => !stay.includes(name) && !leaving.includes(name))
          const registry = registryOf([...stay, ...leaving])
          const shown = await walk(listOf(registry, size), (page) => {
            const [gone, here] = [leaving[page - 1], coming[page - 1]]
            if (gone !== undefined) void registry.unregister(gone)
            if (here !== undefined) registry.register(tool(here))
          })
          expect(shown.filter((name) => stay.includes(name))).toEqual([...stay].sort())
          expect(new Set(shown).size).toBe(shown.length)
        },
      ),
    )
  })

  it('have at least one tool each', () => {
    expect(() => listOf(new ToolRegistry(), 0)).toThrow('pageSize must be a whole number from 1 (got 0)')
  })
})
