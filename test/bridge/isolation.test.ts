import { describe, expect, it, vi } from 'vitest'
import {
  messagesOf,
  modern,
  openSession,
  type RawRequest,
  request,
  send,
  served,
} from './fixtures/http-server.js'

type Served = Awaited<ReturnType<typeof served>>

/** How a client of each kind puts a request of `tools/call` under the id 7. */
const KINDS: readonly {
  readonly name: string
  readonly sessions: boolean
  readonly client: (url: string) => Promise<Call>
}[] = [
  { name: 'legacy with sessions', sessions: true, client: legacyClient },
  {
    name: 'legacy without sessions',
    sessions: false,
    client: async () => (params) => ({ body: request(7, 'tools/call', params) }),
  },
  { name: '2026-07-28', sessions: true, client: async () => (params) => modern(7, 'tools/call', params) },
]

type Call = (params: Readonly<Record<string, unknown>>) => RawRequest

async function legacyClient(url: string): Promise<Call> {
  const headers = await openSession(url)
  return (params) => ({ headers, body: request(7, 'tools/call', params) })
}

describe.each(KINDS)('two clients with equal ids: $name', ({ sessions, client }) => {
  it('get their own answers, whichever is done first', async () => {
    await using http = await served({ http: { sessions } })
    const [slow, fast] = [await client(http.url), await client(http.url)]
    const answers = await Promise.all([
      send(http.url, slow({ name: 'wait', arguments: { ms: 120 } })).then(messagesOf),
      send(http.url, fast({ name: 'add', arguments: { a: 1, b: 2 } })).then(messagesOf),
    ])
    expect(answers).toMatchObject([
      [{ id: 7, result: { content: [{ text: 'waited for 7' }] } }],
      [{ id: 7, result: { structuredContent: { sum: 3 } } }],
    ])
  })

  it('do not see the progress of the other under the same token', async () => {
    await using http = await served({ http: { sessions } })
    const [one, other] = [await client(http.url), await client(http.url)]
    const quiet = send(
      http.url,
      one({ name: 'wait', arguments: { ms: 120 }, _meta: { progressToken: 0 } }),
    ).then(messagesOf)
    await send(http.url, other({ name: 'steps', _meta: { progressToken: 0 } })).then(messagesOf)
    expect((await quiet).map((message) => message.method ?? message.id)).toEqual([7])
  })

  it('do not end when the other goes away', async () => {
    await using http = await served({ http: { sessions } })
    const [one, other] = [await client(http.url), await client(http.url)]
    const gone = new AbortController()
    const left = send(http.url, {
      ...one({ name: 'wait', arguments: { ms: 300 } }),
      signal: gone.signal,
    }).then(messagesOf)
    const stayed = send(http.url, other({ name: 'wait', arguments: { ms: 300 } })).then(messagesOf)
    await vi.waitFor(() => expect(http.journal.started).toHaveLength(2))
    gone.abort()
    await expect(left).rejects.toThrow()
    expect(await stayed).toMatchObject([{ id: 7, result: { content: [{ text: 'waited for 7' }] } }])
  })
})

