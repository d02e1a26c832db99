import { describe, expect, it, vi } from 'vitest'
import { McpToolBridge } from '../../src/bridge/index.js'
import { tool } from '../runtime/runtime-fixture.js'
import {
  INITIALIZE,
  listen,
  messagesOf,
  nextChange,
  openSession,
  request,
  send,
  served,
} from './fixtures/http-server.js'

describe('sessions of the legacy era', () => {
  it('are counted, ended by DELETE, and unknown afterwards', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    expect(http.bridge.sessionCount).toBe(1)
    expect((await send(http.url, { method: 'DELETE', headers })).status).toBe(200)
    expect(http.bridge.sessionCount).toBe(0)
    expect((await send(http.url, { headers, body: request(2, 'ping') })).status).toBe(404)
  })

  it('end when nobody has used them for a while, but not while a stream is open', async () => {
    await using http = await served({ http: { sessions: { idleMs: 2_000 } } })
    const idle = await openSession(http.url)
    const listening = await openSession(http.url)
    const stream = await send(http.url, { method: 'GET', headers: listening })
    await vi.waitFor(() => expect(http.bridge.sessionCount).toBe(1), { timeout: 8_000 })
    expect((await send(http.url, { headers: idle, body: request(2, 'ping') })).status).toBe(404)
    await stream.body?.cancel()
    await vi.waitFor(() => expect(http.bridge.sessionCount).toBe(0), { timeout: 8_000 })
  })

  it('are refused beyond the limit, and a refused or failed handshake leaves none', async () => {
    await using http = await served({ http: { sessions: { max: 1 } } })
    const failed = await send(http.url, { body: request(1, 'initialize', { protocolVersion: 5 }) })
    expect([failed.status, failed.headers.get('mcp-session-id'), http.bridge.sessionCount]).toEqual([
      400,
      null,
      0,
    ])
    await openSession(http.url)
    const refused = await send(http.url, { body: INITIALIZE })
    expect([refused.status, refused.headers.get('retry-after'), http.bridge.sessionCount]).toEqual([
      503,
      '30',
      1,
    ])
  })

  it('begin anew for a client that still has an old id', async () => {
    await using http = await served()
    const response = await send(http.url, { headers: { 'mcp-session-id': 'gone' }, body: INITIALIZE })
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('are refused while the runtime closes; those that are open go on', async () => {
    await using http = await served()
    const runtime = {
      registry: http.runtime.registry,
      logger: http.logger,
      call: http.runtime.call.bind(http.runtime),
      isClosing: false,
    }
    await using bridge = new McpToolBridge(runtime, { name: 'fixture', version: '1' })
    await using server = await listen(bridge.nodeHandler())
    const headers = await openSession(server.url)
    runtime.isClosing = true
    expect((await send(server.url, { body: INITIALIZE })).status).toBe(503)
    expect((await send(server.url, { headers, body: request(2, 'ping') })).status).toBe(200)
  })

  it('hear once of many changes', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const stream = await send(http.url, { method: 'GET', headers })
    const reading = messagesOf(stream)
    http.runtime.registry.registerAll(Array.from({ length: 100 }, (_, i) => tool(`more_${i}`)))
    await nextChange(http.runtime.registry)
    await http.bridge.close()
    expect(await reading).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }])
  })
})

describe('closing', () => {
  it('ends sessions and streams, answers what is running, and refuses the rest', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const stream = await send(http.url, { method: 'GET', headers })
    const running = send(http.url, {
      headers,
      body: request(2, 'tools/call', { name: 'wait', arguments: { ms: 100 } }),
    })
    await vi.waitFor(() => expect(http.journal.started).toEqual([2]))
    await http.bridge.close()
    expect(await messagesOf(await running)).toMatchObject([
      { id: 2, result: { content: [{ text: 'waited for 2' }] } },
    ])
    expect(await messagesOf(stream)).toEqual([])
    expect(http.bridge.sessionCount).toBe(0)
    expect((await send(http.url, { body: INITIALIZE })).status).toBe(503)
  })

  it('aborts what is not done in time', async () => {
    await using http = await served({ drainMs: 30 })
    const headers = await openSession(http.url)
    const running = send(http.url, { headers, body: request(2, 'tools/call', { name: 'wait' }) })
    await vi.waitFor(() => expect(http.journal.started).toEqual([2]))
    await http.bridge.close()
    await vi.waitFor(() => expect(http.journal.aborted).toEqual([2]))
    expect(await messagesOf(await running)).toEqual([])
  })

  it('lets go of the registry', async () => {
    await using http = await served()
    const add = vi.spyOn(http.runtime.registry, 'addListener')
    await openSession(http.url)
    await openSession(http.url)
    expect(add).toHaveBeenCalledTimes(1)
    const disposed = vi.spyOn(add.mock.results[0]?.value as Disposable, Symbol.dispose)
    await http.bridge.close()
    expect(disposed).toHaveBeenCalledTimes(1)
  })
})
