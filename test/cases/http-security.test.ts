import { describe, expect, it } from 'vitest'
import { jwtVerifier } from '../../src/bridge/index.js'
import { AUDIENCE, Issuer } from '../bridge/auth/issuer.js'
import {
  INITIALIZE,
  messagesOf,
  modern,
  openSession,
  request,
  send,
  served,
} from '../bridge/fixtures/http-server.js'
import { tool } from '../runtime/runtime-fixture.js'

describe('cases of security over HTTP', () => {
  it('HTTP-09: a page of elsewhere is refused before any handler, on every verb; one of this machine is not', async () => {
    const called: string[] = []
    const spy = tool('spy', () => {
      called.push('spy')
    })
    await using http = await served({}, [spy])
    const port = new URL(http.url).port
    const from = (origin?: string) => (origin === undefined ? {} : { origin })
    const evil = from('https://evil.example.test')
    const call = modern(1, 'tools/call', { name: 'spy' })
    const statuses = [
      await send(http.url, { headers: evil, body: INITIALIZE }),
      await send(http.url, { ...call, headers: { ...call.headers, ...evil } }),
      await send(http.url, { headers: evil, method: 'GET' }),
      await send(http.url, { headers: evil, method: 'DELETE' }),
      await send(http.url, { headers: evil, method: 'OPTIONS' }),
      await send(http.url, { headers: from(), body: INITIALIZE }),
      await send(http.url, { headers: from(`http://localhost:${port}`), body: INITIALIZE }),
    ].map(({ status }) => status)
    expect([statuses, called]).toEqual([[403, 403, 403, 403, 403, 200, 200], []])
  })

  it('HTTP-11: a session is of whom it was opened by: another token finds none, and leaves it as it was', async () => {
    await using issuer = await Issuer.start()
    const verifier = jwtVerifier({ issuer: issuer.url, audience: AUDIENCE, jwksUri: issuer.jwksUri })
    await using http = await served({
      http: { auth: { verifier, resource: AUDIENCE, authorizationServers: [issuer.url] } },
    })
    const bearer = async (sub: string) => ({
      authorization: `Bearer ${await issuer.token({ claims: { sub } })}`,
    })
    const alice = await openSession(http.url, await bearer('alice'))
    const bob = { ...alice, ...(await bearer('bob')) }
    const nobody = { 'mcp-session-id': alice['mcp-session-id'] ?? '' }
    const body = request(2, 'tools/call', { name: 'who' })
    const statuses = [
      await send(http.url, { headers: bob, body }),
      await send(http.url, { headers: bob, method: 'GET' }),
      await send(http.url, { headers: bob, method: 'DELETE' }),
      await send(http.url, { headers: nobody, body }),
    ].map(({ status }) => status)
    const own = await messagesOf(
      await send(http.url, { headers: { ...alice, ...(await bearer('alice')) }, body }),
    )
    expect([statuses, http.bridge.sessionCount]).toEqual([[404, 404, 404, 401], 1])
    expect(JSON.stringify(own)).toContain('alice')
  })

  it('HTTP-14: media types are read as such, and what a client must accept is said', async () => {
    await using http = await served()
    const status = async (headers: Record<string, string>) =>
      (await send(http.url, { headers, body: INITIALIZE })).status
    expect([
      await status({ 'content-type': 'text/plain; a=application/json' }),
      await status({ 'content-type': 'application/json; charset=utf-8' }),
      await status({ 'content-type': 'APPLICATION/JSON' }),
      await status({ accept: '*/*' }),
      await status({ accept: 'text/event-stream, application/json' }),
    ]).toEqual([415, 200, 200, 200, 200])
    const refused = await send(http.url, { headers: { accept: 'application/json' }, body: INITIALIZE })
    expect([refused.status, await refused.json()]).toEqual([
      406,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32000, message: 'The client must accept application/json and text/event-stream' },
      },
    ])
  })

  it('HTTP-16: headers of 2026-07-28 that disagree with the body, or lack, keep the call from running', async () => {
    const dropped: string[] = []
    const drop = tool('drop', () => {
      dropped.push('drop')
    })
    await using http = await served({}, [drop])
    const { headers: right = {}, body } = modern(1, 'tools/call', { name: 'drop' })
    const { 'mcp-name': _name, ...unnamed } = right
    const { 'mcp-protocol-version': _version, ...unversioned } = right
    const codeOf = async (headers: Readonly<Record<string, string>>) => {
      const response = await send(http.url, { headers, body })
      const answer = (await response.json()) as { error?: { code: number } }
      return [response.status, answer.error?.code]
    }
    expect([
      await codeOf({ ...right, 'mcp-name': 'list' }),
      await codeOf(unnamed),
      await codeOf(unversioned),
      [...dropped],
      await codeOf({ ...right, 'mcp-name': '=?base64?ZHJvcA==?=' }),
      dropped,
    ]).toEqual([[400, -32020], [400, -32020], [400, -32020], [], [200, undefined], ['drop']])
  })

  it('HTTP-18: with CORS a browser client reads the session and every refusal; without, nothing', async () => {
    const app = { origin: 'https://app.example.com' }
    const asks = {
      ...app,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'mcp-protocol-version,mcp-session-id,authorization,last-event-id',
    }
    await using http = await served({ http: { cors: { origins: [app.origin] } } })
    const preflight = await send(http.url, { method: 'OPTIONS', headers: asks })
    const opened = await send(http.url, { headers: app, body: INITIALIZE })
    const refused = [
      await send(http.url, { headers: app, method: 'GET' }),
      await send(http.url, { headers: { ...app, 'mcp-session-id': 'gone' }, method: 'DELETE' }),
    ]
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ')
    expect(preflight.status).toBe(204)
    expect(allowed).toEqual(expect.arrayContaining(asks['access-control-request-headers'].split(',')))
    expect(opened.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id')
    expect(
      [opened, ...refused].map(({ status, headers }) => [status, headers.get('access-control-allow-origin')]),
    ).toEqual([
      [200, app.origin],
      [400, app.origin],
      [404, app.origin],
    ])

    await using without = await served()
    const closed = await send(without.url, {
      method: 'OPTIONS',
      headers: { ...asks, origin: 'http://localhost' },
    })
    expect([closed.status, closed.headers.get('access-control-allow-origin')]).toEqual([405, null])
  })

  it('HTTP-19: events arrive as they are sent, and say to what stands between to pass them on', async () => {
    let goOn = () => {}
    const heard = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const slow = tool('slow', async ({ progress }) => {
      progress(1)
      await heard
      progress(2)
      return 'done'
    })
    await using http = await served({ http: { keepAliveMs: 10 } }, [slow])
    const headers = await openSession(http.url)
    const call = request(2, 'tools/call', { name: 'slow', _meta: { progressToken: 1 } })
    const response = await send(http.url, { headers, body: call })
    expect([response.headers.get('x-accel-buffering'), response.headers.get('cache-control')]).toEqual([
      'no',
      'no-cache, no-transform',
    ])
    let seen = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      seen += chunk
      // The tool goes on once its first step, and a comment while it was silent, have come.
      if (seen.includes('"progress":1') && seen.includes(': keepalive')) goOn()
    }
    expect(seen).toMatch(/"progress":1[\s\S]*: keepalive[\s\S]*"progress":2[\s\S]*"text":"done"/)
  })
})
