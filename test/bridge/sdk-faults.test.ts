import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { expect, it, vi } from 'vitest'
import {
  bridged,
  messagesOf,
  modern,
  openSession,
  type RawRequest,
  request,
  send,
  served,
} from './fixtures/http-server.js'

/** A request of 2026-07-28 whose client says wrongly what it is. */
const MALFORMED = modern(1, 'tools/list', { _meta: { 'io.modelcontextprotocol/clientInfo': { name: 5 } } })

const TOLD = {
  jsonrpc: '2.0',
  id: 1,
  error: {
    code: -32602,
    message: 'Invalid _meta: io.modelcontextprotocol/clientInfo is not what MCP 2026-07-28 says it must be',
  },
}

it('says which member of _meta is malformed, without the report of a parser', async () => {
  await using http = await served()
  const response = await send(http.url, MALFORMED)
  expect([response.status, await messagesOf(response)]).toEqual([400, [TOLD]])
})

it('says the same on a connection, whether it is the first message or not', async () => {
  const { bridge, runtime } = await bridged()
  const [client, server] = InMemoryTransport.createLinkedPair()
  const answers: unknown[] = []
  client.onmessage = (answer) => void answers.push(answer)
  await bridge.connect(server)
  await client.start()
  const messages = [
    MALFORMED.body,
    modern(2, 'tools/call', { name: 'greet' }).body,
    { ...(MALFORMED.body as object), id: 3 },
  ]
  for (const message of messages) await client.send(message as Parameters<typeof client.send>[0])
  await vi.waitFor(() => expect(answers).toHaveLength(3))
  expect(answers.sort(byId)).toMatchObject([TOLD, { id: 2, result: {} }, { id: 3, error: { code: -32602 } }])
  expect(JSON.stringify(answers)).not.toContain('expected')
  await bridge.close()
  await runtime.close()
})

it('keeps the SDK’s word for a member of _meta that is missing', async () => {
  await using http = await served()
  const { headers = {} } = MALFORMED
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  const response = await send(http.url, { headers, body: request(1, 'tools/list', { _meta: meta }) })
  expect(await messagesOf(response)).toMatchObject([
    {
      error: {
        code: -32602,
        message: expect.stringMatching(/io\.modelcontextprotocol\/clientCapabilities: missing$/),
      },
    },
  ])
})

it('logs what kind of fault an SDK found, and nothing that a client sent', async () => {
  await using http = await served()
  const headers = await openSession(http.url)
  const secret = 'hunter2'
  const requests: RawRequest[] = [
    { headers, body: { jsonrpc: '2.0', id: 9, result: { secret } } },
    {
      headers,
      body: {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: secret, progress: 1 },
      },
    },
    {
      headers,
      body: {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 1, reason: { secret } },
      },
    },
    {
      ...modern(1, 'tools/call', { name: 'greet' }),
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': secret },
    },
    {
      headers: { 'mcp-protocol-version': `9${secret}` },
      body: { jsonrpc: '2.0', method: 'notifications/initialized' },
    },
  ]
  for (const raw of requests) await (await send(http.url, raw)).text()
  const faults = () =>
    http.logger.lines.filter(({ message }) => message === 'MCP connection reported an error')
  await vi.waitFor(() => expect(faults().length).toBeGreaterThanOrEqual(4))
  expect(faults()).toContainEqual({
    level: 'debug',
    fields: { error: 'Error', reason: 'Received a response' },
    message: 'MCP connection reported an error',
  })
  expect(JSON.stringify(http.logger.lines)).not.toContain(secret)
})

it('serves a request that asks to be a task as any other, since there are none', async () => {
  await using http = await served()
  const headers = await openSession(http.url)
  const call = request(0, 'tools/call', { name: 'greet', task: { ttl: 1_000 } })
  expect(await messagesOf(await send(http.url, { headers, body: call }))).toMatchObject([
    { id: 0, result: { content: [{ text: 'hello' }] } },
  ])
})

it.each(['initialize', 'subscriptions/listen'])(
  'refuses %s that nobody could write out again, since it is nested too deep',
  async (method) => {
    await using http = await served()
    const { headers = {}, body } = modern(1, method, { deep: 'HERE' })
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    const response = await send(http.url, { headers, body: JSON.stringify(body).replace('"HERE"', deep) })
    expect([response.status, await messagesOf(response)]).toMatchObject([
      400,
      [{ id: null, error: { code: -32600 } }],
    ])
  },
)

function byId(a: unknown, b: unknown): number {
  return (a as { id: number }).id - (b as { id: number }).id
}
