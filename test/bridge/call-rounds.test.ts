import { afterEach, describe, expect, it, vi } from 'vitest'
import type { McpToolBridgeOptions } from '../../src/bridge/index.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import type { Store } from '../../src/interceptors/stores/store.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import type { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { tool } from '../runtime/runtime-fixture.js'
import { caller, hosted } from './fixtures/hosted.js'
import { messagesOf, modern, send } from './fixtures/http-server.js'
import type { Json } from './fixtures/ways.js'

const YES_NO = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] } as const

const sure = (key: string) => ({ key, message: `Sure of ${key}?`, schema: YES_NO })

/** Asks twice; `did` says what it has done. */
function deleting(did: string[]): ToolDefinition {
  return tool('delete', async ({ args, ask, once }) => {
    did.push(`started for ${args.path}`)
    const id = await once('plan', () => {
      did.push('planned')
      return did.length
    })
    const first = await ask(sure('first'))
    const second = await ask(sure('second'))
    did.push('deleted')
    return { id, first, second }
  })
}

const YES = { action: 'accept', content: { sure: true } }
const PATH = { path: '/a' }

async function serving({ tools, ...parts }: Partial<Parameters<typeof hosted>[0]> = {}) {
  const did: string[] = []
  const host = await hosted({ tools: tools ?? [deleting(did)], ...parts })
  /** One round of a call: its result or error, with the HTTP status. */
  const round = async (
    more: Json = {},
    { as = caller('alice'), method = 'tools/call', capabilities = {} }: Round = {},
  ) => {
    const target = method === 'tools/call' ? { name: 'delete', arguments: PATH } : {}
    const raw = modern(1, method, {
      ...target,
      ...more,
      _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, ...capabilities } },
    })
    const uri = typeof more.uri === 'string' ? { 'mcp-name': more.uri } : {}
    const response = await send(host.url, { ...raw, headers: { ...raw.headers, ...uri, ...as.headers } })
    const message = (await messagesOf(response)).at(-1) as { result?: Json; error?: Json }
    const answer: Json = { status: response.status, ...message.result, ...message.error }
    return answer as Json & { readonly requestState: string }
  }
  return { ...host, did, round }
}

interface Round {
  readonly as?: ReturnType<typeof caller>
  readonly method?: string
  readonly capabilities?: Json
}

const NOT_OURS = 'The requestState does not belong to this request: send the one of its last result as it is'

afterEach(() => {
  vi.useRealTimers()
})

