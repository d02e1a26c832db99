import { Client as ModernClient } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  ListPromptsRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, vi } from 'vitest'
import type { ConnectOptions, McpToolBridge } from '../../src/bridge/index.js'
import { tool } from '../runtime/runtime-fixture.js'
import { bridged, nextChange } from './fixtures/http-server.js'

async function legacyClient(bridge: McpToolBridge, options?: ConnectOptions) {
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair()
  const connection = await bridge.connect(serverEnd, options)
  const client = new Client({ name: 'test', version: '1' })
  const changes = vi.fn()
  client.setNotificationHandler(ToolListChangedNotificationSchema, changes)
  await client.connect(clientEnd)
  return { client, connection, changes }
}

async function modernClient(bridge: McpToolBridge, mode: 'auto' | { pin: string }, options?: ConnectOptions) {
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair()
  const connection = await bridge.connect(serverEnd, options)
  const changes = vi.fn()
  const client = new ModernClient(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changes } },
    },
  )
  await client.connect(clientEnd as never) // the two SDK lines type the same transport differently
  return { client, connection, changes }
}

const EXTRA = tool('extra')

describe('connect', () => {
  it.each<[string, ConnectOptions | undefined]>([
    ['by what the client opens with', undefined],
    ['as told', { era: 'legacy' }],
  ])('serves the legacy era, %s', async (_how, options) => {
    const { bridge, runtime } = await bridged({ title: 'Fixture', instructions: 'Add.' })
    const { client, changes } = await legacyClient(bridge, options)
    expect([client.getServerVersion(), client.getInstructions()]).toEqual([
      { name: 'fixture', version: '1.2.3', title: 'Fixture' },
      'Add.',
    ])
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    })
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      structuredContent: { sum: 3 },
    })
    runtime.registry.register(EXTRA)
    await vi.waitFor(() => expect(changes).toHaveBeenCalledTimes(1))
    await bridge.close()
  })

  it.each<[string, 'auto' | { pin: string }, ConnectOptions | undefined]>([
    ['a client that asks first', 'auto', undefined],
    ['a client that does not', { pin: '2026-07-28' }, undefined],
    ['as told', { pin: '2026-07-28' }, { era: 'modern' }],
  ])('serves the modern era to %s', async (_how, mode, options) => {
    const { bridge, runtime } = await bridged()
    const { client, changes } = await modernClient(bridge, mode, options)
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      structuredContent: { sum: 3 },
    })
    runtime.registry.register(EXTRA)
    await vi.waitFor(() => expect(changes).toHaveBeenCalledTimes(1))
    await bridge.close()
  })

  it('turns to the legacy era for a client that asked what the modern one offers, and did not like it', async () => {
    const { bridge } = await bridged()
    const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair()
    const answers: unknown[] = []
    clientEnd.onmessage = (message) => void answers.push(message)
    await bridge.connect(serverEnd)
    await clientEnd.start()
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    await clientEnd.send({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } })
    await vi.waitFor(() => expect(answers).toHaveLength(1))
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    }
    await clientEnd.send({ jsonrpc: '2.0', id: 2, method: 'initialize', params })
    await vi.waitFor(() => expect(answers).toHaveLength(2))
    await clientEnd.send({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'greet' } })
    await vi.waitFor(() => expect(answers).toHaveLength(3))
    expect(answers).toMatchObject([
      { id: 1, result: { supportedVersions: ['2026-07-28'] } },
      { id: 2, result: { protocolVersion: '2025-11-25' } },
      { id: 3, result: { content: [{ text: 'hello' }] } },
    ])
    await bridge.close()
  })

  it.each([null, 5, 'x', [], {}])('goes on after %j, which is no message', async (nonsense) => {
    const { bridge } = await bridged()
    const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair()
    await bridge.connect(serverEnd)
    const answers: unknown[] = []
    clientEnd.onmessage = (message) => void answers.push(message)
    await clientEnd.start()
    serverEnd.onmessage?.(nonsense as never)
    await clientEnd.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    })
    await vi.waitFor(() => expect(answers).toMatchObject([{ id: 1, result: {} }]))
    await bridge.close()
  })

  it('ends with the client, and with the bridge', async () => {
    const { bridge, runtime, journal } = await bridged({ drainMs: 10 })
    const [first, second] = [await legacyClient(bridge), await modernClient(bridge, 'auto')]
    const left = first.client.callTool({ name: 'wait' })
    await vi.waitFor(() => expect(journal.started).toHaveLength(1))
    await first.client.close()
    await expect(left).rejects.toThrow()
    await vi.waitFor(() => expect(journal.aborted).toHaveLength(1))
    runtime.registry.register(EXTRA)
    await nextChange(runtime.registry)
    expect(first.changes).not.toHaveBeenCalled()
    const closed = new Promise<void>((resolve) => {
      second.client.onclose = resolve
    })
    await bridge.close()
    await closed
    await expect(bridge.connect(InMemoryTransport.createLinkedPair()[0])).rejects.toThrow(
      'The bridge is closed',
    )
  })

  it('lets a client close its connection while others go on', async () => {
    const { bridge } = await bridged()
    const [first, second] = [await legacyClient(bridge), await legacyClient(bridge)]
    await first.connection.close()
    expect(await second.client.callTool({ name: 'greet' })).toMatchObject({ content: [{ text: 'hello' }] })
    await bridge.close()
  })
})

