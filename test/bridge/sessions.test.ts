import { describe, expect, it, vi } from 'vitest'
import { type McpHttpOptions, McpToolBridge } from '../../src/bridge/index.js'
import { Principal } from '../../src/registry/principal.js'
import { tool } from '../runtime/runtime-fixture.js'
import {
  bridged,
  INITIALIZE,
  listen,
  messagesOf,
  nextChange,
  openSession,
  post,
  request,
  send,
  served,
} from './fixtures/http-server.js'

describe('sessions of the legacy era', () => {
  it('are counted, ended by DELETE, and unknown afterwards', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    expect(http.bridge.sessionCount).toBe(1)
    expect((await send(http.url, { method: 'DELETE', headers })).status).toBe(200)
    expect(http.bridge.sessionCount).toBe(0)
    expect((await send(http.url, { headers, body: request(2, 'ping') })).status).toBe(404)
  })

  it('end when nobody has used them for a while, but not while a stream is open', async () => {
    await using http = await served({ http: { sessions: { idleMs: 2_000 } } })
    const idle = await openSession(http.url)
    const listening = await openSession(http.url)
    const stream = await send(http.url, { method: 'GET', headers: listening })
    await vi.waitFor(() => expect(http.bridge.sessionCount).toBe(1), { timeout: 8_000 })
    expect((await send(http.url, { headers: idle, body: request(2, 'ping') })).status).toBe(404)
    await stream.body?.cancel()
    await vi.waitFor(() => expect(http.bridge.sessionCount).toBe(0), { timeout: 8_000 })
  })

  it('are refused beyond the limit, and a refused or failed handshake leaves none', async () => {
    await using http = await served({ http: { sessions: { max: 1 } } })
    const failed = await send(http.url, { body: request(1, 'initialize', { protocolVersion: 5 }) })
    expect([failed.status, failed.headers.get('mcp-session-id'), http.bridge.sessionCount]).toEqual([
      400,
      null,
      0,
    ])
    await openSession(http.url)
    const refused = await send(http.url, { body: INITIALIZE })
    expect([refused.status, refused.headers.get('retry-after'), http.bridge.sessionCount]).toEqual([
      503,
      '30',
      1,
    ])
  })

  it('begin anew for a client that still has an old id', async () => {
    await using http = await served()
    const response = await send(http.url, { headers: { 'mcp-session-id': 'gone' }, body: INITIALIZE })
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('are refused while the runtime closes; those that are open go on', async () => {
    await using http = await served()
    const { registry, resources, prompts, catalog } = http.runtime
    const runtime = {
      registry,
      resources,
      prompts,
      catalog,
      tasks: http.runtime.tasks,
      logger: http.logger,
      start: http.runtime.start.bind(http.runtime),
      run: http.runtime.run.bind(http.runtime),
      isStarted: true,
      isClosing: false,
    }
    await using bridge = new McpToolBridge(runtime, { name: 'fixture', version: '1' })
    await using server = await listen(bridge.nodeHandler())
    await using alone = new McpToolBridge(runtime, { name: 'x', version: '1', http: { sessions: false } })
    await using statelessServer = await listen(alone.nodeHandler())
    const headers = await openSession(server.url)
    await openSession(statelessServer.url)
    runtime.isClosing = true
    const refused = await Promise.all(
      [server.url, statelessServer.url].map((url) => send(url, { body: INITIALIZE })),
    )
    expect(refused.map(({ status }) => status)).toEqual([503, 503])
    expect((await send(server.url, { headers, body: request(2, 'ping') })).status).toBe(200)
  })

  it('are made room for by the one that nobody has used for longest, once that is a minute', async () => {
    const { bridge, runtime } = await bridged({ http: { sessions: { max: 2 } } })
    const open = async (address: string) => {
      const response = await bridge.fetch(post(INITIALIZE), { address })
      await response.text()
      return response.status
    }
    expect([await open('10.0.0.1'), await open('10.0.0.2'), await open('10.0.0.3')]).toEqual([200, 200, 503])
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_001)
    expect([await open('10.0.0.3'), await open('10.0.0.4'), await open('10.0.0.5')]).toEqual([200, 200, 503])
    clock.mockRestore()
    expect(bridge.sessionCount).toBe(2)
    await bridge.close()
    await runtime.close()
  })

  it('are made room for by the address that holds the most, idlest first', async () => {
    const { bridge, runtime, logger } = await bridged({ http: { sessions: { max: 3 } } })
    const from = (address: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      bridge.fetch(post(body, headers), { address })
    const open = async (address: string) => {
      const response = await from(address, INITIALIZE)
      await response.text()
      return { status: response.status, id: response.headers.get('mcp-session-id') ?? '' }
    }
    const ping = async (address: string, id: string) => {
      const response = await from(address, request(2, 'ping'), { 'mcp-session-id': id })
      await response.text()
      return response.status
    }
    const greedy = [await open('10.0.0.1'), await open('10.0.0.1'), await open('10.0.0.1')]
    // It cannot have more, nor does it lose any by asking.
    expect([(await open('10.0.0.1')).status, bridge.sessionCount]).toEqual([503, 3])
    expect(await ping('10.0.0.1', greedy[0]?.id ?? '')).toBe(200)
    const modest = await open('10.0.0.2')
    expect([modest.status, bridge.sessionCount]).toEqual([200, 3])
    const statuses = await Promise.all(greedy.map(({ id }) => ping('10.0.0.1', id)))
    expect(statuses).toEqual([200, 404, 200])
    // Two against one: nobody is owed anything.
    expect([(await open('10.0.0.2')).status, (await open('10.0.0.1')).status]).toEqual([503, 503])
    expect(await ping('10.0.0.2', modest.id)).toBe(200)
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      { level: 'warn', fields: { max: 3 }, message: 'All MCP sessions are taken: see http.sessions.max' },
    ])
    await bridge.close()
    await runtime.close()
  })

  it('take no request under the id of one that is running, whose stream it would take over', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const call = { headers, body: request(7, 'tools/call', { name: 'wait', arguments: { ms: 150 } }) }
    const [first, second] = await Promise.all([send(http.url, call), send(http.url, call)])
    const [running, refused] = first.status === 200 ? [first, second] : [second, first]
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'A request with this id is still running in this session' },
      },
    ])
    expect(await messagesOf(running)).toMatchObject([
      { id: 7, result: { content: [{ text: 'waited for 7' }] } },
    ])
    const again = await send(http.url, { headers, body: request(7, 'ping') })
    expect(await messagesOf(again)).toMatchObject([{ id: 7, result: {} }])
    expect(http.journal.started).toEqual([7])
  })

  it('free the id of a request that was refused', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const refused = await send(http.url, {
      headers: { ...headers, 'mcp-protocol-version': '1900-01-01' },
      body: request(7, 'ping'),
    })
    const answered = await send(http.url, { headers, body: request(7, 'ping') })
    expect([refused.status, answered.status]).toEqual([400, 200])
  })

  it('hear once of many changes', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const stream = await send(http.url, { method: 'GET', headers })
    const reading = messagesOf(stream)
    http.runtime.registry.registerAll(Array.from({ length: 100 }, (_, i) => tool(`more_${i}`)))
    await nextChange(http.runtime.registry)
    await http.bridge.close()
    expect(await reading).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }])
  })
})

