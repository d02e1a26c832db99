import { describe, expect, it, vi } from 'vitest'
import type { McpAuthOptions, TokenVerifier } from '../../src/bridge/index.js'
import { Principal } from '../../src/registry/principal.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { tool } from '../runtime/runtime-fixture.js'
import { eventsOf } from './fixtures/event-streams.js'
import { caller, hosted } from './fixtures/hosted.js'
import { messagesOf, modern, openSession, request, send } from './fixtures/http-server.js'
import { ERAS, WAYS, type Way } from './fixtures/ways.js'

const note = (name: string, scopes?: readonly string[]) =>
  ResourceDefinition.builder()
    .name(name)
    .uri(`notes://${name}`)
    .metadata(scopes === undefined ? {} : { visibility: { scopes } })
    .reader(() => name)
    .build()

const day = ResourceDefinition.builder()
  .name('day')
  .uriTemplate('days://{day}')
  .reader(({ args }) => args.day)
  .build()

const NOTES = [note('open'), note('other'), note('secret', ['secrets']), day]
const ALICE = caller('alice', 'secrets')
const BOB = caller('bob')

/** When this has been heard, so has all that came before it. */
const MARK = 'resources/updated notes://other'

/** A token is the name of its bearer, and after a tilde what it may see. */
function bySubject(): McpAuthOptions {
  const verifier: TokenVerifier = {
    verify: async (token) => {
      const [subject = '', ...scopes] = token.split('~')
      return new Principal({ subject, scopes })
    },
  }
  return { verifier, resource: 'http://127.0.0.1/mcp', authorizationServers: ['https://login.example.com'] }
}

describe.each(WAYS)('$name', (way: Way) => {
  it('hears once of each change of what it follows, and of nothing else', async () => {
    await using host = await hosted({ resources: NOTES })
    const client = await way.connect(host)
    const other = await way.connect(host)
    await client.follow('notes://open', 'notes://other', 'days://monday')
    const { resources } = host.runtime
    resources.notifyUpdated('days://monday')
    resources.notifyUpdated('days://tuesday')
    resources.notifyUpdated('notes://secret')
    resources.notifyUpdated('notes://nowhere')
    resources.notifyUpdated('notes://open')
    resources.notifyUpdated('notes://open')
    resources.notifyUpdated('notes://other')
    await vi.waitFor(() => expect(client.heard).toContain(MARK))
    expect(client.heard).toEqual(['resources/updated days://monday', 'resources/updated notes://open', MARK])
    expect(other.heard).toEqual([])
    await Promise.all([client.close(), other.close()])
  })

  it('hears nothing more once it has let go, and can begin again', async () => {
    await using host = await hosted({ resources: NOTES })
    const client = await way.connect(host)
    const following = await client.follow('notes://open')
    await following.end()
    host.runtime.resources.notifyUpdated('notes://open')
    await client.follow('notes://open', 'notes://other')
    host.runtime.resources.notifyUpdated('notes://open')
    host.runtime.resources.notifyUpdated('notes://other')
    await vi.waitFor(() => expect(client.heard).toContain(MARK))
    expect(client.heard).toEqual(['resources/updated notes://open', MARK])
    await client.close()
  })

  it('is told which it cannot follow, whether unknown, hidden or malformed, in the same way, and never hears of them', async () => {
    await using host = await hosted({ resources: NOTES })
    const client = await way.connect(host, { as: BOB })
    const refused: unknown[] = []
    for (const uri of ['notes://secret', 'notes://nowhere', 'notes://%zz'])
      refused.push((await client.follow(uri)).refused)
    const refusal = (uri: string) =>
      way.era === 'modern'
        ? { missing: [uri] }
        : { code: way.sdk === 1 ? -32002 : -32602, message: `Resource not found: ${uri}`, data: { uri } }
    expect(refused).toEqual(['notes://secret', 'notes://nowhere', 'notes://%zz'].map(refusal))

    const alice = await way.connect(host, { as: ALICE })
    expect((await alice.follow('notes://secret', 'notes://other')).refused).toBeUndefined()
    await client.follow('notes://other')
    host.runtime.resources.notifyUpdated('notes://secret')
    host.runtime.resources.notifyUpdated('notes://other')
    await vi.waitFor(() =>
      expect([alice.heard, client.heard].map((heard) => heard.includes(MARK))).toEqual([true, true]),
    )
    expect([alice.heard, client.heard]).toEqual([['resources/updated notes://secret', MARK], [MARK]])
    await Promise.all([client.close(), alice.close()])
  })

  it('hears no more of what has been hidden from it meanwhile', async () => {
    await using host = await hosted({ resources: NOTES })
    const client = await way.connect(host, { as: BOB })
    await client.follow('notes://open', 'notes://other')
    host.runtime.resources.replace(note('open', ['secrets']))
    host.runtime.resources.notifyUpdated('notes://open')
    host.runtime.resources.notifyUpdated('notes://other')
    await vi.waitFor(() => expect(client.heard).toContain(MARK))
    expect(client.heard.filter((one) => one !== 'resources/list_changed')).toEqual([MARK])
    await client.close()
  })

  it('hears once of a burst of changes of each list', async () => {
    await using host = await hosted({ resources: NOTES })
    const client = await way.connect(host)
    await client.follow('notes://other')
    const { registry, resources, prompts } = host.runtime
    const named = (name: string) =>
      PromptDefinition.builder()
        .name(name)
        .template(() => name)
        .build()
    for (let i = 0; i < 50; i++) {
      registry.register(tool(`tool_${i}`))
      resources.register(note(`note_${i}`))
      prompts.register(named(`prompt_${i}`))
    }
    await vi.waitFor(() => expect(client.heard).toHaveLength(3))
    resources.notifyUpdated('notes://other')
    await vi.waitFor(() => expect(client.heard).toContain(MARK))
    expect([...client.heard].sort()).toEqual([
      'prompts/list_changed',
      'resources/list_changed',
      MARK,
      'tools/list_changed',
    ])
    await client.close()
  })
})