describe('attachTo', () => {
  const connectTo = async (server: Server | McpServer) => {
    const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair()
    await server.connect(serverEnd)
    const client = new Client({ name: 'test', version: '1' })
    const changes = vi.fn()
    client.setNotificationHandler(ToolListChangedNotificationSchema, changes)
    await client.connect(clientEnd)
    return { client, changes }
  }

  function ownServer(): Server {
    const server = new Server({ name: 'own', version: '1' }, { capabilities: { prompts: {}, logging: {} } })
    server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: 'kept' }] }))
    return server
  }

  function ownMcpServer(): McpServer {
    const server = new McpServer({ name: 'own', version: '1' }, { capabilities: { logging: {} } })
    server.registerPrompt('kept', {}, () => ({ messages: [] }))
    return server
  }

  it.each([
    ['Server', ownServer],
    ['McpServer', ownMcpServer],
  ])('adds the tools to a %s, follows the registry, and takes them away again', async (_name, make) => {
    const { bridge, runtime, journal } = await bridged()
    const server = make()
    const attached = bridge.attachTo(server)
    const { client, changes } = await connectTo(server)

    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'kept' }])
    expect(client.getServerVersion()).toMatchObject({ name: 'own' })
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('add')
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      structuredContent: { sum: 3 },
    })
    expect(await client.callTool({ name: 'add', arguments: {} })).toMatchObject({ isError: true })
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32602 })

    const logs = vi.fn()
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logs(params.level))
    await client.setLoggingLevel('error')
    const progress = vi.fn()
    await client.callTool({ name: 'steps' }, undefined, { onprogress: progress })
    expect([progress.mock.calls.length, logs.mock.calls]).toEqual([2, [['error']]])

    const stop = new AbortController()
    const stopped = client.callTool({ name: 'wait' }, undefined, { signal: stop.signal })
    await vi.waitFor(() => expect(journal.started).toHaveLength(1))
    stop.abort()
    await expect(stopped).rejects.toThrow()
    await vi.waitFor(() => expect(journal.aborted).toHaveLength(1))

    runtime.registry.register(EXTRA)
    await vi.waitFor(() => expect(changes).toHaveBeenCalledTimes(1))
    attached[Symbol.dispose]()
    await expect(client.listTools()).rejects.toMatchObject({ code: -32601 })
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'kept' }])
    await runtime.registry.unregister('extra')
    await nextChange(runtime.registry)
    expect(changes).toHaveBeenCalledTimes(1)
    await bridge.close()
  })

  it('refuses a server that has tools of its own, which would hide ours or be hidden', async () => {
    const { bridge } = await bridged()
    const server = ownMcpServer()
    server.registerTool('own', {}, () => ({ content: [] }))
    expect(() => bridge.attachTo(server)).toThrow('The server has tools of its own')
    const free = ownMcpServer()
    bridge.attachTo(free)
    expect(() => free.registerTool('own', {}, () => ({ content: [] }))).toThrow()
    await bridge.close()
  })

  it('ends with the bridge', async () => {
    const { bridge } = await bridged()
    const server = ownServer()
    bridge.attachTo(server)
    const { client } = await connectTo(server)
    await bridge.close()
    await expect(client.listTools()).rejects.toMatchObject({ code: -32601 })
  })
})
