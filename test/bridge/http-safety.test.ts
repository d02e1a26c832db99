import { request as nodeRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { McpToolBridge } from '../../src/bridge/index.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { INITIALIZE, messagesOf, modern, openSession, request, send, served } from './fixtures/http-server.js'

let http: Awaited<ReturnType<typeof served>>

const routed = ToolDefinition.builder()
  .name('routed')
  .description('Goes to a region')
  .parameterSchema({ type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } })
  .executor(() => 'done')
  .build()

beforeAll(async () => {
  http = await served(
    {
      http: {
        allowedHosts: ['api.example.com', '10.0.0.7:8080'],
        allowedOrigins: ['https://app.example.com'],
        maxBodyBytes: 1_000,
      },
    },
    [routed],
  )
})

afterAll(() => http[Symbol.asyncDispose]())

/** With a Host header of its own, which fetch does not allow. */
function statusFor(headers: Readonly<Record<string, string | string[]>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const req = nodeRequest(http.url, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
    })
    req.on('response', (res) => {
      res.destroy()
      resolve(res.statusCode)
    })
    req.on('error', reject)
    req.end(JSON.stringify(INITIALIZE))
  })
}

describe('Host and Origin', () => {
  it.each([
    [{ host: 'localhost:3000' }, 200],
    [{ host: 'LOCALHOST' }, 200],
    [{ host: '[::1]:3000' }, 200],
    [{ host: 'api.example.com' }, 200],
    [{ host: 'api.example.com:8443' }, 200],
    [{ host: '10.0.0.7:8080' }, 200],
    [{ host: '10.0.0.7:9090' }, 403],
    [{ host: 'evil.example.com' }, 403],
    [{ host: 'localhost.evil.example.com' }, 403],
    [{ host: 'evil.example.com@localhost' }, 403],
    [{ host: 'localhost/evil' }, 403],
    [{ host: 'localhost', origin: 'http://localhost:5173' }, 200],
    [{ host: 'localhost', origin: 'https://app.example.com' }, 200],
    [{ host: 'localhost', origin: 'https://app.example.com:444' }, 403],
    [{ host: 'localhost', origin: 'http://app.example.com' }, 403],
    [{ host: 'localhost', origin: 'https://evil.example.com' }, 403],
    [{ host: 'localhost', origin: 'http://localhost.evil.example.com' }, 403],
    [{ host: 'localhost', origin: 'null' }, 403],
    [{ host: 'localhost', origin: 'file://localhost' }, 403],
    [{ host: 'localhost', origin: ['http://localhost', 'https://evil.example.com'] }, 403],
    [{ host: 'localhost', 'content-type': ['application/json', 'text/plain'] }, 415],
    [{ host: 'localhost', 'mcp-session-id': ['a', 'b'] }, 200],
  ])('%j is answered with %i', async (headers, status) => {
    expect(await statusFor(headers)).toBe(status)
  })

  it('are looked at before anything else, in both eras and on every method', async () => {
    const origin = { origin: 'https://evil.example.com' }
    const { headers, body } = modern(1, 'tools/list')
    const statuses = [
      await send(http.url, { headers: { ...headers, ...origin }, body }),
      await send(http.url, { method: 'GET', headers: origin }),
      await send(http.url, { method: 'DELETE', headers: origin }),
      await send(http.url, { method: 'OPTIONS', headers: origin }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([403, 403, 403, 403])
  })

  it('are looked at in full: a second one does not hide behind the first', async () => {
    const { port } = new URL(http.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.end('GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example.com\r\nConnection: close\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /)
  })

  it('must be configured with origins, not with names', () => {
    const options = { name: 'x', version: '1', http: { allowedOrigins: ['app.example.com'] } }
    expect(() => new McpToolBridge(http.runtime, options)).toThrow(
      'http.allowedOrigins must hold origins such as "https://app.example.com" (got "app.example.com")',
    )
  })
})

it.each([
  [{ maxBodyBytes: 0 }, 'http.maxBodyBytes must be a whole number from 1 (got 0)'],
  [{ keepAliveMs: -1 }, 'http.keepAliveMs must be a whole number from 0 (got -1)'],
  [{ cors: { origins: [], maxAgeSec: 0.5 } }, 'http.cors.maxAgeSec must be a whole number from 0 (got 0.5)'],
])('%j is no option', (options, message) => {
  expect(() => new McpToolBridge(http.runtime, { name: 'x', version: '1', http: options })).toThrow(message)
})

describe('what is no MCP request', () => {
  it.each([
    ['bad JSON', { body: '{' }, 400, -32700],
    ['an empty body', { body: '', headers: { 'content-type': 'application/json' } }, 400, -32700],
    ['a batch', { body: [request(1, 'ping'), request(2, 'ping')] }, 400, -32600],
    ['a value', { body: '5' }, 400, -32600],
    ['another version of JSON-RPC', { body: { id: 1, method: 'ping' } }, 400, -32600],
    ['the id null', { body: request(null, 'ping') }, 400, -32600],
    [
      'an id that JSON cannot carry',
      { body: '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}' },
      400,
      -32600,
    ],
    ['params that are a list', { body: request(1, 'ping', [1]) }, 400, -32600],
    ['_meta that is none', { body: request(1, 'ping', { _meta: 5 }) }, 400, -32600],
    ['a body over the limit', { body: request(1, 'ping', { pad: 'x'.repeat(1_000) }) }, 413, -32000],
    [
      'another media type',
      { body: '{}', headers: { 'content-type': 'text/plain; a=application/json' } },
      415,
      -32000,
    ],
    ['PUT', { method: 'PUT', body: INITIALIZE }, 405, -32000],
    ['a request without a session', { body: request(1, 'tools/list') }, 400, -32000],
    [
      'a session that does not exist',
      { body: request(1, 'tools/list'), headers: { 'mcp-session-id': 'gone' } },
      404,
      -32001,
    ],
    ['a stream of no session', { method: 'GET', headers: { 'mcp-session-id': 'gone' } }, 404, -32001],
  ])('%s is refused in words of JSON-RPC', async (_what, raw, status, code) => {
    const response = await send(http.url, raw)
    const body = await response.json()
    expect([response.status, body]).toEqual([
      status,
      { jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } },
    ])
  })

  it('says which methods are allowed', async () => {
    const response = await send(http.url, { method: 'PUT', body: INITIALIZE })
    expect(response.headers.get('allow')).toBe('POST, GET, DELETE')
  })

  it('takes JSON with a charset, and in capitals', async () => {
    const types = ['application/json; charset=utf-8', 'APPLICATION/JSON']
    const { headers, body } = modern(1, 'tools/call', { name: 'greet' })
    const responses = await Promise.all(
      types.map((type) => send(http.url, { headers: { ...headers, 'content-type': type }, body })),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
  })

  it('counts the bytes of a body that comes without a length', async () => {
    const chunks = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(' '.repeat(600)))
      },
    })
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: chunks,
      duplex: 'half',
    }
    const response = await fetch(http.url, init as RequestInit).catch((error: unknown) => error)
    // The connection is closed on a client that goes on sending; it may see that before the answer.
    expect(response instanceof Response ? response.status : 413).toBe(413)
  })

  it('refuses headers of 2026-07-28 that disagree with the body', async () => {
    const { body } = modern(1, 'tools/call', { name: 'greet' })
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' }
    const response = await send(http.url, { headers, body })
    expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([
      400, -32020,
    ])
  })

  it('refuses an Mcp-Param header of 2026-07-28 that disagrees with the argument', async () => {
    const { headers, body } = modern(1, 'tools/call', { name: 'routed', arguments: { region: 'eu' } })
    const [wrong, right] = await Promise.all(
      ['us', 'eu'].map((region) =>
        send(http.url, { headers: { ...headers, 'mcp-param-region': region }, body }),
      ),
    )
    expect([wrong?.status, right?.status]).toEqual([400, 200])
  })

  it('refuses a revision that nobody speaks, in each era', async () => {
    const headers = await openSession(http.url)
    const old = await send(http.url, {
      headers: { ...headers, 'mcp-protocol-version': '1900-01-01' },
      body: request(2, 'ping'),
    })
    const future = await send(http.url, {
      headers: { 'mcp-protocol-version': '2099-01-01' },
      body: request(2, 'ping'),
    })
    expect([old.status, future.status]).toEqual([400, 400])
  })

  it('lets a client that asks for the new era begin in the old one', async () => {
    const discovered = await send(http.url, modern(1, 'server/discover'))
    const [{ result }] = (await messagesOf(discovered)) as [{ result: { supportedVersions: string[] } }]
    const [answer] = await messagesOf(await send(http.url, { body: INITIALIZE }))
    expect([result.supportedVersions, answer]).toMatchObject([
      ['2026-07-28'],
      { result: { protocolVersion: '2025-11-25' } },
    ])
  })
})

