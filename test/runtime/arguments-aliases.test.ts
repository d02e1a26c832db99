import { describe, expect, it } from 'vitest'
import { ToolDefinitionError } from '../../src/registry/tool-definition-error.js'
import { asking, echo } from './arguments-fixture.js'

const city = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
  additionalProperties: false,
}
const aliased = echo(city).aliases({ city: ['location', 'town'], days: ['n'] })
const tool = aliased.executor(({ args }) => args).build()

describe('aliases', () => {
  it('give an argument that is sent under another name its own, before it is converted and checked', async () => {
    const { seen } = await asking(tool)
    expect(await seen({ town: 'Paris', n: '3' })).toEqual({ city: 'Paris', days: 3 })
    expect(await seen({ city: 'Paris' })).toEqual({ city: 'Paris' })
  })

  it('refuse a name beside its alias, and two aliases, also of the same value', async () => {
    const { issues, runtime } = await asking(tool)
    expect(await issues({ city: 'a', town: 'a' })).toEqual([
      '"city" and "town" are names of one argument; send "city" alone',
    ])
    expect(await issues({ town: 'a', location: 'b' })).toEqual([
      '"location" and "town" are names of one argument; send "city" alone',
    ])
    expect(await runtime.call('echo', { city: 'a', town: 'a' })).toMatchObject({
      error: {
        issues: [{ path: '/town', keyword: 'alias', params: { argument: 'city', sent: ['city', 'town'] } }],
      },
    })
  })

  it('are not published, and are kept by with()', async () => {
    expect(tool.inputSchema).toEqual(city)
    expect(tool.with({ name: 'other' }).aliases).toEqual({ city: ['location', 'town'], days: ['n'] })
    expect(Object.isFrozen(tool.aliases?.city)).toBe(true)
  })

  it('add to those said before, and replace those of the same argument', () => {
    expect(
      aliased
        .aliases({ city: ['place'] })
        .executor(() => 1)
        .build().aliases,
    ).toEqual({
      city: ['place'],
      days: ['n'],
    })
  })

  it('are left in place where the step is off', async () => {
    const { issues } = await asking(tool.with({ argumentSteps: { aliases: false } }))
    expect(await issues({ town: 'Paris' })).toEqual([
      'missing required argument "city"',
      'unknown argument "town"; allowed: "city", "days"',
    ])
  })

  it.each<[string, Record<string, unknown>, string]>([
    [
      'of what is no argument',
      { town: ['city'] },
      'aliases/town: is no argument; the arguments are: city, days',
    ],
    [
      'that is the name of another argument',
      { city: ['days'] },
      'aliases/city: the alias "days" is the name of an argument',
    ],
    [
      'of two arguments',
      { city: ['x'], days: ['x'] },
      'aliases/days: the alias "x" stands for "city" already',
    ],
    ['that is no name', { city: [7] }, 'aliases/city: an alias must be a name (got 7)'],
    ['that is no list', { city: 'town' }, 'aliases/city: must list names'],
  ])('refuse one %s, at the step', (_, aliases, message) => {
    const step = () => echo(city).aliases(aliases as Record<string, string[]>)
    expect(step).toThrow(ToolDefinitionError)
    expect(step).toThrow(message)
  })

  it('come after the schema they are checked against', () => {
    expect(() => aliased.parameterSchema(city)).toThrow('parameterSchema() must come before aliases()')
  })
})
