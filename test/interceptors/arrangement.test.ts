import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arrange, type InterceptorScope } from '../../src/interceptors/arrangement.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'

type Scopes = Readonly<Record<InterceptorScope, readonly ToolInterceptor[]>>

const none: Scopes = { shared: [], provider: [], tool: [] }
const request = (name: string, order?: number): ToolInterceptor => ({
  ...execution(name, order),
  ring: 'request',
})
const execution = (name: string, order?: number): ToolInterceptor => ({
  name,
  ...(order !== undefined && { order }),
})
const namesOf = (...args: Parameters<typeof arrange>) => arrange(...args).map(({ name }) => name)

describe('arrange', () => {
  it('puts the request ring outside the execution ring, whatever the scope and the order', () => {
    const scopes: Scopes = {
      shared: [execution('shared', -9), request('shared request', 9)],
      provider: [execution('provider', -9), request('provider request', 9)],
      tool: [execution('tool', -9), request('tool request', 9)],
    }
    expect(arrange(scopes)).toEqual([
      { interceptor: scopes.shared[1], name: 'shared request', ring: 'request', scope: 'shared', order: 9 },
      {
        interceptor: scopes.provider[1],
        name: 'provider request',
        ring: 'request',
        scope: 'provider',
        order: 9,
      },
      { interceptor: scopes.tool[1], name: 'tool request', ring: 'request', scope: 'tool', order: 9 },
      { interceptor: scopes.shared[0], name: 'shared', ring: 'execution', scope: 'shared', order: -9 },
      { interceptor: scopes.provider[0], name: 'provider', ring: 'execution', scope: 'provider', order: -9 },
      { interceptor: scopes.tool[0], name: 'tool', ring: 'execution', scope: 'tool', order: -9 },
    ])
  })

  it('says what an interceptor that says nothing gets', () => {
    class Audit implements ToolInterceptor {}
    const audit = new Audit()
    expect(arrange({ ...none, tool: [audit] })).toEqual([
      { interceptor: audit, name: 'Audit', ring: 'execution', scope: 'tool', order: 0 },
    ])
  })

  it('sorts a scope by order, and as registered where that is equal', () => {
    const tool = [execution('a', 1), execution('b'), execution('c', -1), execution('d', 0), execution('e', 1)]
    expect(namesOf({ ...none, tool })).toEqual(['c', 'b', 'd', 'a', 'e'])
  })

  it('lets no order move one of a tool outside those of its provider, or of a provider outside the shared ones', () => {
    const scopes = {
      shared: [execution('shared', 1_000)],
      provider: [execution('provider')],
      tool: [execution('tool', -1_000)],
    }
    expect(namesOf(scopes)).toEqual(['shared', 'provider', 'tool'])
  })

  it('puts mandatory ones among the shared ones of their ring, wherever they come from', () => {
    const scopes = {
      shared: [execution('shared'), execution('late shared', 5)],
      provider: [execution('provider'), request('mandatory of provider', 7)],
      tool: [execution('tool'), execution('mandatory of tool', 1), request('request of tool', -5)],
    }
    expect(
      arrange(scopes, ({ name }) => name?.startsWith('mandatory') ?? false).map(({ name, scope }) => [
        name,
        scope,
      ]),
    ).toEqual([
      ['mandatory of provider', 'shared'],
      ['request of tool', 'tool'],
      ['shared', 'shared'],
      ['mandatory of tool', 'shared'],
      ['late shared', 'shared'],
      ['provider', 'provider'],
      ['tool', 'tool'],
    ])
  })

  it('runs an instance once, at the outermost of its places', () => {
    const twice = execution('twice')
    const scopes = {
      shared: [execution('shared'), twice, twice],
      provider: [execution('provider'), twice],
      tool: [twice, execution('tool')],
    }
    expect(arrange(scopes).map(({ name, scope }) => [name, scope])).toEqual([
      ['shared', 'shared'],
      ['twice', 'shared'],
      ['provider', 'provider'],
      ['tool', 'tool'],
    ])
    expect(namesOf({ ...scopes, shared: [] })).toEqual(['provider', 'twice', 'tool'])
  })

  it('takes two instances of one class, or of one name, for two', () => {
    expect(namesOf({ ...none, shared: [execution('limit')], tool: [execution('limit')] })).toEqual([
      'limit',
      'limit',
    ])
  })

  it('refuses a ring that there is not, which would be a place in no chain', () => {
    const misspelt: ToolInterceptor = { name: 'audit', ring: 'requests' as never }
    expect(() => arrange({ ...none, tool: [misspelt] })).toThrow(
      new TypeError(`audit: ring must be 'request' or 'execution' (got "requests")`),
    )
  })

  it('reads the ring and the order from a getter of the class', () => {
    class Quota implements ToolInterceptor {
      get ring() {
        return 'request' as const
      }
      get order() {
        return 3
      }
    }
    expect(arrange({ ...none, shared: [new Quota()] })).toMatchObject([
      { name: 'Quota', ring: 'request', order: 3 },
    ])
  })

  it('gives every instance one place, in order of ring, scope, order and registration, and changes nothing it is given', () => {
    const interceptor = fc
      .record({
        ring: fc.constantFrom('request' as const, 'execution' as const),
        order: fc.integer({ min: -2, max: 2 }),
      })
      .map((one): ToolInterceptor => Object.freeze(one))
    const pool = fc.array(interceptor, { minLength: 1, maxLength: 6 })
    const places = fc.array(fc.nat({ max: 5 }), { maxLength: 8 })
    fc.assert(
      fc.property(
        pool,
        places,
        places,
        places,
        fc.func(fc.boolean()),
        (all, shared, provider, tool, random) => {
          const mandatory = new Set(all.filter((_, i) => random(i)))
          const taken = (places: readonly number[]) =>
            Object.freeze(places.map((place) => all[place % all.length] as ToolInterceptor))
          const scopes = Object.freeze({
            shared: taken(shared),
            provider: taken(provider),
            tool: taken(tool),
          })
          const arranged = arrange(scopes, (one) => mandatory.has(one))
          const registered = [...new Set([...scopes.shared, ...scopes.provider, ...scopes.tool])]
          const key = (one: ToolInterceptor) => {
            const outermost =
              mandatory.has(one) || scopes.shared.includes(one) ? 0 : scopes.provider.includes(one) ? 1 : 2
            return [one.ring === 'request' ? 0 : 1, outermost, one.order ?? 0, registered.indexOf(one)]
          }
          const expected = [...registered].sort((a, b) => compare(key(a), key(b)))
          expect(arranged.map(({ interceptor }) => expected.indexOf(interceptor))).toEqual([
            ...expected.keys(),
          ])
        },
      ),
    )
  })
})

function compare(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((number, i) => number !== right[i])
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0)
}

describe('what is no interceptor', () => {
  it.each<[string, unknown, string]>([
    ['a class in place of its instance', class Audit {}, 'give an instance, not the class'],
    [
      'an order that is no number',
      { name: 'late', order: Number.NaN },
      'late: order must be a number (got NaN)',
    ],
  ])('is refused: %s', (_, interceptor, message) => {
    const shared = [interceptor as ToolInterceptor]
    expect(() => arrange({ shared, provider: [], tool: [] })).toThrow(message)
  })
})