describe('a session of a principal', () => {
  const alice = new Principal({ subject: 'alice', tenant: 'acme' })
  const others = [
    new Principal({ subject: 'bob', tenant: 'acme' }),
    new Principal({ subject: 'alice', tenant: 'other' }),
    new Principal({ subject: 'alice' }),
    undefined,
  ]

  async function bridgedFor(http: McpHttpOptions = {}) {
    const { bridge, runtime } = await bridged({ http })
    const as = (principal: Principal | undefined, request: Request, address = '10.0.0.1') =>
      bridge.fetch(request, { address, principal })
    const open = async (principal: Principal | undefined, address?: string) => {
      const response = await as(principal, post(INITIALIZE), address)
      await response.text()
      return { status: response.status, id: response.headers.get('mcp-session-id') ?? '' }
    }
    const ping = async (principal: Principal | undefined, id: string) => {
      const response = await as(principal, post(request(2, 'ping'), { 'mcp-session-id': id }))
      await response.text()
      return response.status
    }
    const close = async () => {
      await bridge.close()
      await runtime.close()
    }
    return { bridge, as, open, ping, [Symbol.asyncDispose]: close }
  }

  function verbs(id: string): Request[] {
    const headers = { 'mcp-session-id': id, accept: 'text/event-stream' }
    const by = (method: string, more = {}) =>
      new Request('http://localhost/mcp', { method, headers: { ...headers, ...more } })
    const ping = post(request(2, 'ping'), { 'mcp-session-id': id })
    return [ping, by('GET'), by('GET', { 'last-event-id': '1' }), by('DELETE')]
  }

  it('is nobody else’s: to others it is one that does not exist, on every verb', async () => {
    await using served = await bridgedFor({ resumability: true })
    const { id } = await served.open(alice)
    const answers = (principal: Principal | undefined, session: string) =>
      Promise.all(
        verbs(session).map(async (verb) => {
          const response = await served.as(principal, verb)
          return [response.status, Object.fromEntries(response.headers), await response.text()]
        }),
      )
    for (const other of others) {
      const told = await answers(other, id)
      expect(told.map(([status]) => status)).toEqual([404, 404, 404, 404])
      expect(told).toEqual(await answers(other, '8f2b7a1e-0000-4000-8000-000000000000'))
    }
    expect([served.bridge.sessionCount, await served.ping(alice, id)]).toEqual([1, 200])
    // Another token of the same person.
    const again = new Principal({ subject: 'alice', tenant: 'acme', scopes: ['read'] })
    expect(await served.ping(again, id)).toBe(200)
  })

  it('does not become somebody’s who comes with its id, when nobody has opened it', async () => {
    await using served = await bridgedFor()
    const { id } = await served.open(undefined)
    expect([await served.ping(alice, id), await served.ping(undefined, id)]).toEqual([404, 200])
  })

  it('is not kept alive by others', async () => {
    await using served = await bridgedFor({ sessions: { idleMs: 200 } })
    const { id } = await served.open(alice)
    await vi.waitFor(
      async () => {
        expect(await served.ping(others[0], id)).toBe(404)
        expect(served.bridge.sessionCount).toBe(0)
      },
      { timeout: 5_000, interval: 20 },
    )
  })

  it('counts as its principal’s, wherever that one is', async () => {
    await using served = await bridgedFor({ sessions: { max: 3 } })
    const [bob] = others
    const held = [
      await served.open(alice, '10.0.0.1'),
      await served.open(alice, '10.0.0.2'),
      await served.open(alice, '10.0.0.3'),
    ]
    expect((await served.open(alice, '10.0.0.4')).status).toBe(503)
    // Behind the address that alice came from first.
    const { id } = await served.open(bob, '10.0.0.1')
    const statuses = await Promise.all(held.map((session) => served.ping(alice, session.id)))
    expect([...statuses, await served.ping(bob, id)]).toEqual([404, 200, 200, 200])
  })
})

