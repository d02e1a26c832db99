import { request as nodeRequest } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { sdkRequest } from '../../../src/bridge/http-request.js'
import type { McpAuthOptions, McpToolBridgeOptions, TokenVerifier } from '../../../src/bridge/index.js'
import { McpToolBridge } from '../../../src/bridge/index.js'
import { WebArrival } from '../../../src/bridge/web-http.js'
import { Principal } from '../../../src/registry/principal.js'
import { OverloadedError, UnauthenticatedError } from '../../../src/registry/tool-error.js'
import { tool } from '../../runtime/runtime-fixture.js'
import {
  bridged,
  INITIALIZE,
  messagesOf,
  modern,
  openSession,
  post,
  request,
  send,
  served,
} from '../fixtures/http-server.js'

const RESOURCE = 'https://api.example.com/mcp'
const METADATA = 'resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"'

/** A token is the name of its bearer, and after a colon its scopes. */
const byName: TokenVerifier = {
  verify: async (token) => {
    const [subject = '', scopes = ''] = token.split('~')
    if (subject === 'bad') throw new UnauthenticatedError()
    return new Principal({ subject, scopes: scopes.split('+').filter(Boolean) })
  },
}

function protectedBy(
  verifier: TokenVerifier = byName,
  auth: Partial<McpAuthOptions> = {},
): Partial<McpToolBridgeOptions> {
  const authorizationServers = ['https://login.example.com']
  return { http: { auth: { verifier, resource: RESOURCE, authorizationServers, ...auth } } }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a request without a good token', () => {
  it.each<[string, Record<string, string>, number, string]>([
    ['none', {}, 401, `Bearer scope="read write", ${METADATA}`],
    [
      'another scheme',
      { authorization: 'Basic YWxpY2U6eA==' },
      401,
      `Bearer scope="read write", ${METADATA}`,
    ],
    ['a scheme alone', { authorization: 'Bearer' }, 401, `Bearer scope="read write", ${METADATA}`],
    [
      'a bad one',
      bearer('bad'),
      401,
      `Bearer error="invalid_token", error_description="The access token is not valid", scope="read write", ${METADATA}`,
    ],
    [
      'what cannot be one',
      bearer('alice bob'),
      401,
      `Bearer error="invalid_token", error_description="The access token is not valid", scope="read write", ${METADATA}`,
    ],
    [
      'two',
      { authorization: 'Bearer alice~read+write, Bearer bob~read+write' },
      400,
      `Bearer error="invalid_request", error_description="There must be one Authorization header, with one token", scope="read write", ${METADATA}`,
    ],
    [
      'too little of a good one',
      bearer('alice~read'),
      403,
      `Bearer error="insufficient_scope", error_description="The access token lacks a scope that is needed", scope="read write", ${METADATA}`,
    ],
  ])('is told what it needs: %s', async (_what, headers, status, challenge) => {
    await using http = await served(protectedBy(byName, { requiredScopes: ['read', 'write'] }))
    const response = await send(http.url, { headers, body: INITIALIZE })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([status, challenge])
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: status === 400 ? -32600 : -32000, message: expect.any(String) },
    })
  })

  it('is refused on every verb and each message, also in a session of somebody who had one', async () => {
    await using http = await served(protectedBy())
    const opened = await send(http.url, { headers: bearer('alice'), body: INITIALIZE })
    await opened.text()
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const statuses = [
      await send(http.url, { headers, body: request(2, 'tools/list') }),
      await send(http.url, { headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } }),
      await send(http.url, { headers, method: 'GET' }),
      await send(http.url, { headers, method: 'DELETE' }),
      await send(http.url, modern(1, 'tools/list')),
      await send(http.url, modern(1, 'server/discover')),
      await send(http.url, { body: '{', headers: { 'content-type': 'text/plain' } }),
    ].map(({ status }) => status)
    expect([statuses, http.bridge.sessionCount]).toEqual([Array(7).fill(401), 1])
  })

  it('is refused with a token in the URL', async () => {
    await using http = await served(protectedBy())
    const response = await send(`${http.url}?access_token=alice`, { body: INITIALIZE })
    expect(response.status).toBe(401)
  })

  it('is refused with two headers, whichever of them is good', async () => {
    await using http = await served(protectedBy())
    const status = (tokens: readonly string[]) =>
      new Promise((resolve, reject) => {
        const req = nodeRequest(http.url, { method: 'POST' })
        req.setHeader(
          'authorization',
          tokens.map((token) => `Bearer ${token}`),
        )
        req.on('response', (res) => {
          res.resume()
          resolve(res.statusCode)
        })
        req.on('error', reject)
        req.end(JSON.stringify(INITIALIZE))
      })
    expect([await status(['alice', 'bob']), await status(['alice', 'bad'])]).toEqual([400, 400])
  })

  it('is refused before its body is read', async () => {
    await using http = await served(protectedBy())
    const status = await new Promise((resolve, reject) => {
      const req = nodeRequest(http.url, { method: 'POST', headers: { 'content-type': 'application/json' } })
      req.on('response', (res) => {
        res.resume()
        resolve(res.statusCode)
        req.destroy()
      })
      req.on('error', reject)
      req.write('{') // and it never ends
    })
    expect(status).toBe(401)
  })
})