describe('a session', () => {
  it('follows a thousand resources and no more, each of them once', async () => {
    await using host = await hosted({ resources: [day] })
    const headers = await openSession(host.url)
    const subscribe = async (uri: string) =>
      (
        await messagesOf(await send(host.url, { headers, body: request(2, 'resources/subscribe', { uri }) }))
      )[0]
    for (let i = 0; i < 1_000; i++) await subscribe(`days://${i}`)
    expect([await subscribe('days://1000'), await subscribe('days://7')]).toEqual([
      {
        jsonrpc: '2.0',
        id: 2,
        error: { code: -32000, message: 'A client can follow 1000 resources at once' },
      },
      { jsonrpc: '2.0', id: 2, result: {} },
    ])
    const unsubscribed = request(3, 'resources/unsubscribe', { uri: 'days://7' })
    expect(await messagesOf(await send(host.url, { headers, body: unsubscribed }))).toMatchObject([
      { result: {} },
    ])
    expect(await subscribe('days://1000')).toMatchObject({ result: {} })
  })

  it.each([{}, { uri: 5 }, { uri: null }])('refuses to follow or let go of %j', async (params) => {
    await using host = await hosted({ resources: NOTES })
    const headers = await openSession(host.url)
    const codes = []
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      const [message] = await messagesOf(await send(host.url, { headers, body: request(2, method, params) }))
      codes.push(message?.error)
    }
    const invalid = { code: -32602, message: expect.stringContaining('params.uri') }
    expect(codes).toEqual([invalid, invalid])
  })

  it('follows what the token of the subscription allows, not that of the handshake', async () => {
    await using host = await hosted({ resources: NOTES, bridge: { http: { auth: bySubject() } } })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const session = await openSession(host.url, bearer('alice'))
    const subscribe = async (token: string) =>
      (
        await messagesOf(
          await send(host.url, {
            headers: { ...session, ...bearer(token) },
            body: request(2, 'resources/subscribe', { uri: 'notes://secret' }),
          }),
        )
      )[0]
    expect(await subscribe('alice')).toMatchObject({ error: { data: { uri: 'notes://secret' } } })
    expect(await subscribe('alice~secrets')).toMatchObject({ result: {} })
    const stream = await send(host.url, { method: 'GET', headers: session })
    host.runtime.resources.notifyUpdated('notes://secret')
    const [updated] = await eventsOf(stream, { until: (events) => events.length === 1 })
    expect(updated?.message).toMatchObject({ params: { uri: 'notes://secret' } })
    await stream.body?.cancel()
  })

  it('lets go of everything when it ends', async () => {
    await using host = await hosted({ resources: NOTES })
    const headers = await openSession(host.url)
    await (
      await send(host.url, { headers, body: request(2, 'resources/subscribe', { uri: 'notes://open' }) })
    ).text()
    await send(host.url, { method: 'DELETE', headers })
    const sees = vi.spyOn(host.runtime.catalog, 'resource')
    host.runtime.resources.notifyUpdated('notes://open')
    expect([sees.mock.calls, host.bridge.sessionCount]).toEqual([[], 0])
  })

  it('is not there to follow anything where requests stand alone', async () => {
    await using host = await hosted({ resources: NOTES, bridge: { http: { sessions: false } } })
    const [opened] = await messagesOf(
      await send(host.url, {
        body: request(1, 'initialize', {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'raw', version: '1' },
        }),
      }),
    )
    const subscribe = request(2, 'resources/subscribe', { uri: 'notes://open' })
    expect([opened, ...(await messagesOf(await send(host.url, { body: subscribe })))]).toMatchObject([
      { result: { capabilities: { resources: { subscribe: false, listChanged: false } } } },
      { error: { code: -32601 } },
    ])
  })
})

