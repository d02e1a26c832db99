import { describe, expect, it } from 'vitest'
import type { McpAuthOptions } from '../../../src/bridge/index.js'
import { bridged, send, served } from '../fixtures/http-server.js'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

function http(resource: string, more: Partial<McpAuthOptions> = {}) {
  const verifier = { verify: () => Promise.reject(new Error('nobody is asked')) }
  const auth = { verifier, resource, authorizationServers: ['https://login.example.com/t/1'], ...more }
  return { http: { auth } }
}

describe('the metadata of a protected resource', () => {
  it('says all that a client needs to get a token', async () => {
    const { bridge } = await bridged(
      http('https://api.example.com/mcp', {
        requiredScopes: ['read'],
        scopesSupported: ['read', 'write'],
        resourceName: 'Weather',
        resourceDocumentation: 'https://example.com/docs',
      }),
    )
    const response = await bridge.fetch(new Request(`https://api.example.com${WELL_KNOWN}/mcp`))
    expect([response.status, Object.fromEntries(response.headers), await response.json()]).toEqual([
      200,
      {
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=3600',
        'content-type': 'application/json',
      },
      {
        resource: 'https://api.example.com/mcp',
        authorization_servers: ['https://login.example.com/t/1'],
        scopes_supported: ['read', 'write'],
        bearer_methods_supported: ['header'],
        resource_name: 'Weather',
        resource_documentation: 'https://example.com/docs',
      },
    ])
  })

  it('names the scopes that are required, and nothing that nobody has said', async () => {
    const { bridge } = await bridged(http('https://api.example.com', { requiredScopes: ['read'] }))
    const response = await bridge.fetch(new Request(`https://api.example.com${WELL_KNOWN}`))
    expect(await response.json()).toEqual({
      resource: 'https://api.example.com',
      authorization_servers: ['https://login.example.com/t/1'],
      scopes_supported: ['read'],
      bearer_methods_supported: ['header'],
    })
  })

  // RFC 9728 section 3.1
  it.each([
    ['https://api.example.com', `https://api.example.com${WELL_KNOWN}`],
    ['https://api.example.com/', `https://api.example.com${WELL_KNOWN}`],
    ['https://api.example.com/mcp', `https://api.example.com${WELL_KNOWN}/mcp`],
    ['https://api.example.com/a/b/', `https://api.example.com${WELL_KNOWN}/a/b/`],
    ['https://api.example.com:8443/mcp?v=2', `https://api.example.com:8443${WELL_KNOWN}/mcp?v=2`],
    ['http://127.0.0.1:3000/mcp', `http://127.0.0.1:3000${WELL_KNOWN}/mcp`],
  ])('of %s is where a challenge says', async (resource, url) => {
    const { bridge } = await bridged(http(resource))
    const challenge = (await bridge.fetch(new Request(resource))).headers.get('www-authenticate')
    const found = await bridge.fetch(new Request(url))
    expect([challenge, await found.json()]).toMatchObject([`Bearer resource_metadata="${url}"`, { resource }])
  })

  it('is found at the root and under the path of the resource, with a slash or without, and nowhere else', async () => {
    await using server = await served(http('https://api.example.com/tools/mcp'))
    const status = async (path: string, method = 'GET') =>
      (await send(new URL(path, server.url).href, { method })).status
    expect([
      await status(WELL_KNOWN),
      await status(`${WELL_KNOWN}/`),
      await status(`${WELL_KNOWN}/tools/mcp`),
      await status(`${WELL_KNOWN}/tools/mcp/?v=1`),
      await status(`${WELL_KNOWN}/mcp`),
      await status(`${WELL_KNOWN}/tools`),
      await status(`${WELL_KNOWN}-x`),
      await status(`/tools/mcp${WELL_KNOWN}`),
      await status(WELL_KNOWN, 'POST'),
    ]).toEqual([200, 200, 200, 200, 404, 404, 401, 401, 405])
  })

  it('can be asked for without its body, and says by which methods', async () => {
    await using server = await served(http('https://api.example.com/mcp'))
    const url = new URL(WELL_KNOWN, server.url).href
    const head = await send(url, { method: 'HEAD' })
    const post = await send(url, { body: {} })
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'application/json',
      '',
    ])
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('is read by any web page, also with headers of its own, but under no foreign name', async () => {
    await using server = await served(http('https://api.example.com/mcp'))
    const url = new URL(WELL_KNOWN, server.url).href
    const origin = { origin: 'https://inspector.example.com' }
    const preflight = await send(url, {
      method: 'OPTIONS',
      headers: {
        ...origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    })
    const read = await send(url, { method: 'GET', headers: origin })
    const rebound = await server.bridge.fetch(new Request(`http://evil.example.com${WELL_KNOWN}`))
    expect([preflight.status, read.status, rebound.status]).toEqual([204, 200, 403])
    expect([preflight, read].map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([
      '*',
      '*',
    ])
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version')
  })

  it('is nowhere, where nothing is protected', async () => {
    await using server = await served()
    const response = await send(new URL(`${WELL_KNOWN}/mcp`, server.url).href, { method: 'GET' })
    expect(response.status).toBe(404)
  })
})
