import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { CLIENTS } from '../bridge/fixtures/clients.js'
import {
  bridged,
  INITIALIZE,
  listen,
  messagesOf,
  modern,
  openSession,
  request,
  send,
  served,
} from '../bridge/fixtures/http-server.js'

/** The ids of the answers in a response. */
const idsOf = async (response: Response) => (await messagesOf(response)).map(({ id }) => id)

describe('HTTP cases', () => {
  it('HTTP-01: clients share the endpoint, and each gets its own answers and notifications', async () => {
    await using http = await served()
    const [a, b] = [await openSession(http.url), await openSession(http.url)]
    const [ofA, ofB] = [
      await send(http.url, { method: 'GET', headers: a }),
      await send(http.url, { method: 'GET', headers: b }),
    ]
    const call = (headers: Record<string, string>, id: string) =>
      send(http.url, {
        headers,
        body: request(id, 'tools/call', { name: 'steps', _meta: { progressToken: id } }),
      })
    // The same id in both sessions at once, on purpose.
    const answers = await Promise.all(
      [call(a, 'x'), call(b, 'x'), call(a, 'a'), call(b, 'b')].map(async (answer) =>
        messagesOf(await answer),
      ),
    )
    expect(
      answers.map((messages) =>
        messages.map(({ id, params }) => id ?? (params as { progressToken?: string }).progressToken ?? 'log'),
      ),
    ).toEqual([
      ['x', 'x', 'log', 'log', 'x'],
      ['x', 'x', 'log', 'log', 'x'],
      ['a', 'a', 'log', 'log', 'a'],
      ['b', 'b', 'log', 'log', 'b'],
    ])
    await (await send(http.url, { method: 'DELETE', headers: a })).text()
    expect(await ofA.text()).toBe('')
    // A comes back, and B has noticed nothing.
    const again = await openSession(http.url)
    expect(
      [await idsOf(await call(again, 'c')), await idsOf(await call(b, 'd'))].map((ids) => ids.at(-1)),
    ).toEqual(['c', 'd'])
    await http.bridge.close()
    expect(await ofB.text()).toBe('')
  })

  it.each([
    ['without a parser', (app: express.Express) => app],
    ['behind express.json()', (app: express.Express) => app.use(express.json())],
    ['behind express.raw()', (app: express.Express) => app.use(express.raw({ type: '*/*' }))],
  ])('HTTP-03: it works %s, at any mount path, next to other routes', async (_what, front) => {
    const { bridge } = await bridged()
    const app = front(express())
    app.post('/echo', (req, res) => {
      res.json({ kind: typeof req.body })
    })
    app.use('/deep/er/mcp', bridge.nodeHandler())
    await using server = await listen(app)
    const url = new URL('/deep/er/mcp', server.url).href
    for (const { connect } of CLIENTS) {
      const client = await connect({ url })
      expect(await client.call('add', { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } })
      await client.close()
    }
    expect((await send(new URL('/echo', server.url).href, { body: {} })).status).toBe(200)
    await bridge.close()
  })

  it('HTTP-05: an unknown session is 404, none at all 400', async () => {
    await using http = await served()
    const body = request(1, 'tools/list')
    const statuses = [
      await send(http.url, { headers: { 'mcp-session-id': 'dead' }, body }),
      await send(http.url, { body }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([404, 400])
  })

  it('HTTP-06: initialize with an old id opens a new session, and nothing else names or makes one', async () => {
    await using http = await served()
    const stale = { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' }
    const opened = await send(http.url, { headers: stale, body: INITIALIZE })
    await opened.text()
    const id = opened.headers.get('mcp-session-id') ?? ''
    expect([opened.status, id === stale['mcp-session-id'], http.bridge.sessionCount]).toEqual([200, false, 1])

    const failed = await send(http.url, {
      headers: stale,
      body: request(2, 'initialize', { protocolVersion: 5 }),
    })
    const notified = await send(http.url, {
      headers: { 'mcp-session-id': id },
      body: { jsonrpc: '2.0', method: 'notifications/initialized' },
    })
    expect([
      failed.status,
      failed.headers.get('mcp-session-id'),
      notified.status,
      notified.headers.get('mcp-session-id'),
    ]).toEqual([400, null, 202, null])
    expect(http.bridge.sessionCount).toBe(1)
  })

  it('HTTP-07: sessions that nobody ends are ended, and their ids unknown; DELETE ends one at once; their number is bounded', async () => {
    await using http = await served({ http: { sessions: { idleMs: 300, max: 500 } } })
    const ids = await Promise.all(
      Array.from({ length: 100 }, async () => (await openSession(http.url))['mcp-session-id'] ?? ''),
    )
    await vi.waitFor(() => expect(http.bridge.sessionCount).toBe(0), { timeout: 10_000 })
    const after = await Promise.all(
      ids.map((id) => send(http.url, { headers: { 'mcp-session-id': id }, body: request(1, 'ping') })),
    )
    expect(after.map(({ status }) => status)).toEqual(Array(100).fill(404))

    await using small = await served({ http: { sessions: { max: 2 } } })
    const headers = await openSession(small.url)
    await openSession(small.url)
    const tooMany = await send(small.url, { body: INITIALIZE })
    const deleted = await send(small.url, { method: 'DELETE', headers })
    expect([
      tooMany.status,
      tooMany.headers.get('retry-after'),
      deleted.status,
      small.bridge.sessionCount,
    ]).toEqual([503, '30', 200, 1])
  })

  it('HTTP-15: the revision header and the shape of messages are enforced', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const notification = await send(http.url, {
      headers,
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } },
    })
    const statuses = [
      await send(http.url, {
        headers: { ...headers, 'mcp-protocol-version': '1900-01-01' },
        body: request(1, 'ping'),
      }),
      notification,
      await send(http.url, { headers, body: request(null, 'ping') }),
      await send(http.url, { headers, body: [request(1, 'ping'), request(2, 'ping')] }),
    ].map(({ status }) => status)
    expect([statuses, await notification.text()]).toEqual([[400, 202, 400, 400], ''])
  })

  it('HTTP-17: a modern client that probes is answered, and may begin in the old era on the same endpoint', async () => {
    await using http = await served()
    const probe = await messagesOf(await send(http.url, modern(1, 'server/discover')))
    const [opened] = await messagesOf(await send(http.url, { body: INITIALIZE }))
    // As does one that sends no header, which an old server would not know.
    const { body } = modern(2, 'server/discover')
    const headerless = await send(http.url, { body })
    expect([probe, opened, headerless.status]).toMatchObject([
      [{ id: 1, result: { supportedVersions: ['2026-07-28'] } }],
      { id: 1, result: { protocolVersion: '2025-11-25' } },
      400,
    ])
    expect(await headerless.json()).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
  })
})