describe('subscriptions/listen', () => {
  const listen = (notifications: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const raw = modern('s', 'subscriptions/listen', { notifications })
    return { ...raw, headers: { ...raw.headers, ...headers } }
  }

  it('acknowledges what can be read and nothing else, and marks what it sends', async () => {
    await using host = await hosted({ resources: NOTES })
    const uris = ['notes://secret', 'notes://open', 'notes://nowhere']
    const response = await send(
      host.url,
      listen({ resourceSubscriptions: uris, toolsListChanged: true }, BOB.headers),
    )
    await eventsOf(response, { until: (events) => events.length === 1 }).then(([acknowledged]) =>
      expect(acknowledged?.message).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { resourceSubscriptions: ['notes://open'], toolsListChanged: true } },
      }),
    )
    for (const uri of uris) host.runtime.resources.notifyUpdated(uri)
    const [updated] = await eventsOf(response, { until: (events) => events.length === 1 })
    expect(updated?.message).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'notes://open', _meta: { 'io.modelcontextprotocol/subscriptionId': 's' } },
    })
    await response.body?.cancel()
  })

  it('ends at once where nothing of what was asked for can be heard of', async () => {
    await using host = await hosted({ resources: NOTES })
    const response = await send(host.url, listen({ resourceSubscriptions: ['notes://secret'] }, BOB.headers))
    expect(await messagesOf(response)).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 's', result: { resultType: 'complete' } },
    ])
  })

  it('goes by the bearer token, and not by what another request of the same connection may see', async () => {
    await using host = await hosted({ resources: NOTES, bridge: { http: { auth: bySubject() } } })
    const filter = { resourceSubscriptions: ['notes://secret', 'notes://other'] }
    const [alice, bob] = await Promise.all(
      ['alice~secrets', 'bob'].map((token) =>
        send(host.url, listen(filter, { authorization: `Bearer ${token}` })),
      ),
    )
    const first = (response: Response | undefined, count: number) =>
      eventsOf(response as Response, { until: (events) => events.length === count })
    await Promise.all([first(alice, 1), first(bob, 1)])
    host.runtime.resources.notifyUpdated('notes://secret')
    host.runtime.resources.notifyUpdated('notes://other')
    const uris = (await Promise.all([first(alice, 2), first(bob, 1)])).map((events) =>
      events.map(({ message }) => message?.params),
    )
    expect(uris).toMatchObject([
      [{ uri: 'notes://secret' }, { uri: 'notes://other' }],
      [{ uri: 'notes://other' }],
    ])
    await Promise.all([alice?.body?.cancel(), bob?.body?.cancel()])
  })

  it.each([
    undefined,
    null,
    5,
    { resourceSubscriptions: 'notes://open' },
    { resourceSubscriptions: ['notes://open', 5] },
  ])('refuses the filter %j', async (notifications) => {
    await using host = await hosted({ resources: NOTES })
    const [answer] = await messagesOf(await send(host.url, listen(notifications)))
    expect(answer).toMatchObject({ id: 's', error: { code: -32602 } })
  })

  it('lets go of what it followed when its client is gone', async () => {
    await using host = await hosted({ resources: NOTES })
    const gone = new AbortController()
    const response = await send(host.url, {
      ...listen({ resourceSubscriptions: ['notes://open'] }),
      signal: gone.signal,
    })
    await eventsOf(response, { until: (events) => events.length === 1 })
    const sees = vi.spyOn(host.runtime.catalog, 'resource')
    gone.abort()
    await vi.waitFor(() => {
      sees.mockClear()
      host.runtime.resources.notifyUpdated('notes://open')
      expect(sees).not.toHaveBeenCalled()
    })
  })

  it('is not larger than a subscription should be, on a connection either', async () => {
    await using host = await hosted({ resources: NOTES })
    const [, pinned] = ERAS
    const inMemory = WAYS.find(({ name }) => name === 'SDK 2.x in memory, 2026-07-28 alone')
    const uris = Array.from({ length: 5_000 }, (_, i) => `notes://${i}/${'x'.repeat(20)}`)
    for (const way of [pinned, inMemory]) {
      const client = await (way as Way).connect(host)
      await expect(client.follow(...uris)).rejects.toThrow()
      expect(await client.read('notes://open')).toMatchObject({ contents: [{ text: 'open' }] })
      await client.close()
    }
  })

  it('ends with the bridge', async () => {
    await using host = await hosted({ resources: NOTES })
    const response = await send(host.url, listen({ resourceSubscriptions: ['notes://open'] }))
    await host.bridge.close()
    expect(await messagesOf(response)).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged' },
      { id: 's', result: {} },
    ])
  })
})
