import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { McpToolBridge } from '../../src/bridge/index.js'
import { INITIALIZE, modern, openSession, request, send, served } from './fixtures/http-server.js'

const APP = { origin: 'https://app.example.com' }
const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,mcp-protocol-version,Mcp-Param-Region,x-other',
}

let http: Awaited<ReturnType<typeof served>>
let without: Awaited<ReturnType<typeof served>>

beforeAll(async () => {
  http = await served({ http: { cors: { origins: [APP.origin] } } })
  without = await served({ http: { allowedOrigins: [APP.origin] } })
})
afterAll(async () => {
  await http[Symbol.asyncDispose]()
  await without[Symbol.asyncDispose]()
})

/** What a browser looks at. */
function corsOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-')),
  )
}

const READABLE = {
  'access-control-allow-origin': APP.origin,
  'access-control-expose-headers': 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After',
  vary: 'Origin',
}

describe('a page that may read', () => {
  it('is told so before it calls', async () => {
    const response = await send(http.url, { method: 'OPTIONS', headers: { ...APP, ...PREFLIGHT } })
    expect([response.status, await response.text(), corsOf(response)]).toEqual([
      204,
      '',
      {
        ...READABLE,
        'access-control-allow-methods': 'GET, POST, DELETE',
        'access-control-allow-headers':
          'accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, mcp-param-region',
        'access-control-max-age': '600',
      },
    ])
  })

  it('reads every answer: results, streams, refusals', async () => {
    const session = await openSession(http.url)
    const headers = { ...session, ...APP }
    const answers = [
      await send(http.url, { headers: APP, body: INITIALIZE }),
      await send(http.url, {
        ...modern(1, 'tools/list'),
        headers: { ...modern(1, 'tools/list').headers, ...APP },
      }),
      await send(http.url, { headers, method: 'GET' }),
      await send(http.url, { headers: APP, body: request(1, 'ping') }),
      await send(http.url, { headers: { ...APP, 'mcp-session-id': 'gone' }, body: request(1, 'ping') }),
      await send(http.url, { headers: { ...APP, 'content-type': 'text/plain' }, body: '{}' }),
      await send(http.url, { headers: APP, body: '{' }),
      await send(http.url, { headers: APP, method: 'PUT', body: '{}' }),
      await send(http.url, { headers, method: 'DELETE' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 404, 415, 400, 405, 200])
    expect(answers.map(corsOf)).toEqual(Array(9).fill(READABLE))
    for (const { body } of answers) await body?.cancel()
  })

  it('reads that it must authenticate', async () => {
    const verifier = { verify: () => Promise.reject(new Error('nobody is asked')) }
    const auth = {
      verifier,
      resource: 'https://api.example.com/mcp',
      authorizationServers: ['https://login.example.com'],
    }
    await using guarded = await served({ http: { auth, cors: { origins: [APP.origin] } } })
    const preflight = await send(guarded.url, { method: 'OPTIONS', headers: { ...APP, ...PREFLIGHT } })
    const refused = await send(guarded.url, { headers: APP, body: INITIALIZE })
    expect([preflight.status, refused.status, corsOf(refused)]).toEqual([204, 401, READABLE])
  })

  it('may send cookies along where that is asked for', async () => {
    await using own = await served({
      http: { cors: { origins: [APP.origin], credentials: true, maxAgeSec: 5 } },
    })
    const response = await send(own.url, { method: 'OPTIONS', headers: { ...APP, ...PREFLIGHT } })
    expect(corsOf(response)).toMatchObject({
      'access-control-allow-credentials': 'true',
      'access-control-allow-origin': APP.origin,
      'access-control-max-age': '5',
    })
  })
})

describe('another page', () => {
  it('is refused, and cannot read that it is', async () => {
    const evil = { origin: 'https://evil.example.com' }
    const answers = [
      await send(http.url, { method: 'OPTIONS', headers: { ...evil, ...PREFLIGHT } }),
      await send(http.url, { headers: evil, body: INITIALIZE }),
      await send(http.url, { headers: { origin: `${APP.origin}.evil.example.com` }, body: INITIALIZE }),
      await send(http.url, { headers: { origin: 'null' }, body: INITIALIZE }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(answers.map(corsOf)).toEqual(Array(4).fill({ vary: 'Origin' }))
  })

  it('may call from this machine, as ever, but not read', async () => {
    const local = { origin: 'http://localhost:5173' }
    const called = await send(http.url, { headers: local, body: INITIALIZE })
    const preflight = await send(http.url, { method: 'OPTIONS', headers: { ...local, ...PREFLIGHT } })
    expect([called.status, preflight.status]).toEqual([200, 405])
    expect([called, preflight].map(corsOf)).toEqual(Array(2).fill({ vary: 'Origin' }))
  })
})

it('is off unless asked for', async () => {
  const preflight = await send(without.url, { method: 'OPTIONS', headers: { ...APP, ...PREFLIGHT } })
  const called = await send(without.url, { headers: APP, body: INITIALIZE })
  expect([preflight.status, preflight.headers.get('allow'), called.status]).toEqual([
    405,
    'POST, GET, DELETE',
    200,
  ])
  expect([preflight, called].map(corsOf)).toEqual([{}, {}])
})

it('answers an OPTIONS that is no preflight like any other method that is not served', async () => {
  expect((await send(http.url, { method: 'OPTIONS', headers: APP })).status).toBe(405)
})

describe('any page', () => {
  it('may call and read where all are let in, without cookies', async () => {
    await using open = await served({ http: { cors: { origins: ['*'] } } })
    const preflight = await send(open.url, {
      method: 'OPTIONS',
      headers: { origin: 'https://anybody.example.com', ...PREFLIGHT },
    })
    const sandboxed = await send(open.url, { headers: { origin: 'null' }, body: INITIALIZE })
    expect([preflight.status, sandboxed.status]).toEqual([204, 200])
    expect(corsOf(sandboxed)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': READABLE['access-control-expose-headers'],
    })
  })

  it.each<[string, object, string]>([
    ['with cookies', { origins: ['*'], credentials: true }, "any page could act with its visitor's cookies"],
    [
      'by a name that is no origin',
      { origins: ['app.example.com'] },
      'http.cors.origins must hold origins such as "https://app.example.com" (got "app.example.com")',
    ],
  ])('is not let in %s', (_what, cors, message) => {
    const options = { name: 'x', version: '1', http: { cors: cors as never } }
    expect(() => new McpToolBridge(http.runtime, options)).toThrow(message)
  })
})
