import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { ArgumentSteps } from '../../src/registry/argument-steps.js'
import type { BoundParameters } from '../../src/registry/bound-parameters.js'
import type { ToolDefinition } from '../../src/registry/tool-definition.js'
import { InvalidArgumentsError } from '../../src/registry/tool-error.js'
import { argumentPlan } from '../../src/runtime/arguments/argument-plan.js'
import { runtimeSettings } from '../../src/runtime/runtime-settings.js'
import { asking, echo, echoOf } from './arguments-fixture.js'
import { deferred, gist, started } from './runtime-fixture.js'

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' }, list: { type: 'array' }, d: { default: 1 } },
}
const tool = echoOf(schema)

function ownSteps(steps: ArgumentSteps): ToolDefinition {
  return tool.with({ argumentSteps: steps })
}

function bound(parameters: BoundParameters): ToolDefinition {
  return echo(schema)
    .bindParameters(parameters)
    .executor(({ args }) => args)
    .build()
}

describe('the steps of arguments', () => {
  it('are switched off for all tools, and on again for one', async () => {
    const { runtime } = await started({
      tools: [
        tool.with({ name: 'strict' }),
        tool.with({ name: 'lenient', argumentSteps: { coercion: true } }),
      ],
      options: { arguments: { coercion: false } },
    })
    expect(gist(await runtime.call('strict', { n: '1' }))).toMatchObject({ code: 'INVALID_ARGUMENTS' })
    expect(gist(await runtime.call('lenient', { n: '1' }))).toEqual({ value: { n: 1, d: 1 } })
  })

  it('are switched off for one tool, each by itself', async () => {
    const off = (step: string) => asking(tool.with({ argumentSteps: { [step]: false } }))
    expect(await (await off('repair')).issues({ list: '[1]' })).toEqual([
      '"list" must be an array (got "[1]")',
    ])
    expect(await (await off('repair')).seen({ n: '1' })).toEqual({ n: 1, d: 1 })
    expect(await (await off('coercion')).seen({ list: '[1]' })).toEqual({ list: [1], d: 1 })
    expect(await (await off('defaults')).seen({})).toEqual({})
    expect(await (await off('validation')).seen({ n: 'x', list: '[1]' })).toEqual({ n: 'x', list: [1], d: 1 })
  })

  it('run what the user puts in their place, in their order, each with a private copy and the whole schema', async () => {
    const ran: unknown[] = []
    const shared = { inner: [1] }
    const note =
      (name: string) =>
      async (
        args: Record<string, unknown>,
        { schema, ctx }: { schema: object; ctx: { toolName: string } },
      ) => {
        ran.push([name, Object.keys(args), ctx.toolName, Object.keys(schema)])
        return { ...args, [name]: shared }
      }
    const own = echo({ type: 'object', properties: { a: { type: 'string' } } })
      .bindParameters({ a: () => 'bound' })
      .argumentSteps({ repair: note('repair'), aliases: note('aliases'), coercion: note('coercion') })
      .argumentSteps({ defaults: note('defaults') })
      .executor(({ args }) => args)
      .build()
    const input = { sent: 1 }
    const { seen } = await asking(own)
    expect(Object.keys((await seen(input)) as object)).toEqual([
      'sent',
      'repair',
      'aliases',
      'a',
      'coercion',
      'defaults',
    ])
    const keys = ['type', 'properties']
    expect(ran).toEqual([
      ['repair', ['sent'], 'echo', keys],
      ['aliases', ['sent', 'repair'], 'echo', keys],
      ['coercion', ['sent', 'repair', 'aliases', 'a'], 'echo', keys],
      ['defaults', ['sent', 'repair', 'aliases', 'a', 'coercion'], 'echo', keys],
    ])
    expect(input).toEqual({ sent: 1 })
    expect(Object.isFrozen(shared.inner)).toBe(false)
  })

  it.each<[string, (wait: () => Promise<void>) => ToolDefinition]>([
    ['a step', (wait) => ownSteps({ repair: (args) => wait().then(() => args) })],
    ['a validation', (wait) => ownSteps({ validation: () => wait().then(() => []) })],
    ['a bound parameter', (wait) => bound({ n: () => wait().then(() => 1) })],
    ['a schema library', (wait) => echoOf(z.object({}).refine(() => wait().then(() => true)))],
  ])('are not waited for once the call is over: %s', async (_, tool) => {
    // The time that interceptors have to unwind never passes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { promise, resolve } = deferred()
      const { runtime } = await started({ tools: [tool(() => promise)] })
      const abort = new AbortController()
      const result = runtime.call('echo', {}, { signal: abort.signal })
      abort.abort()
      expect(gist(await result)).toEqual({ code: 'ABORTED', outcome: 'not-started' })
      resolve()
      await runtime.close()
    } finally {
      vi.useRealTimers()
    }
  })

  it('do not go on, one after the other, once the call is over', async () => {
    const { promise, resolve } = deferred()
    const ran: string[] = []
    const note = (name: string) => () => {
      ran.push(name)
      return promise
    }
    const tool = echo({ type: 'object', properties: { a: {}, b: {} } })
      .bindParameters({ a: note('a'), b: note('b') })
      .argumentSteps({ defaults: (args) => note('defaults')().then(() => args) })
      .executor(note('executor'))
      .build()
    const { runtime } = await started({ tools: [tool] })
    const abort = new AbortController()
    const result = runtime.call('echo', {}, { signal: abort.signal })
    abort.abort()
    await result
    resolve()
    await runtime.close()
    expect(ran).toEqual(['a'])
  })

  it('may refuse the arguments', async () => {
    const refused = new InvalidArgumentsError('echo', [
      { path: '/n', keyword: 'odd', message: '"n" must be odd' },
    ])
    const { issues } = await asking(
      tool.with({
        argumentSteps: {
          coercion: () => {
            throw refused
          },
        },
      }),
    )
    expect(await issues({ n: 2 })).toEqual(['"n" must be odd'])
  })

  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['a Map in them', { m: new Map() }],
  ])('fail the call, and blame no caller, when one returns %s', async (_, returned) => {
    const { runtime } = await started({
      tools: [tool.with({ argumentSteps: { defaults: () => returned as never } })],
    })
    expect(gist(await runtime.call('echo', {}))).toEqual({ code: 'EXECUTION_FAILED', outcome: 'not-started' })
  })

  it.each([
    ['a plain schema', tool],
    ['a schema library', echoOf(z.object({ n: z.int().optional(), d: z.int().default(1) }))],
  ])('take the issues of a validation of the user’s own, over %s', async (_, of) => {
    const { seen, issues } = await asking(
      of.with({
        argumentSteps: {
          validation: async ({ n }) =>
            n === 1 ? [] : [{ path: '/n', keyword: 'one', message: '"n" must be 1' }],
        },
      }),
    )
    expect(await seen({ n: '1' })).toEqual({ n: 1, d: 1 })
    expect(await issues({ n: 2 })).toEqual(['"n" must be 1'])
  })

  it('bound the issues of a validation of the user’s own', async () => {
    const many = Array.from({ length: 100 }, (_, i) => ({
      path: `/${i}`,
      keyword: 'x',
      message: `wrong ${i}`,
    }))
    const { runtime } = await started({ tools: [tool.with({ argumentSteps: { validation: () => many } })] })
    const result = await runtime.call('echo')
    if (result.ok || result.error.code !== 'INVALID_ARGUMENTS') throw new Error('must be refused')
    expect(result.error.issues).toHaveLength(21)
    expect(result.error.issues.at(-1)).toEqual({
      path: '',
      keyword: 'more',
      message: 'and 80 more',
      params: { count: 80 },
    })
  })

  it('are told, with who says so', () => {
    const { steps } = argumentPlan(
      tool.with({ argumentSteps: { repair: false, bound: (args) => args, coercion: true } }),
      { coercion: false, defaults: (args) => args },
    )
    expect(steps).toEqual([
      { step: 'repair', from: 'off' },
      { step: 'aliases', from: 'built-in' },
      { step: 'bound', from: 'tool' },
      { step: 'coercion', from: 'built-in' },
      { step: 'defaults', from: 'runtime' },
      { step: 'validation', from: 'built-in' },
    ])
  })

  it.each([
    [
      { coersion: false },
      '/coersion is no step; the steps are: repair, aliases, bound, coercion, defaults, validation',
    ],
    [{ coercion: 'off' }, '/coercion must be true, false or a function (got a string)'],
    [[], ' must be an object of steps (got an array)'],
  ])('refuse %j, for all tools and for one', (steps, message) => {
    expect(() => runtimeSettings({ arguments: steps as object })).toThrow(
      new RangeError(`arguments${message.replace('/', '.')}`),
    )
    expect(() => echo(schema).argumentSteps(steps as object)).toThrow(
      `argumentSteps${message.replace(' ', ': ')}`,
    )
  })

  it('are frozen, and kept by with()', () => {
    const steps: { coercion: boolean } = { coercion: false }
    const strict = echo(schema)
      .argumentSteps(steps)
      .executor(() => 1)
      .build()
    steps.coercion = true
    expect(strict.with({ name: 'b' }).argumentSteps).toEqual({ coercion: false })
    expect(Object.isFrozen(strict.argumentSteps)).toBe(true)
  })
})

describe('defaults', () => {
  it('are filled in where objects are nested, freshly for every call', async () => {
    const seen: { o: { list: unknown[] } }[] = []
    const nested = echo({
      type: 'object',
      properties: { o: { type: 'object', default: {}, properties: { list: { default: [{ a: 1 }] } } } },
    })
      .executor(({ args }) => void seen.push(args as { o: { list: unknown[] } }))
      .build()
    const { runtime } = await started({ tools: [nested] })
    await runtime.call('echo')
    await runtime.call('echo', { o: {} })
    expect(seen).toEqual([{ o: { list: [{ a: 1 }] } }, { o: { list: [{ a: 1 }] } }])
    expect(seen[0]?.o.list[0]).not.toBe(seen[1]?.o.list[0])
  })

  it('of a repaired object are filled in too', async () => {
    const { seen } = await asking(
      echoOf({ type: 'object', properties: { o: { type: 'object', properties: { a: { default: 1 } } } } }),
    )
    expect(await seen({ o: '{}' })).toEqual({ o: { a: 1 } })
  })
})