describe('a call of 2026-07-28 that asks', () => {
  it('ends with its question, and goes on from there when the answer comes', async () => {
    await using host = await serving()
    const first = await host.round()
    expect(first).toMatchObject({
      status: 200,
      resultType: 'input_required',
      inputRequests: {
        first: {
          method: 'elicitation/create',
          params: { message: 'Sure of first?', requestedSchema: YES_NO },
        },
      },
      requestState: expect.any(String),
    })
    const second = await host.round({ requestState: first.requestState, inputResponses: { first: YES } })
    expect(second).toMatchObject({ resultType: 'input_required', inputRequests: { second: {} } })
    expect(Object.keys(second.inputRequests as object)).toEqual(['second'])
    expect(host.did).not.toContain('deleted')
    const last = await host.round({
      requestState: second.requestState,
      inputResponses: { second: { action: 'decline' } },
    })
    expect(last).toMatchObject({
      resultType: 'complete',
      content: [{ text: JSON.stringify({ id: 2, first: YES, second: { action: 'decline' } }) }],
    })
    const started = 'started for /a'
    expect(host.did).toEqual([started, 'planned', started, started, 'deleted'])
  })

  it('says nothing in its state that its client could read', async () => {
    const secret = tool('delete', async ({ ask, once }) => {
      await once('secret', () => 'the secret of once')
      return ask(sure('first'))
    })
    await using host = await serving({ tools: [secret] })
    const { requestState } = await host.round()
    const parts = requestState.split('.').map((part) => Buffer.from(part, 'base64url').toString())
    expect([parts.length, parts.join().includes('secret')]).toEqual([5, false])
  })

  it.each<[string, (state: string) => unknown]>([
    ['changed in its last character', (state) => state.slice(0, -1) + (state.endsWith('A') ? 'B' : 'A')],
    [
      'changed in the middle',
      (state) => state.replace(/(.{60})(.)/, (_, before, one) => before + (one === 'A' ? 'B' : 'A')),
    ],
    ['cut', (state) => state.slice(0, -8)],
    ['longer', (state) => `${state}AAAA`],
    [
      'of nobody',
      () => 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA',
    ],
    ['empty', () => ''],
    ['plain JSON', () => '{"round":8,"answers":{"first":{"action":"accept"}}}'],
    ['huge', () => 'A'.repeat(1_000_000)],
  ])('refuses a state that is %s, and runs nothing', async (_what, change) => {
    await using host = await serving()
    const { requestState } = await host.round()
    const before = [...host.did]
    const refused = await host.round({ requestState: change(requestState), inputResponses: { first: YES } })
    expect([refused, host.did]).toEqual([{ status: 200, code: -32602, message: NOT_OURS }, before])
    // The good one is as good as it was.
    expect(await host.round({ requestState, inputResponses: { first: YES } })).toMatchObject({
      inputRequests: { second: {} },
    })
  })

  it.each([5, null, {}, ['x']])('refuses %j in place of a state', async (requestState) => {
    await using host = await serving()
    expect(await host.round({ requestState, inputResponses: { first: YES } })).toMatchObject({ code: -32602 })
    expect(host.did).toEqual([])
  })

  it('goes on once from a state, also of two that come at the same time', async () => {
    await using host = await serving()
    const { requestState } = await host.round()
    const again = { requestState, inputResponses: { first: YES } }
    const [one, other] = await Promise.all([host.round(again), host.round(again)])
    const used = {
      code: -32602,
      message: 'The requestState has been used: make the request again without it',
    }
    expect([one, other].filter(({ code }) => code === undefined)).toHaveLength(1)
    expect([one, other].find(({ code }) => code !== undefined)).toMatchObject(used)
    expect(await host.round(again)).toMatchObject(used)
    expect(host.did.filter((what) => what === 'planned')).toHaveLength(1)
  })

  it.each<[string, Json, Round]>([
    ['other arguments', { arguments: { path: '/b' } }, {}],
    ['more arguments', { arguments: { path: '/a', force: true } }, {}],
    ['no arguments', { arguments: undefined }, {}],
    ['another tool', { name: 'purge' }, {}],
    ['another principal', {}, { as: caller('bob') }],
    ['nobody in particular', {}, { as: { ...caller('x'), headers: {} as never } }],
    ['a prompt of the same name', { arguments: undefined }, { method: 'prompts/get' }],
  ])('belongs to its call alone: %s', async (_what, change, round) => {
    const did: string[] = []
    const purge = tool('purge', ({ ask }) => ask(sure('first')))
    const prompt = PromptDefinition.builder()
      .name('delete')
      .template(async ({ ask }) => JSON.stringify(await ask(sure('first'))))
      .build()
    await using host = await serving({ tools: [deleting(did), purge], prompts: [prompt] })
    const { requestState } = await host.round()
    const before = [...did]
    const resumed = { name: 'delete', requestState, inputResponses: { first: YES }, ...change }
    expect(await host.round(resumed, round)).toEqual({ status: 200, code: -32602, message: NOT_OURS })
    expect(did).toEqual(before)
  })

  it('does not mind the order of its arguments', async () => {
    await using host = await serving()
    const { requestState } = await host.round({ arguments: { path: '/a', n: 1 } })
    expect(
      await host.round({ arguments: { n: 1, path: '/a' }, requestState, inputResponses: { first: YES } }),
    ).toMatchObject({ inputRequests: { second: {} } })
  })

  it('has to be made anew when the tool has become another one, and goes on when it only was replaced', async () => {
    await using host = await serving()
    const [first, second] = [await host.round(), await host.round()]
    host.runtime.registry.replace(deleting(host.did))
    expect(
      await host.round({ requestState: first.requestState, inputResponses: { first: YES } }),
    ).toMatchObject({
      inputRequests: { second: {} },
    })
    host.runtime.registry.replace(deleting(host.did).with({ description: 'Deletes everything' }))
    const resumed = { requestState: second.requestState, inputResponses: { first: YES } }
    expect(await host.round(resumed)).toMatchObject({ code: -32602, message: NOT_OURS })
  })

  it('is unknown when the tool has gone, or has been hidden, meanwhile', async () => {
    await using host = await serving()
    const [first, second] = [await host.round(), await host.round()]
    host.runtime.registry.replace(
      deleting(host.did).with({ metadata: { visibility: { scopes: ['admin'] } } }),
    )
    const hidden = await host.round({ requestState: first.requestState, inputResponses: { first: YES } })
    await host.runtime.registry.unregister('delete')
    const gone = await host.round({ requestState: second.requestState, inputResponses: { first: YES } })
    expect([hidden.code, gone.code, host.did.includes('deleted')]).toEqual([-32602, -32602, false])
  })

  it('expires', async () => {
    await using host = await serving({ bridge: { requestState: { ttlMs: 60_000 } } })
    vi.useFakeTimers({ toFake: ['Date'] })
    const { requestState } = await host.round()
    vi.setSystemTime(Date.now() + 60_001)
    expect(await host.round({ requestState, inputResponses: { first: YES } })).toMatchObject({
      code: -32602,
      message: 'The requestState has expired: make the request again without it',
    })
  })

  it('asks again for what was not answered, or not in a way that fits', async () => {
    await using host = await serving()
    let { requestState } = await host.round()
    for (const inputResponses of [
      undefined,
      { other: YES },
      { first: { action: 'accept', content: { sure: 'yes' } } },
      { first: { action: 'accept' } },
      { first: { action: 'maybe' } },
    ]) {
      const again = await host.round({ requestState, ...(inputResponses && { inputResponses }) })
      expect(again).toMatchObject({ resultType: 'input_required', inputRequests: { first: {} } })
      requestState = again.requestState
    }
    expect(await host.round({ requestState, inputResponses: { first: YES } })).toMatchObject({
      inputRequests: { second: {} },
    })
  })

  it('asks all that it asks in one turn at once, and what is left of it again', async () => {
    const both = tool('delete', ({ ask }) =>
      Promise.all([ask(sure('first')), ask({ key: 'where', kind: 'roots' })]),
    )
    await using host = await serving({ tools: [both] })
    const capabilities = { roots: {} }
    const first = await host.round({}, { capabilities })
    expect(first.inputRequests).toMatchObject({
      first: { method: 'elicitation/create' },
      where: { method: 'roots/list', params: {} },
    })
    const second = await host.round(
      { requestState: first.requestState, inputResponses: { first: YES } },
      { capabilities },
    )
    expect(Object.keys(second.inputRequests as object)).toEqual(['where'])
    const where = { roots: [{ uri: 'file:///' }] }
    const last = await host.round(
      { requestState: second.requestState, inputResponses: { where } },
      { capabilities },
    )
    expect(last.content).toEqual([{ type: 'text', text: JSON.stringify([YES, where]) }])
  })

  it('answers a client without the capability with an error of the request, at once', async () => {
    await using host = await serving()
    const resource = ResourceDefinition.builder()
      .name('r')
      .uri('r://')
      .reader(({ ask }) => ask(sure('first')))
      .build()
    host.runtime.resources.register(resource)
    const none = { capabilities: { elicitation: undefined } }
    const missing = {
      status: 400,
      code: -32021,
      message: 'This caller cannot be asked: it does not support elicitation',
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    }
    expect([
      await host.round({}, none),
      await host.round({ uri: 'r://' }, { ...none, method: 'resources/read' }),
    ]).toEqual([missing, missing])
  })

  it('fails after eight rounds, and with more than it may keep', async () => {
    const endless = tool('delete', async ({ ask }) => {
      for (;;) await ask({ message: 'More?', schema: YES_NO })
    })
    const heavy = tool('heavy', async ({ ask, once }) => {
      await once('all', () => 'x'.repeat(70_000))
      return ask(sure('first'))
    })
    await using host = await serving({ tools: [endless, heavy] })
    let answer = await host.round()
    let rounds = 1
    for (; answer.requestState !== undefined; rounds++) {
      const [key = ''] = Object.keys(answer.inputRequests as object)
      answer = await host.round({ requestState: answer.requestState, inputResponses: { [key]: YES } })
    }
    const failure = (text: string) => ({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining(text) }],
      _meta: { 'toolwire/error': { code: 'EXECUTION_FAILED' } },
    })
    expect([rounds, answer]).toMatchObject([8, failure('asked in more than 8 rounds')])
    expect(await host.round({ name: 'heavy' })).toMatchObject(failure('return less from ctx.once'))
    expect(host.logger.lines.filter(({ message }) => message === 'MCP request failed')).toEqual([])
  })

  it('counts as one call, whatever its rounds', async () => {
    await using host = await serving({ interceptors: [new RateLimitInterceptor({ defaultPerMinute: 1 })] })
    const first = await host.round()
    const second = await host.round({ requestState: first.requestState, inputResponses: { first: YES } })
    const last = await host.round({ requestState: second.requestState, inputResponses: { second: YES } })
    const other = await host.round()
    expect([last, other]).toMatchObject([
      { resultType: 'complete', content: [{ type: 'text' }] },
      { isError: true, _meta: { 'toolwire/error': { code: 'RATE_LIMITED' } } },
    ])
  })

  it('tells its interceptors that it waits, and not that it has ended', async () => {
    const told: string[] = []
    const note = (what: string) => (ctx: ToolExecutionContext) => {
      told.push(`${what} ${ctx.round}`)
    }
    const watching = (name: string): ToolInterceptor => ({
      beforeExecute: note(`${name} before`),
      afterExecute: note(`${name} after`),
      onError: note(`${name} error`),
      onSuspend: note(`${name} suspend`),
    })
    const asks = tool('delete', ({ ask }) => ask(sure('first')))
    await using host = await serving({ tools: [asks], interceptors: [watching('outer'), watching('inner')] })
    const { requestState } = await host.round()
    await host.round({ requestState, inputResponses: { first: YES } })
    expect(told).toEqual([
      ...['outer before 1', 'inner before 1', 'inner suspend 1', 'outer suspend 1'],
      ...['outer before 2', 'inner before 2', 'inner after 2', 'outer after 2'],
    ])
  })

  it('is refused when nobody can say whether its state was used', async () => {
    const store: Store = {
      consume: async () => {
        throw new Error('secret: redis://10.0.0.1')
      },
    } as Partial<Store> as Store
    await using host = await serving({ bridge: { requestState: { store } } })
    const { requestState } = await host.round()
    const before = [...host.did]
    expect(await host.round({ requestState, inputResponses: { first: YES } })).toMatchObject({
      isError: true,
      _meta: { 'toolwire/error': { code: 'OVERLOADED', retryable: true } },
    })
    expect(host.did).toEqual(before)
  })

  it('goes on in another process that has the same key, and in no other', async () => {
    const key = Buffer.alloc(32, 7)
    const sealing: Partial<McpToolBridgeOptions> = { requestState: { key } }
    await using one = await serving({ bridge: sealing })
    await using other = await serving({ bridge: sealing })
    await using stranger = await serving()
    const { requestState } = await one.round()
    const resumed = { requestState, inputResponses: { first: YES } }
    expect(await stranger.round(resumed)).toMatchObject({ code: -32602, message: NOT_OURS })
    expect(await other.round(resumed)).toMatchObject({ inputRequests: { second: {} } })
    expect(other.did).toEqual(['started for /a'])
  })

  it('needs arguments that can be told from others', async () => {
    await using host = await serving()
    const half = await host.round({ arguments: { path: '\ud800' } })
    expect(half).toMatchObject({ code: -32602, message: expect.stringContaining('well-formed Unicode') })
  })
})

describe('answers that come with the first request', () => {
  it.each([{ first: YES, second: YES }, null, 5, [YES], { first: null }])(
    'answer nothing that was asked: %j',
    async (inputResponses) => {
      await using host = await serving()
      const first = await host.round({ inputResponses })
      expect(Object.keys(first.inputRequests as object)).toEqual(['first'])
    },
  )
})