describe('closing', () => {
  it('ends sessions and streams, answers what is running, and refuses the rest', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const stream = await send(http.url, { method: 'GET', headers })
    const running = send(http.url, {
      headers,
      body: request(2, 'tools/call', { name: 'wait', arguments: { ms: 100 } }),
    })
    await vi.waitFor(() => expect(http.journal.started).toEqual([2]))
    await http.bridge.close()
    expect(await messagesOf(await running)).toMatchObject([
      { id: 2, result: { content: [{ text: 'waited for 2' }] } },
    ])
    expect(await messagesOf(stream)).toEqual([])
    expect(http.bridge.sessionCount).toBe(0)
    expect((await send(http.url, { body: INITIALIZE })).status).toBe(503)
  })

  it('aborts what is not done in time', async () => {
    await using http = await served({ drainMs: 30 })
    const headers = await openSession(http.url)
    const running = send(http.url, { headers, body: request(2, 'tools/call', { name: 'wait' }) })
    await vi.waitFor(() => expect(http.journal.started).toEqual([2]))
    await http.bridge.close()
    await vi.waitFor(() => expect(http.journal.aborted).toEqual([2]))
    expect(await messagesOf(await running)).toEqual([])
  })

  it('lets go of the registry', async () => {
    await using http = await served()
    const add = vi.spyOn(http.runtime.registry, 'addListener')
    await openSession(http.url)
    await openSession(http.url)
    expect(add).toHaveBeenCalledTimes(1)
    const disposed = vi.spyOn(add.mock.results[0]?.value as Disposable, Symbol.dispose)
    await http.bridge.close()
    expect(disposed).toHaveBeenCalledTimes(1)
  })
})
