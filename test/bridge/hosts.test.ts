import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/sdk/client/auth.js'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { jwtVerifier, type McpToolBridge } from '../../src/bridge/index.js'
import { AUDIENCE, Issuer } from './auth/issuer.js'
import { CLIENTS } from './fixtures/clients.js'
import {
  bridged,
  INITIALIZE,
  listen,
  messagesOf,
  modern,
  openSession,
  post,
  request,
  send,
} from './fixtures/http-server.js'

type Host = { readonly url: string; readonly close: () => Promise<void> }

const url = (address: unknown, path = '/mcp') => `http://127.0.0.1:${(address as AddressInfo).port}${path}`

async function onExpress(app: express.Express, path: string): Promise<Host> {
  const server = app.listen(0, '127.0.0.1')
  await vi.waitFor(() => expect(server.address()).not.toBeNull())
  return {
    url: url(server.address(), path),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Where clients look for the metadata of a protected resource: its own path comes behind it. */
const METADATA = '/.well-known/oauth-protected-resource'

interface Mount {
  readonly name: string
  readonly path: string
  /** Both places of the bridge: where it serves, and where it says how to get a token. */
  readonly mount: (bridge: McpToolBridge) => Promise<Host>
}

const HOSTS: readonly Mount[] = [
  {
    name: 'node:http',
    path: '/mcp',
    mount: async (bridge) => {
      const server = await listen(bridge.nodeHandler())
      return { url: server.url, close: () => server[Symbol.asyncDispose]() }
    },
  },
  {
    name: 'Express',
    path: '/mcp',
    mount: (bridge) =>
      onExpress(express().all('/mcp', bridge.nodeHandler()).use(METADATA, bridge.nodeHandler()), '/mcp'),
  },
  {
    name: 'Express behind a body parser and a prefix',
    path: '/api/tools',
    mount: (bridge) =>
      onExpress(
        express()
          .use(express.json())
          .use('/api/tools', bridge.nodeHandler())
          .use(METADATA, bridge.nodeHandler()),
        '/api/tools',
      ),
  },
  {
    name: 'Express behind a text parser',
    path: '/mcp',
    mount: (bridge) =>
      onExpress(
        express()
          .use(express.text({ type: '*/*' }))
          .use(['/mcp', METADATA], bridge.nodeHandler()),
        '/mcp',
      ),
  },
  {
    name: 'Fastify',
    path: '/mcp',
    mount: async (bridge) => {
      const app = fastify({ forceCloseConnections: true })
      app.post('/other', async ({ body }) => body)
      await app.register(bridge.fastify(), { prefix: '/mcp' })
      await app.register(bridge.fastify(), { prefix: METADATA })
      await app.listen({ port: 0, host: '127.0.0.1' })
      return { url: url(app.server.address()), close: () => app.close() }
    },
  },
  {
    name: 'Hono',
    path: '/mcp',
    mount: async (bridge) => {
      const app = new Hono()
      app.all('/mcp', (c) => bridge.fetch(c.req.raw, { address: getConnInfo(c).remote.address }))
      app.all(`${METADATA}/*`, (c) => bridge.fetch(c.req.raw, { address: getConnInfo(c).remote.address }))
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
      await vi.waitFor(() => expect(server.address()).not.toBeNull())
      return {
        url: url(server.address()),
        close: async () => {
          if ('closeAllConnections' in server) server.closeAllConnections()
          await new Promise((resolve) => server.close(resolve))
        },
      }
    },
  },
]

describe.each(HOSTS)('$name', ({ path, mount }) => {
  it('serves both eras, streams what comes early, notices who leaves, and lets go', async () => {
    const { bridge, journal, runtime } = await bridged()
    const { url: place, close } = await mount(bridge)
    for (const { connect } of CLIENTS) {
      const client = await connect({ url: place })
      const progress: unknown[] = []
      expect(await client.call('add', { a: 20, b: 22 })).toMatchObject({ structuredContent: { sum: 42 } })
      await client.call('steps', {}, { onprogress: (step) => progress.push(step) })
      expect(progress).toHaveLength(2)
      await client.close()
    }
    expect(bridge.sessionCount).toBe(0)

    const gone = new AbortController()
    const left = send(place, { ...modern(3, 'tools/call', { name: 'wait' }), signal: gone.signal })
    await vi.waitFor(() => expect(journal.started).toEqual([3]))
    gone.abort()
    await expect(left).rejects.toThrow()
    await vi.waitFor(() => expect(journal.aborted).toEqual([3]))

    const headers = await openSession(place)
    const who = await send(place, { headers, body: request(1, 'tools/call', { name: 'who' }) })
    expect(await messagesOf(who)).toMatchObject([
      { result: { content: [{ text: expect.stringContaining('127.0.0.1') }] } },
    ])
    const stream = await send(place, { method: 'GET', headers })
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    await bridge.close()
    expect(await stream.text()).toBe('')
    await close()
    await runtime.close()
  })

  it('lets clients of both eras in by their tokens, and tells others where to get one', async () => {
    await using issuer = await Issuer.start()
    const verifier = jwtVerifier({ issuer: issuer.url, audience: AUDIENCE, jwksUri: issuer.jwksUri })
    const resource = `https://api.example.com${path}`
    const auth = { verifier, resource, authorizationServers: [issuer.url], requiredScopes: ['tools'] }
    const { bridge, runtime } = await bridged({ http: { auth } })
    const { url: place, close } = await mount(bridge)

    const headers = { authorization: `Bearer ${await issuer.token({ claims: { scope: 'tools' } })}` }
    for (const { connect } of CLIENTS) {
      const client = await connect({ url: place, headers })
      expect(JSON.stringify(await client.call('who'))).toContain('alice')
      await client.close()
    }

    const refused = await send(place, { body: INITIALIZE })
    expect([refused.status, extractWWWAuthenticateParams(refused)]).toEqual([
      401,
      { resourceMetadataUrl: new URL(`https://api.example.com${METADATA}${path}`), scope: 'tools' },
    ])
    expect(await discoverOAuthProtectedResourceMetadata(place)).toMatchObject({
      resource,
      authorization_servers: [issuer.url],
    })
    await bridge.close()
    await close()
    await runtime.close()
  })
})

it('leaves the body parser of Fastify’s other routes alone', async () => {
  const { bridge } = await bridged()
  await using app = fastify()
  app.post('/other', async ({ body }) => body)
  await app.register(bridge.fastify(), { prefix: '/mcp' })
  const answer = await app.inject({ method: 'POST', url: '/other', payload: { kept: true } })
  expect(answer.json()).toEqual({ kept: true })
})

describe('fetch', () => {
  it('judges by the host in the URL where no header has it', async () => {
    const { bridge } = await bridged()
    const evil = new Request('http://evil.example.com/mcp', { method: 'POST', body: '{}' })
    expect([(await bridge.fetch(evil)).status, (await bridge.fetch(post(INITIALIZE))).status]).toEqual([
      403, 200,
    ])
  })

  it('takes a body that has been read already', async () => {
    const { bridge } = await bridged()
    const read = post(INITIALIZE)
    const parsedBody = await read.json()
    expect((await bridge.fetch(read, { parsedBody })).status).toBe(200)
  })

  it('gives callers whose address nobody tells one key together, not one that they could choose', async () => {
    const { bridge, logger } = await bridged({ http: { sessions: false } })
    const call = () => bridge.fetch(post(request(1, 'tools/call', { name: 'who' })))
    const answers = [await call(), await call()].map(messagesOf)
    const text = '{"callId":1,"hasSession":false,"callerKey":"address:unknown"}'
    const answer = [{ result: { content: [{ text }] } }]
    expect(await Promise.all(answers)).toMatchObject([answer, answer])
    // Who mounts it so is told, once.
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        fields: {},
        message:
          'bridge.fetch() was given no address: all callers without a principal count as one in quotas',
      },
    ])
  })
})

