import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { describe, expect, it, vi } from 'vitest'
import { bridged, INITIALIZE, messagesOf, modern, request, send, served } from './fixtures/http-server.js'

const params = INITIALIZE.params as { readonly clientInfo: object }

const TOO_LARGE = request(1, 'initialize', {
  ...params,
  clientInfo: { ...params.clientInfo, title: 'x'.repeat(64 * 1024) },
})

const FAULTS: readonly (readonly [what: string, message: object, status: number, error: object])[] = [
  [
    'larger than any client needs, since all of it would be kept',
    TOO_LARGE,
    413,
    { code: -32600, message: 'An initialize request must not be larger than 65536 bytes' },
  ],
  [
    'malformed, without the report of a parser',
    request(1, 'initialize', { ...params, capabilities: { sampling: 5 } }),
    400,
    {
      code: -32602,
      message:
        'initialize needs protocolVersion, capabilities and clientInfo (name, version), as MCP describes them',
    },
  ],
]

describe('a handshake that is', () => {
  it.each(FAULTS)(
    '%s, is refused over HTTP, with sessions and without',
    async (_what, body, status, error) => {
      for (const sessions of [true, false]) {
        await using http = await served({ http: { sessions } })
        const response = await send(http.url, { body })
        expect([response.status, await messagesOf(response), http.bridge.sessionCount]).toEqual([
          status,
          [{ jsonrpc: '2.0', id: 1, error }],
          0,
        ])
      }
    },
  )

  it.each(FAULTS)(
    '%s, is refused on a connection, which then can begin again',
    async (_what, message, _, error) => {
      const { bridge, runtime } = await bridged()
      const [client, server] = InMemoryTransport.createLinkedPair()
      const answers: unknown[] = []
      client.onmessage = (answer) => void answers.push(answer)
      await bridge.connect(server)
      await client.start()
      await client.send(message as Parameters<typeof client.send>[0])
      await client.send({ ...INITIALIZE, id: 2 } as Parameters<typeof client.send>[0])
      await vi.waitFor(() => expect(answers).toHaveLength(2))
      expect(answers).toMatchObject([
        { jsonrpc: '2.0', id: 1, error },
        { id: 2, result: { protocolVersion: '2025-11-25' } },
      ])
      await bridge.close()
      await runtime.close()
    },
  )

  it('a subscription of the new era, and larger than any client needs, is refused as well', async () => {
    await using http = await served()
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['x'.repeat(64 * 1024)] }
    const response = await send(http.url, modern(1, 'subscriptions/listen', { notifications }))
    expect([response.status, await messagesOf(response)]).toMatchObject([
      413,
      [{ id: 1, error: { code: -32000 } }],
    ])
  })

  it('no request opens no session: nobody would be told its id', async () => {
    await using http = await served()
    const { id: _id, ...notification } = INITIALIZE
    expect([(await send(http.url, { body: notification })).status, http.bridge.sessionCount]).toEqual([
      400, 0,
    ])
  })
})