describe('cancelling', () => {
  const cancel = (requestId: unknown) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId },
  })

  it.each([5, 0, 'five', '', '\u0000toolwire:0'])(
    'under the id %j aborts that call, ends its stream without an answer, and frees it',
    async (id) => {
      await using http = await served()
      const [mine, theirs] = [await openSession(http.url), await openSession(http.url)]
      const call = request(id, 'tools/call', { name: 'wait', arguments: { ms: 400 } })
      const cancelled = send(http.url, { headers: mine, body: call }).then(messagesOf)
      const other = send(http.url, { headers: theirs, body: call }).then(messagesOf)
      await vi.waitFor(() => expect(http.journal.started).toEqual([id, id]))
      await send(http.url, { headers: mine, body: cancel(id) })
      expect(await cancelled).toEqual([])
      expect(http.journal.aborted).toEqual([id])
      expect(await other).toMatchObject([{ id, result: { content: [{ text: `waited for ${id}` }] } }])
      // The session goes on, and the id can be used again.
      const again = await send(http.url, {
        headers: mine,
        body: request(id, 'tools/call', { name: 'greet' }),
      })
      expect(await messagesOf(again)).toMatchObject([{ id, result: { content: [{ text: 'hello' }] } }])
    },
  )

  it('of an id that is unknown or answered is ignored', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const statuses = [
      await send(http.url, { headers, body: cancel(99) }),
      await send(http.url, { headers, body: cancel({}) }),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([202, 202])
    const answer = await send(http.url, { headers, body: request(99, 'tools/call', { name: 'greet' }) })
    expect(await messagesOf(answer)).toMatchObject([{ id: 99, result: {} }])
  })

  it('without a session reaches nobody: the id in it may be another client’s', async () => {
    await using http = await served({ http: { sessions: false } })
    const call = send(http.url, {
      body: request(1, 'tools/call', { name: 'wait', arguments: { ms: 150 } }),
    }).then(messagesOf)
    await vi.waitFor(() => expect(http.journal.started).toEqual([1]))
    expect((await send(http.url, { body: cancel(1) })).status).toBe(202)
    expect(await call).toMatchObject([{ id: 1, result: { content: [{ text: 'waited for 1' }] } }])
  })

  it.each([
    ['without a session', { body: request(1, 'tools/call', { name: 'wait' }) }],
    ['of 2026-07-28', modern(1, 'tools/call', { name: 'wait' })],
  ])('is what it means when a client %s leaves', async (_name, raw) => {
    await using http: Served = await served({ http: { sessions: false } })
    const gone = new AbortController()
    const call = send(http.url, { ...raw, signal: gone.signal })
    await vi.waitFor(() => expect(http.journal.started).toEqual([1]))
    gone.abort()
    await expect(call).rejects.toThrow()
    await vi.waitFor(() => expect(http.journal.aborted).toEqual([1]))
  })
})

describe('one client', () => {
  it('sets the log level for its own session alone', async () => {
    await using http = await served()
    const [mine, theirs] = [await openSession(http.url), await openSession(http.url)]
    await send(http.url, { headers: mine, body: request(2, 'logging/setLevel', { level: 'error' }) })
    const logs = async (headers: Readonly<Record<string, string>>) => {
      const messages = await messagesOf(
        await send(http.url, { headers, body: request(3, 'tools/call', { name: 'steps' }) }),
      )
      return messages.filter(({ method }) => method === 'notifications/message').map(({ params }) => params)
    }
    const error = { level: 'error', data: { at: 'step 2' }, logger: 'steps' }
    expect([await logs(mine), await logs(theirs)]).toEqual([
      [error],
      [{ level: 'debug', data: 'fine' }, error],
    ])
  })

  it('is told of a level that does not exist', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const answer = await send(http.url, { headers, body: request(2, 'logging/setLevel', { level: 'loud' }) })
    expect(await messagesOf(answer)).toMatchObject([{ id: 2, error: { code: -32602 } }])
  })

  it('of 2026-07-28 gets log lines only where it asks for them', async () => {
    await using http = await served()
    const methods = async (_meta: object) => {
      const messages = await messagesOf(
        await send(http.url, modern(1, 'tools/call', { name: 'steps', _meta })),
      )
      return messages.map((message) => message.method ?? 'answer')
    }
    expect(await methods({})).toEqual(['answer'])
    expect(await methods({ 'io.modelcontextprotocol/logLevel': 'error' })).toEqual([
      'notifications/message',
      'answer',
    ])
  })

  it('is known by its address over HTTP, and by the id of its request', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const legacy = await send(http.url, { headers, body: request(0, 'tools/call', { name: 'who' }) })
    const modernAnswer = await send(http.url, modern('x', 'tools/call', { name: 'who' }))
    const text = async (response: Response) => {
      const [{ result }] = (await messagesOf(response)) as [{ result: { content: [{ text: string }] } }]
      return JSON.parse(result.content[0].text)
    }
    expect([await text(legacy), await text(modernAnswer)]).toEqual([
      { callId: 0, hasSession: true, callerKey: 'address:127.0.0.1' },
      { callId: 'x', hasSession: false, callerKey: 'address:127.0.0.1' },
    ])
  })

  it('is sent nothing after the answer, and nothing breaks', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const late = { name: 'late', _meta: { progressToken: 1 } }
    const answers = [
      await messagesOf(await send(http.url, { headers, body: request(2, 'tools/call', late) })),
      await messagesOf(await send(http.url, modern(2, 'tools/call', late))),
    ]
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(answers.map((messages) => messages.map(({ id }) => id))).toEqual([[2], [2]])
    expect(http.logger.lines.filter(({ level }) => level === 'error')).toEqual([])
  })
})