describe('a request with a good token', () => {
  it('is one of its bearer, in both eras, whatever the case of the scheme', async () => {
    await using http = await served(protectedBy())
    const who = { name: 'who' }
    const opened = await send(http.url, { headers: { authorization: 'bEaReR  alice' }, body: INITIALIZE })
    await opened.text()
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', ...bearer('alice') }
    const old = await send(http.url, { headers: session, body: request(2, 'tools/call', who) })
    const { headers, body } = modern(3, 'tools/call', who)
    const recent = await send(http.url, { headers: { ...headers, ...bearer('bob') }, body })
    const text = (subject: string) =>
      expect.stringContaining(`"callerKey":"principal:[null,\\"${subject}\\"]"`)
    expect([await messagesOf(old), await messagesOf(recent)]).toMatchObject([
      [{ result: { content: [{ text: text('alice') }] } }],
      [{ result: { content: [{ text: text('bob') }] } }],
    ])
  })

  it('is one of its bearer without sessions', async () => {
    await using http = await served({ http: { ...protectedBy().http, sessions: false } })
    const body = request(2, 'tools/call', { name: 'who' })
    const answers = await Promise.all(
      ['alice', 'bob'].map(async (name) => messagesOf(await send(http.url, { headers: bearer(name), body }))),
    )
    expect(answers.map(([answer]) => JSON.stringify(answer))).toEqual([
      expect.stringContaining('alice'),
      expect.stringContaining('bob'),
    ])
  })

  it('is let in by the name of the resource', async () => {
    const { bridge } = await bridged(protectedBy())
    const call = new Request('https://api.example.com/mcp', post(INITIALIZE, bearer('alice')))
    expect((await bridge.fetch(call)).status).toBe(200)
  })

  it('has the scopes of its own token, not of the one that opened the session', async () => {
    const seen: (readonly string[] | undefined)[] = []
    const spy = tool('spy', ({ principal }) => {
      seen.push(principal?.scopes)
    })
    await using http = await served(protectedBy(), [spy])
    const session = await openSession(http.url, bearer('alice~read+write'))
    const call = (token: string) =>
      send(http.url, {
        headers: { ...session, ...bearer(token) },
        body: request(token, 'tools/call', { name: 'spy' }),
      })
    await (await call('alice~read')).text()
    await (await call('alice')).text()
    expect(seen).toEqual([['read'], []])
  })
})