describe('Accept', () => {
  const both = 'The client must accept application/json and text/event-stream'
  const call = (
    accept: string,
    raw: { readonly headers?: object; readonly body?: unknown } = { body: INITIALIZE },
  ) => send(http.url, { ...raw, headers: { ...raw.headers, accept } })

  it.each([
    ['application/json, text/event-stream', 200],
    ['text/event-stream;q=0.5,APPLICATION/JSON;charset=utf-8', 200],
    ['*/*', 200],
    ['application/*, text/*', 200],
    ['text/html, */*;q=0.1', 200],
    ['application/json', 406],
    ['text/event-stream', 406],
    ['text/html', 406],
    ['application/jsonp, text/event-stream', 406],
    ['application/json;q=0, */*', 406],
    ['application/json, text/event-stream;q=0.0', 406],
    ['', 406],
  ])('%j is answered with %i, in both eras', async (accept, status) => {
    const answers = [await call(accept), await call(accept, modern(1, 'tools/list'))]
    expect(answers.map((answer) => answer.status)).toEqual([status, status])
    const [old] = answers
    if (status === 406) {
      expect(await old?.json()).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32000, message: both } })
    }
  })

  it('need not be sent: a client that says nothing takes anything', async () => {
    const response = await http.bridge.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(INITIALIZE),
      }),
    )
    expect(response.status).toBe(200)
  })

  it('of a client that wants a stream must take one', async () => {
    const headers = await openSession(http.url)
    const get = (accept: string) => send(http.url, { method: 'GET', headers: { ...headers, accept } })
    const refused = await get('application/json')
    expect([refused.status, await refused.json()]).toEqual([
      406,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32000, message: 'The client must accept text/event-stream' },
      },
    ])
    const taken = await get('text/*')
    expect(taken.status).toBe(200)
    await taken.body?.cancel()
  })
})

describe('while the bridge closes', () => {
  it('what is running may be cancelled, and nothing begins', async () => {
    await using closing = await served()
    const headers = await openSession(closing.url)
    const running = send(closing.url, { headers, body: request(2, 'tools/call', { name: 'wait' }) })
    await vi.waitFor(() => expect(closing.journal.started).toEqual([2]))
    const closed = closing.bridge.close()
    const refused = [
      await send(closing.url, { body: INITIALIZE }),
      await send(closing.url, { headers, body: request(3, 'ping') }),
      await send(closing.url, { headers, method: 'GET' }),
      await send(closing.url, modern(4, 'tools/list')),
    ]
    expect(refused.map((answer) => [answer.status, answer.headers.get('retry-after')])).toEqual(
      Array(4).fill([503, '5']),
    )
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }
    expect((await send(closing.url, { headers, body: cancel })).status).toBe(202)
    expect(await messagesOf(await running)).toEqual([])
    await closed
    const after = await send(closing.url, { headers, method: 'DELETE' })
    expect([closing.journal.aborted, after.status, after.headers.get('retry-after')]).toEqual([[2], 503, '5'])
  })
})
