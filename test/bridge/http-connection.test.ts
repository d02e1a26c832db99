import { once } from 'node:events'
import { type IncomingMessage, request as nodeRequest } from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { bridged, INITIALIZE, listen, openSession, request } from './fixtures/http-server.js'

describe('the connection', () => {
  it('is closed for a client that asks for it, also after a stream', async () => {
    const { bridge } = await bridged()
    await using server = await listen(bridge.nodeHandler())
    const headers = await openSession(server.url)
    const call = { ...headers, connection: 'close' }
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const init = {
        method: 'POST',
        agent: false,
        headers: {
          ...call,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
      }
      const req = nodeRequest(server.url, init, resolve).on('error', reject)
      req.end(JSON.stringify(request(2, 'ping')))
    })
    answer.resume()
    expect([answer.headers['content-type'], answer.headers.connection]).toEqual([
      'text/event-stream',
      'close',
    ])
    await bridge.close()
  })

  it('is not spoken of over HTTP/2, which has no such header', async () => {
    const { bridge } = await bridged({ http: { maxBodyBytes: 1_000 } })
    const server = http2.createServer(bridge.nodeHandler() as never) // typed for HTTP/1.1, served through Node's own bridge
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const warned = vi.fn()
    process.on('warning', warned)
    const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const post = async (body: unknown) => {
      const stream = client.request({
        ':method': 'POST',
        ':path': '/mcp',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      })
      stream.end(JSON.stringify(body))
      const [headers] = await once(stream, 'response')
      return { status: headers[':status'], body: await text(stream) }
    }
    const [opened, tooLarge] = [await post(INITIALIZE), await post({ pad: 'x'.repeat(2_000) })]
    await new Promise(setImmediate)
    process.off('warning', warned)
    expect([opened.status, tooLarge.status, warned.mock.calls]).toEqual([200, 413, []])
    expect(opened.body).toContain('"protocolVersion":"2025-11-25"')
    client.close()
    await bridge.close()
    await new Promise((resolve) => server.close(resolve))
  })
})
