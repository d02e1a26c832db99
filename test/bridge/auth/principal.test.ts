import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import express from 'express'
import fastify, { type FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { Principal } from '../../../src/registry/principal.js'
import { ForbiddenError, UnauthenticatedError } from '../../../src/registry/tool-error.js'
import { CLIENTS } from '../fixtures/clients.js'
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
} from '../fixtures/http-server.js'

const alice = new Principal({ subject: 'alice', tenant: 'acme' })
const KEY = String.raw`"callerKey":"principal:[\"acme\",\"alice\"]"`
const ANONYMOUS = '"callerKey":"address:127.0.0.1"'
const who = { name: 'who' }

const textOf = async (response: Response) =>
  JSON.parse(JSON.stringify(await messagesOf(response)))[0]?.result?.content[0].text as string

describe('the caller that the service around the bridge knows', () => {
  it('calls, over fetch, in both eras', async () => {
    const { bridge } = await bridged()
    const opened = await bridge.fetch(post(INITIALIZE), { principal: alice })
    await opened.text()
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const { headers, body } = modern(2, 'tools/call', who)
    const answers = [
      await bridge.fetch(post(request(2, 'tools/call', who), session), { principal: alice }),
      await bridge.fetch(post(body, headers), { principal: alice }),
    ]
    expect(await Promise.all(answers.map(textOf))).toEqual([
      expect.stringContaining(KEY),
      expect.stringContaining(KEY),
    ])
    await bridge.close()
  })

  it('calls, over node:http, and is asked for with each request', async () => {
    const { bridge } = await bridged()
    const principal = (req: IncomingMessage) => (req.headers['x-user'] === 'alice' ? alice : undefined)
    await using server = await listen(bridge.nodeHandler({ principal }))
    const own = await openSession(server.url, { 'x-user': 'alice' })
    const body = request(2, 'tools/call', who)
    const [mine, nobodys] = [await send(server.url, { headers: own, body }), await openSession(server.url)]
    const anonymous = await send(server.url, { headers: nobodys, body })
    const stolen = await send(server.url, { headers: { ...own, 'x-user': 'mallory' }, body })
    expect([await textOf(mine), await textOf(anonymous), stolen.status]).toEqual([
      expect.stringContaining(KEY),
      expect.stringContaining(ANONYMOUS),
      404,
    ])
    await bridge.close()
  })

  it('is what a middleware of Express has put onto the request', async () => {
    const { bridge } = await bridged()
    const app = express()
      .use((req, _res, next) => {
        Object.assign(req, { user: alice })
        next()
      })
      .all(
        '/mcp',
        bridge.nodeHandler({ principal: (req: express.Request & { user?: Principal }) => req.user }),
      )
    await using server = await listen(app)
    expect(await textOf(await send(server.url, modern(2, 'tools/call', who)))).toContain(KEY)
    await bridge.close()
  })

  it('is what a hook of Fastify has put onto the request', async () => {
    const { bridge } = await bridged()
    await using app = fastify()
    app.decorateRequest('user', null)
    app.addHook('onRequest', async (req) => {
      Object.assign(req, { user: alice })
    })
    const principal = (req: FastifyRequest & { user?: Principal }) => req.user
    await app.register(bridge.fastify({ principal }), { prefix: '/mcp' })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    expect(await textOf(await send(`${url}/mcp`, modern(2, 'tools/call', who)))).toContain(KEY)
    await bridge.close()
  })

  it.each<[string, unknown, number]>([
    ['is nobody who may call', new UnauthenticatedError(), 401],
    ['is not known for another reason', new Error('session store is down'), 503],
    ['may not call, which is for rules to say', new ForbiddenError(), 503],
  ])('%s', async (_what, thrown, status) => {
    const { bridge, logger } = await bridged()
    await using server = await listen(bridge.nodeHandler({ principal: () => Promise.reject(thrown) }))
    const response = await send(server.url, { body: INITIALIZE })
    const errors = logger.lines.filter(({ level }) => level === 'error')
    expect([response.status, await response.text(), errors.length]).toEqual([
      status,
      expect.not.stringContaining('store'),
      status === 401 ? 0 : 1,
    ])
    expect(response.headers.get(status === 401 ? 'www-authenticate' : 'retry-after')).toBe(
      status === 401 ? 'Bearer' : '5',
    )
    await bridge.close()
  })

  it('must be a principal', async () => {
    const { bridge } = await bridged()
    await using server = await listen(
      bridge.nodeHandler({ principal: () => ({ subject: 'alice' }) as never }),
    )
    expect((await send(server.url, { body: INITIALIZE })).status).toBe(503)
    await bridge.close()
  })

  it('is not asked for what is refused anyway', async () => {
    const { bridge } = await bridged()
    let asked = 0
    const principal = () => {
      asked++
      return undefined
    }
    await using server = await listen(bridge.nodeHandler({ principal }))
    await send(server.url, { headers: { origin: 'https://evil.example.com' }, body: INITIALIZE })
    await send(server.url, { method: 'PUT', body: INITIALIZE })
    expect(asked).toBe(0)
    await bridge.close()
  })

  it('cannot be told by two: the token and the service', async () => {
    const verifier = { verify: async () => alice }
    const auth = {
      verifier,
      resource: 'https://api.example.com/mcp',
      authorizationServers: ['https://login.example.com'],
    }
    const { bridge } = await bridged({ http: { auth } })
    const wrong = 'With http.auth the token says who is calling: leave the principal out'
    expect(() => bridge.nodeHandler({ principal: () => alice })).toThrow(wrong)
    expect(() => bridge.fastify({ principal: () => alice })).toThrow(wrong)
    await expect(bridge.fetch(post(INITIALIZE), { principal: alice })).rejects.toThrow(wrong)
  })
})

describe('the caller at the other end of a connection', () => {
  it.each(['legacy', 'modern', undefined] as const)('is whom its server names: era %s', async (era) => {
    const { bridge } = await bridged()
    const [near, far] = InMemoryTransport.createLinkedPair()
    const connection = await bridge.connect(far, { principal: alice, ...(era && { era }) })
    const answers: { result: { content: { text: string }[] } }[] = []
    const client = new Client({ name: 'test', version: '1' })
    if (era === 'modern') {
      near.onmessage = (message) => void answers.push(message as never)
      await near.start()
      await near.send(modern(1, 'tools/call', who).body as never)
      await expect.poll(() => answers.length).toBe(1)
    } else {
      await client.connect(near)
      answers.push({ result: (await client.callTool(who)) as never })
    }
    expect(answers[0]?.result.content[0]?.text).toContain(KEY)
    await connection.close()
    await bridge.close()
  })

  it.each(CLIENTS)('is whom the configuration names, over stdio: $name', async ({ connect }) => {
    const program = fileURLToPath(new URL('stdio-server.ts', import.meta.url))
    const client = await connect({ command: process.execPath, args: ['--import', 'tsx', program] })
    const result = await client.call('who')
    expect(JSON.stringify(result.content)).toContain(String.raw`principal:[\\\"acme\\\",\\\"ada\\\"]`)
    await client.close()
  })
})
