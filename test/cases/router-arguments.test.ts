import { describe, expect, it } from 'vitest'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { hosted } from '../bridge/fixtures/hosted.js'
import { asking, echoOf } from '../runtime/arguments-fixture.js'
import { started, tool } from '../runtime/runtime-fixture.js'
import { answered, ERAS } from './wire.js'

describe('router: the arguments of a call', () => {
  it.each(['{"k":5}', '[1]', '42', 'true', 'null'])(
    'RTR-01: a string parameter keeps the text %j, whatever it looks like',
    async (body) => {
      const { seen } = await asking(
        echoOf({ type: 'object', properties: { body: { type: 'string' }, n: { type: 'integer' } } }),
      )
      expect(await seen({ body })).toEqual({ body })
      expect(await seen({ body, n: '1' })).toEqual({ body, n: 1 })
    },
  )

  it('RTR-03: a 64-bit integer as text is refused, and told to be too large, not rounded', async () => {
    const { seen, issues } = await asking(
      echoOf({ type: 'object', properties: { chatId: { type: 'integer' } } }),
    )
    expect(await issues({ chatId: '1234567890123456789' })).toEqual([
      '"chatId" must be an integer (got "1234567890123456789", outside the safe range of integers, -9007199254740991 to 9007199254740991)',
    ])
    expect(await seen({ chatId: '2000' })).toEqual({ chatId: 2000 })
  })

  it('RTR-04: null and booleans become nothing else, and null stays null under a union', async () => {
    const { seen, issues } = await asking(
      echoOf({
        type: 'object',
        properties: {
          n: { type: 'integer' },
          s: { type: 'string' },
          o: { oneOf: [{ type: 'null' }, { type: 'integer' }] },
        },
      }),
    )
    expect(await issues({ n: null })).toEqual(['"n" must be an integer (got null)'])
    expect(await issues({ s: null })).toEqual(['"s" must be a string (got null)'])
    expect(await issues({ n: true })).toEqual(['"n" must be an integer (got true)'])
    expect(await seen({ o: null })).toEqual({ o: null })
    expect(await seen({ o: 0 })).toEqual({ o: 0 })
  })

  it.each(['0x10', ' 5 ', '1e3', 'Infinity', 'NaN', '-0', '1_000', '１２', ''])(
    'RTR-05: %j is no number, and the issue shows it as it was sent',
    async (text) => {
      const { issues } = await asking(
        echoOf({ type: 'object', properties: { i: { type: 'integer' }, x: { type: 'number' } } }),
      )
      expect(await issues({ i: text, x: text })).toEqual([
        `"i" must be an integer (got ${JSON.stringify(text)})`,
        `"x" must be a number (got ${JSON.stringify(text)})`,
      ])
    },
  )

  it('RTR-05: "5.0" is 5', async () => {
    const { seen } = await asking(
      echoOf({ type: 'object', properties: { i: { type: 'integer' }, x: { type: 'number' } } }),
    )
    expect(await seen({ i: '5.0', x: '5.0' })).toEqual({ i: 5, x: 5 })
  })

  it('RTR-06: JSON text becomes the list or object that is wanted; other text is refused as it is', async () => {
    const schema = {
      type: 'object',
      properties: { ids: { type: 'array', items: { type: 'integer' } }, opt: { type: 'object' } },
    }
    const { seen, issues } = await asking(echoOf(schema))
    expect(await seen({ ids: '[1,2]' })).toEqual({ ids: [1, 2] })
    expect(await seen({ opt: '{"a":1}' })).toEqual({ opt: { a: 1 } })
    expect(await issues({ ids: '[1,' })).toEqual(['"ids" must be an array (got "[1,")'])
    expect(await issues({ ids: '1,2' })).toEqual(['"ids" must be an array (got "1,2")'])
    const strict = await asking(echoOf(schema), { arguments: { repair: false } })
    expect(await strict.issues({ ids: '[1,2]' })).toEqual(['"ids" must be an array (got "[1,2]")'])
  })

  it('RTR-08: the caller’s object stays as it was, also when it is refused; the executor gets another', async () => {
    const seen: unknown[] = []
    const { runtime } = await started({
      tools: [
        echoOf({
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'integer', default: 1 } },
        }).with({ interceptors: [{ beforeExecute: ({ args }) => void seen.push(args) }] }),
      ],
    })
    const args = { a: '1', b: 'x' }
    expect(await runtime.call('echo', args)).toMatchObject({ error: { code: 'INVALID_ARGUMENTS' } })
    expect(args).toEqual({ a: '1', b: 'x' })
    args.b = '2'
    expect(await runtime.call('echo', args)).toMatchObject({ value: { a: 1, b: 2, c: 1 } })
    expect(args).toEqual({ a: '1', b: '2' })
    expect(seen).toEqual([{ a: 1, b: 2, c: 1 }])
    expect(seen[0]).not.toBe(args)
  })

  it.each([[[]], ['x'], [5], [[{ id: 1 }]], [true]])(
    'RTR-11: arguments that are %j do not count as none, and the executor does not run',
    async (input) => {
      let runs = 0
      const { runtime } = await started({ tools: [tool('count', () => ++runs)] })
      expect(await runtime.call('count', input)).toMatchObject({
        error: { code: 'INVALID_ARGUMENTS', issues: [{ path: '', keyword: 'type' }] },
      })
      expect(runs).toBe(0)
    },
  )

  it('RTR-27: nothing of the context gets into the arguments', async () => {
    const schema = { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false }
    const seen: unknown[] = []
    const note = ({ args, callId, sessionId, agentId }: ToolExecutionContext) =>
      void seen.push([args, callId, sessionId, agentId])
    const { runtime } = await started({
      tools: [echoOf(schema)],
      interceptors: [{ ring: 'request', beforeExecute: note }, { beforeExecute: note }],
    })
    const context = { callId: 'c1', sessionId: 's1', agentId: 'a1' }
    expect(await runtime.call('echo', { q: 'x' }, context)).toMatchObject({ value: { q: 'x' } })
    const noted = [{ q: 'x' }, 'c1', 's1', 'a1']
    expect(seen).toEqual([noted, noted])
  })

  it.each([undefined, null, {}])('RTR-10: %j is no arguments, in process', async (input) => {
    const { runtime } = await started({
      tools: [
        tool('ping', () => 'pong'),
        echoOf({ type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }),
      ],
    })
    expect(await runtime.call('ping', input)).toMatchObject({ value: 'pong' })
    const result = await runtime.call('echo', input)
    expect(!result.ok && result.error.message).toBe(
      'Invalid arguments for "echo": missing required argument "q"',
    )
  })

  describe.each(ERAS)('over MCP, %s', (era) => {
    it.each([{}, { arguments: null }, { arguments: {} }])('RTR-10: %j is no arguments', async (params) => {
      await using host = await hosted({
        tools: [
          tool('ping', () => 'pong'),
          echoOf({ type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }),
        ],
      })
      const call = (name: string) =>
        answered(host.url, { era, method: 'tools/call', params: { name, ...params } })
      expect(await call('ping')).toMatchObject({ content: [{ type: 'text', text: 'pong' }] })
      expect(await call('echo')).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'Invalid arguments for "echo": missing required argument "q"' }],
      })
    })

    it.each([[[]], ['x'], [5], [[{ id: 1 }]]])('RTR-11: %j is a protocol error', async (args) => {
      let runs = 0
      await using host = await hosted({ tools: [tool('count', () => ++runs)] })
      const params = { name: 'count', arguments: args }
      expect(await answered(host.url, { era, method: 'tools/call', params })).toMatchObject({ code: -32602 })
      expect(runs).toBe(0)
    })
  })
})