describe('a verifier that cannot tell', () => {
  const failing = (thrown: unknown): TokenVerifier => ({ verify: () => Promise.reject(thrown) })

  it.each<[string, TokenVerifier, string]>([
    ['rejects with something else', failing(new Error('down')), '5'],
    ['says when to come back', failing(new OverloadedError('issuer', 30_500)), '31'],
    ['rejects with nothing', failing(undefined), '5'],
    [
      'throws at once',
      {
        verify: () => {
          throw new TypeError('down')
        },
      },
      '5',
    ],
    ['returns no principal', { verify: async () => ({ subject: 'alice', key: 'x' }) as never }, '5'],
    ['returns nothing', { verify: async () => undefined as never }, '5'],
  ])('lets nobody in, and makes nobody throw a token away: it %s', async (_what, verifier, retryAfter) => {
    await using http = await served(protectedBy(verifier))
    const response = await send(http.url, { headers: bearer('alice'), body: INITIALIZE })
    const errors = http.logger.lines.filter(({ level }) => level === 'error')
    expect([
      response.status,
      response.headers.get('retry-after'),
      response.headers.get('www-authenticate'),
      errors.map(({ message }) => message),
    ]).toEqual([503, retryAfter, null, ['MCP request refused: it cannot be told who sent it']])
  })

  it('is not waited for longer than it may take', async () => {
    let given: AbortSignal | undefined
    const verifier: TokenVerifier = {
      verify: (_token, { signal }) => {
        given = signal
        return new Promise(() => undefined)
      },
    }
    await using http = await served(protectedBy(verifier, { verifyTimeoutMs: 20 }))
    const response = await send(http.url, { headers: bearer('alice'), body: INITIALIZE })
    expect([response.status, given?.aborted]).toEqual([503, true])
    expect(http.logger.lines.at(-1)?.fields).toMatchObject({ err: { message: 'No answer within 20 ms' } })
  })

  it('hears that the client is gone', async () => {
    let given: AbortSignal | undefined
    const verifier: TokenVerifier = {
      verify: (_token, { signal }) => {
        given = signal
        return new Promise(() => undefined)
      },
    }
    await using http = await served(protectedBy(verifier))
    const gone = new AbortController()
    const left = send(http.url, { headers: bearer('alice'), body: INITIALIZE, signal: gone.signal })
    await vi.waitFor(() => expect(given).toBeDefined())
    gone.abort()
    await expect(left).rejects.toThrow()
    await vi.waitFor(() => expect(given?.aborted).toBe(true))
    expect(http.logger.lines.filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('the text of a token', () => {
  const TOKEN = 'S3cr3t-0paque.token~of/alice+1=='

  it('reaches neither a log nor an answer, although the verifier puts it into its errors', async () => {
    const thrown = [
      new UnauthenticatedError(`unknown token ${TOKEN}`),
      new Error(`GET /introspect?token=${TOKEN}`, {
        cause: Object.assign(new Error(TOKEN), { body: { t: TOKEN } }),
      }),
      TOKEN,
    ]
    const verifier: TokenVerifier = { verify: () => Promise.reject(thrown.shift()) }
    await using http = await served(protectedBy(verifier))
    const answers: string[] = []
    while (thrown.length > 0) {
      const response = await send(http.url, { headers: bearer(TOKEN), body: INITIALIZE })
      answers.push(JSON.stringify([...response.headers]) + (await response.text()))
    }
    expect(http.logger.lines.map(({ level }) => level)).toEqual(expect.arrayContaining(['debug', 'error']))
    expect(JSON.stringify([http.logger.lines, answers])).not.toContain('S3cr3t')
  })

  it('stays out of what an SDK is given, with the other credentials', () => {
    const headers = { ...bearer(TOKEN), cookie: 'a=b', 'mcp-session-id': 'kept' }
    const given = sdkRequest(new WebArrival(post(INITIALIZE, headers), {}))
    expect([...given.headers]).toEqual([
      ['accept', 'application/json, text/event-stream'],
      ['content-type', 'application/json'],
      ['mcp-session-id', 'kept'],
    ])
  })
})

describe('a configuration that makes no sense', () => {
  it.each<[string, Partial<McpAuthOptions>, string]>([
    ['no verifier', { verifier: {} as never }, 'http.auth.verifier must be a TokenVerifier'],
    ['a resource without a host', { resource: '/mcp' }, 'http.auth.resource must be an absolute URL'],
    [
      'a resource with a fragment',
      { resource: `${RESOURCE}#x` },
      'http.auth.resource must be an absolute URL',
    ],
    ['a resource of another kind', { resource: 'urn:mcp' }, 'http.auth.resource must be an absolute URL'],
    ['no issuer', { authorizationServers: [] }, 'http.auth.authorizationServers must name at least one'],
    ['an issuer that is no URL', { authorizationServers: ['login'] }, '(got "login")'],
    [
      'no time to verify',
      { verifyTimeoutMs: 0 },
      'http.auth.verifyTimeoutMs must be a whole number from 1 (got 0)',
    ],
    ['two scopes in one', { requiredScopes: ['read write'] }, '(got "read write")'],
    ['a scope that breaks the header', { scopesSupported: ['a"b'] }, String.raw`(got "a\"b")`],
  ])('is refused: %s', async (_what, auth, message) => {
    const { runtime } = await bridged()
    const options = { name: 'x', version: '1', ...protectedBy(byName, auth) }
    expect(() => new McpToolBridge(runtime, options)).toThrow(message)
  })
})