describe('without sessions', () => {
  it('serves every client, each request alone and as JSON', async () => {
    const { bridge } = await bridged({ http: { sessions: false } })
    await using server = await listen(bridge.nodeHandler())
    for (const { connect } of CLIENTS) {
      const client = await connect({ url: server.url })
      expect(await client.call('add', { a: 20, b: 22 })).toMatchObject({ structuredContent: { sum: 42 } })
      await client.close()
    }
    const alone = await send(server.url, {
      body: request('a', 'tools/call', { name: 'steps', _meta: { progressToken: 1 } }),
    })
    expect([
      alone.headers.get('content-type'),
      alone.headers.get('mcp-session-id'),
      await alone.json(),
    ]).toMatchObject(['application/json', null, { id: 'a', result: { content: [{ text: 'done' }] } }])
    await bridge.close()
  })

  it.each([
    ['GET', { method: 'GET' }, 405],
    ['DELETE', { method: 'DELETE' }, 405],
    ['a client that wants no JSON', { body: request(1, 'ping'), headers: { accept: 'text/html' } }, 406],
    [
      'a revision that nobody speaks',
      { body: request(1, 'ping'), headers: { 'mcp-protocol-version': '1900-01-01' } },
      400,
    ],
    ['a notification', { body: { jsonrpc: '2.0', method: 'notifications/initialized' } }, 202],
    ['a client that takes anything', { body: request(1, 'ping'), headers: { accept: '*/*' } }, 200],
  ])('answers %s with its status', async (_what, raw, status) => {
    const { bridge } = await bridged({ http: { sessions: false } })
    await using server = await listen(bridge.nodeHandler())
    expect((await send(server.url, raw)).status).toBe(status)
    await bridge.close()
  })
})
