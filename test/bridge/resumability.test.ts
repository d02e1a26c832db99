import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, vi } from 'vitest'
import type { EventStore } from '../../src/bridge/event-store.js'
import { McpToolBridge } from '../../src/bridge/index.js'
import { MemoryEventStore } from '../../src/bridge/memory-event-store.js'
import type { ResumabilityOptions } from '../../src/bridge/resumability.js'
import { tool } from '../runtime/runtime-fixture.js'
import { eventsOf, lastIdOf, resume, type StreamEvent } from './fixtures/event-streams.js'
import { bridged, nextChange, openSession, request, send, served } from './fixtures/http-server.js'

/** A tool that goes as far as it is let. */
function steps() {
  const waiting: (() => void)[] = []
  let ahead = 0
  return {
    tool: tool('step', async ({ args, progress }) => {
      for (let step = 1; step <= Number(args.count ?? 3); step++) {
        if (ahead > 0) ahead--
        else await new Promise<void>((resolve) => waiting.push(resolve))
        progress(step)
      }
      return 'done'
    }),
    go: (count = 1) => {
      for (let i = 0; i < count; i++) {
        const next = waiting.shift()
        if (next === undefined) ahead++
        else next()
      }
    },
  }
}

function stepCall(id: number, count = 3) {
  return request(id, 'tools/call', { name: 'step', arguments: { count }, _meta: { progressToken: 'p' } })
}

const waitCall = (id: number, ms?: number) =>
  request(id, 'tools/call', { name: 'wait', arguments: ms === undefined ? {} : { ms } })

/** What a client made of a call: its progress, and the text of the result. */
function seen(events: readonly StreamEvent[]): unknown[] {
  return events.flatMap(({ message }) => {
    if (message === undefined) return []
    const { method, params, result, error } = message as Record<string, Record<string, unknown>>
    if (method !== undefined) return [params?.progress ?? method]
    return [error?.message ?? (result?.content as { text: string }[] | undefined)?.[0]?.text ?? result]
  })
}

const on = (options: ResumabilityOptions = {}) => ({ http: { resumability: options } })

describe('a client that has lost its connection', () => {
  it('gets the rest of a call, and nothing twice, when it comes back', async () => {
    const step = steps()
    await using http = await served(on(), [step.tool])
    const headers = await openSession(http.url)
    const connection = new AbortController()
    const response = await send(http.url, { headers, body: stepCall(2, 5), signal: connection.signal })
    step.go(2)
    const before = await eventsOf(response, { until: (events) => seen(events).length === 2 })
    expect(before[0]).toEqual({ id: expect.stringMatching(/./), retry: '1000', message: undefined })
    connection.abort()
    step.go(2)
    const resumed = await resume(http.url, headers, lastIdOf(before))
    step.go(1)
    const after = await eventsOf(resumed)
    expect([...seen(before), ...seen(after)]).toEqual([1, 2, 3, 4, 5, 'done'])
    // It knows where it is before anything happens: a connection may be lost again.
    expect(after[0]).toEqual({ id: lastIdOf(before), retry: '1000', message: undefined })
  })

  it('gets the answer to a call that is over', async () => {
    await using http = await served(on())
    const headers = await openSession(http.url)
    const response = await send(http.url, { headers, body: waitCall(2, 50) })
    const [begin] = await eventsOf(response, { until: (events) => events.length === 1 })
    await response.body?.cancel()
    await vi.waitFor(async () => {
      const rest = await resume(http.url, headers, begin?.id)
      expect(rest.headers.get('content-type')).toBe('text/event-stream')
      expect(seen(await eventsOf(rest))).toEqual(['waited for 2'])
    })
  })

  it('is told not to come again when it has it all', async () => {
    await using http = await served(on())
    const headers = await openSession(http.url)
    const events = await eventsOf(await send(http.url, { headers, body: waitCall(2, 0) }))
    expect(seen(events)).toEqual(['waited for 2'])
    const rest = await resume(http.url, headers, lastIdOf(events))
    expect([rest.status, await rest.text()]).toEqual([204, ''])
  })

  it('loses nothing however often its connection breaks, nor while the store is slow', async () => {
    const store = slow(new MemoryEventStore())
    await using http = await served(on({ store }), [
      tool('talk', async ({ progress }) => {
        for (let n = 1; n <= 60; n++) {
          progress(n)
          if (n % 3 === 0) await setTimeoutPromise(1)
        }
        return 'done'
      }),
    ])
    const headers = await openSession(http.url)
    const talk = async (id: number) => {
      const params = { name: 'talk', arguments: {}, _meta: { progressToken: id } }
      const all: StreamEvent[] = []
      let response = await send(http.url, { headers, body: request(id, 'tools/call', params) })
      for (let connections = 1; connections < 500; connections++) {
        const length = 1 + ((id + connections) % 4)
        const events = await eventsOf(response, { until: (read) => read.length >= length })
        all.push(...events)
        await response.body?.cancel().catch(() => undefined)
        if (seen(all).includes('done')) break
        response = await resume(http.url, headers, lastIdOf(all))
      }
      return seen(all)
    }
    const expected = [...Array.from({ length: 60 }, (_, i) => i + 1), 'done']
    expect(await Promise.all([2, 3, 4, 5].map(talk))).toEqual([expected, expected, expected, expected])
  })

  it('takes the stream over from a connection that only seems to be there', async () => {
    const step = steps()
    await using http = await served(on(), [step.tool])
    const headers = await openSession(http.url)
    const first = await send(http.url, { headers, body: stepCall(2, 1) })
    const [begin] = await eventsOf(first, { until: (events) => events.length === 1 })
    const second = await resume(http.url, headers, begin?.id)
    const third = await resume(http.url, headers, begin?.id)
    expect(seen(await eventsOf(second))).toEqual([])
    step.go()
    expect(seen(await eventsOf(third))).toEqual([1, 'done'])
  })

  it('hears of the changes that it has missed', async () => {
    await using http = await served(on())
    const headers = await openSession(http.url)
    const changed = 'notifications/tools/list_changed'
    const listening = await send(http.url, { method: 'GET', headers })
    http.runtime.registry.register(tool('one'))
    const heard = await eventsOf(listening, { until: (events) => events.length === 1 })
    await listening.body?.cancel()
    http.runtime.registry.register(tool('two'))
    await nextChange(http.runtime.registry)
    const resumed = await resume(http.url, headers, lastIdOf(heard))
    http.runtime.registry.register(tool('three'))
    const missed = await eventsOf(resumed, { until: (events) => seen(events).length === 2 })
    expect([...seen(heard), ...seen(missed)]).toEqual([changed, changed, changed])
    await resumed.body?.cancel()
  })

  it('gets nothing of another session, nor of events that are not known', async () => {
    await using http = await served(on())
    const [alice, bob] = [await openSession(http.url), await openSession(http.url)]
    const events = await eventsOf(await send(http.url, { headers: alice, body: waitCall(2, 0) }))
    const ids = [events[0]?.id, lastIdOf(events), '999999', 'a b', '__proto__']
    for (const id of ids) {
      const answer = await resume(http.url, bob, id)
      expect([id, answer.status, await answer.json()]).toEqual([
        id,
        400,
        {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32000, message: 'Nothing can be resumed after this Last-Event-ID' },
        },
      ])
    }
    expect(seen(await eventsOf(await resume(http.url, alice, events[0]?.id)))).toEqual(['waited for 2'])
  })

  it('has to be there where streams are not resumable', async () => {
    await using http = await served()
    const headers = await openSession(http.url)
    const events = await eventsOf(await send(http.url, { headers, body: waitCall(2, 0) }))
    expect(events.map(({ id }) => id)).toEqual([undefined])
  })
})

describe('a call that takes longer than its stream', () => {
  it('is answered when its client comes back, which it has to do again and again', async () => {
    await using http = await served(on({ closeStreamAfterMs: 40, retryMs: 5 }))
    const headers = await openSession(http.url)
    let events = await eventsOf(await send(http.url, { headers, body: waitCall(2, 300) }))
    expect(events).toEqual([{ id: expect.stringMatching(/./), retry: '5', message: undefined }])
    const polls = [events]
    while (seen(events).length === 0) {
      events = await eventsOf(await resume(http.url, headers, lastIdOf(events)))
      polls.push(events)
    }
    expect(seen(polls.flat())).toEqual(['waited for 2'])
    expect(polls.length).toBeGreaterThan(2)
    expect(http.journal).toEqual({ started: [2], aborted: [] })
  })

  it('keeps its stream if the client is too old to come back', async () => {
    await using http = await served(on({ closeStreamAfterMs: 20 }))
    const headers = { ...(await openSession(http.url)), 'mcp-protocol-version': '2025-06-18' }
    const events = await eventsOf(await send(http.url, { headers, body: waitCall(2, 100) }))
    expect([events.length, ...seen(events)]).toEqual([1, 'waited for 2'])
  })

  it('leaves the stream open on which its client hears of changes', async () => {
    await using http = await served(on({ closeStreamAfterMs: 20 }))
    const headers = await openSession(http.url)
    const listening = await send(http.url, { method: 'GET', headers })
    http.runtime.registry.register(tool('one'))
    const heard = await eventsOf(listening, { until: (events) => events.length === 1 })
    await listening.body?.cancel()
    const resumed = await resume(http.url, headers, lastIdOf(heard))
    await setTimeoutPromise(60)
    http.runtime.registry.register(tool('two'))
    const more = await eventsOf(resumed, { until: (events) => seen(events).length === 1 })
    expect(seen(more)).toEqual(['notifications/tools/list_changed'])
    await resumed.body?.cancel()
  })
})

describe('a cancelled call', () => {
  it('is answered, so that its client does not come back for it, and its id is free again', async () => {
    await using http = await served(on())
    const headers = await openSession(http.url)
    const response = await send(http.url, { headers, body: waitCall(2) })
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }
    await send(http.url, { headers, body: cancelled })
    const events = await eventsOf(response)
    expect(seen(events)).toEqual(['Request cancelled'])
    expect((await resume(http.url, headers, lastIdOf(events))).status).toBe(204)
    expect(http.journal).toEqual({ started: [2], aborted: [2] })
    const again = await eventsOf(await send(http.url, { headers, body: request(2, 'ping') }))
    expect(seen(again)).toEqual([{}])
  })

  it('is answered to a client that was away', async () => {
    await using http = await served(on({ closeStreamAfterMs: 20 }))
    const headers = await openSession(http.url)
    const events = await eventsOf(await send(http.url, { headers, body: waitCall(2) }))
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }
    await send(http.url, { headers, body: cancelled })
    expect(seen(await eventsOf(await resume(http.url, headers, lastIdOf(events))))).toEqual([
      'Request cancelled',
    ])
  })
})

describe('the SDK clients', () => {
  it.each([
    ['1.x', connectV1],
    ['2.x', connectV2],
  ])('%s poll for the result of a long call, and hear each progress once', async (_, connect) => {
    await using http = await served(on({ closeStreamAfterMs: 30, retryMs: 5 }), [
      tool('talk', async ({ progress }) => {
        for (let n = 1; n <= 6; n++) {
          await setTimeoutPromise(25)
          progress(n)
        }
        return 'done'
      }),
    ])
    const requests: string[] = []
    const client = await connect(http.url, async (...request) => {
      requests.push(request[1]?.method ?? 'GET')
      return fetch(...request)
    })
    expect(await client.call('talk')).toEqual([1, 2, 3, 4, 5, 6, 'done'])
    expect(requests.filter((method) => method === 'GET').length).toBeGreaterThan(1)
    await client.close()
  })

  it.each([
    ['1.x', connectV1],
    ['2.x', connectV2],
  ])('%s go on with a call whose connection breaks', async (_, connect) => {
    const step = steps()
    await using http = await served(on({ retryMs: 5 }), [step.tool])
    const client = await connect(http.url, async (input, init) => {
      const response = await fetch(input, init)
      return String(init?.body).includes('tools/call') ? breaking(response) : response
    })
    const call = client.call('step')
    step.go(3)
    expect(await call).toEqual([1, 2, 3, 'done'])
    await client.close()
  })

  it.each([
    ['1.x', connectV1],
    ['2.x', connectV2],
  ])('%s come back at most once for a call that failed', async (_, connect) => {
    await using http = await served(on({ retryMs: 1 }))
    const requests: string[] = []
    const client = await connect(http.url, async (...request) => {
      const response = await fetch(...request)
      requests.push(`${request[1]?.method} ${response.status}`)
      return response
    })
    await vi.waitFor(() => expect(requests).toContain('GET 200'))
    const before = requests.length
    await expect(client.call('unknown')).rejects.toMatchObject({ code: -32602 })
    await setTimeoutPromise(50)
    expect(['POST 200', 'POST 200,GET 204']).toContain(requests.slice(before).join())
    await client.close()
  })
})

describe('the event store', () => {
  it.each<
    [string, (http: Awaited<ReturnType<typeof served>>, headers: Record<string, string>) => Promise<unknown>]
  >([
    ['ended by its client', (http, headers) => send(http.url, { method: 'DELETE', headers })],
    ['closed with the bridge', (http) => http.bridge.close()],
  ])('forgets a session that is %s', async (_, end) => {
    const store = new MemoryEventStore()
    await using http = await served(on({ store }))
    const headers = await openSession(http.url)
    const session = headers['mcp-session-id'] ?? ''
    const [begin] = await eventsOf(await send(http.url, { headers, body: waitCall(2, 0) }))
    expect(await store.streamOf(session, begin?.id ?? '')).toEqual(expect.any(String))
    await end(http, headers)
    await vi.waitFor(async () => expect(await store.streamOf(session, begin?.id ?? '')).toBeUndefined())
  })

  it('forgets a session that nobody uses', async () => {
    const store = new MemoryEventStore()
    await using http = await served({ http: { resumability: { store }, sessions: { idleMs: 300 } } })
    const headers = await openSession(http.url)
    const [begin] = await eventsOf(await send(http.url, { headers, body: request(2, 'ping') }))
    await vi.waitFor(() => expect(http.bridge.sessionCount).toBe(0), { timeout: 5_000 })
    expect(await store.streamOf(headers['mcp-session-id'] ?? '', begin?.id ?? '')).toBeUndefined()
  })

  it('is told to forget only when all is kept that was on its way', async () => {
    const memory = new MemoryEventStore()
    const order: string[] = []
    const store: EventStore = {
      ...slow(memory),
      append: async (...event) => {
        await setTimeoutPromise(20)
        order.push('append')
        return memory.append(...event)
      },
      drop: async (session) => {
        order.push('drop')
        await memory.drop(session)
      },
    }
    await using http = await served(on({ store }))
    const headers = await openSession(http.url)
    const call = send(http.url, { headers, body: request(2, 'ping') })
    await setTimeoutPromise(5)
    await send(http.url, { method: 'DELETE', headers })
    await (await call).text()
    await vi.waitFor(() => expect(order).toContain('drop'))
    await setTimeoutPromise(40)
    expect(order.at(-1)).toBe('drop')
  })

  it('may fail: calls are answered, streams stay open, and the log says so', async () => {
    const store = new MemoryEventStore()
    await using http = await served(on({ store, closeStreamAfterMs: 20 }))
    const headers = await openSession(http.url)
    vi.spyOn(store, 'append').mockRejectedValue(new Error('no connection'))
    const events = await eventsOf(await send(http.url, { headers, body: waitCall(2, 80) }))
    expect(seen(events)).toEqual(['waited for 2'])
    expect(lastIdOf(events)).toBeUndefined()
    expect(http.logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        fields: { err: { message: 'no connection' } },
        message: 'An MCP event was not kept: it cannot be resumed',
      },
    ])
  })
})

describe('the options of resumability', () => {
  it.each<[object, string]>([
    [{ resumability: { retryMs: -1 } }, 'http.resumability.retryMs must be a whole number'],
    [
      { resumability: { closeStreamAfterMs: 0 } },
      'http.resumability.closeStreamAfterMs must be a whole number',
    ],
    [{ resumability: true, sessions: false }, 'http.resumability needs http.sessions'],
  ])('are refused where they make no sense: %o', async (http, message) => {
    const { runtime, bridge } = await bridged()
    expect(() => new McpToolBridge(runtime, { name: 'x', version: '1', http })).toThrow(message)
    await bridge.close()
    await runtime.close()
  })
})

/** The store as it is across a network: each of its methods takes its time, and not always the same. */
function slow(store: EventStore): EventStore {
  let calls = 0
  const wait = () => setTimeoutPromise(calls++ % 3)
  return {
    append: async (...event) => {
      await wait()
      const id = await store.append(...event)
      await wait()
      return id
    },
    streamOf: (...event) => store.streamOf(...event),
    replayAfter: async (session, eventId, send) => {
      const stream = await store.replayAfter(session, eventId, async (...event) => {
        await wait()
        await send(...event)
      })
      await wait()
      return stream
    },
    drop: (session) => store.drop(session),
  }
}

/** The response, whose connection breaks after its first chunk. */
function breaking(response: Response): Response {
  const reader = response.body?.getReader()
  let chunks = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (chunks++ > 0) {
        await reader?.cancel()
        return controller.error(new TypeError('terminated'))
      }
      const chunk = await reader?.read()
      if (chunk?.value !== undefined) controller.enqueue(chunk.value)
    },
  })
  return new Response(body, response)
}

interface Caller {
  /** The progress that it heard, and the text of the result. */
  call(name: string): Promise<unknown[]>
  close(): Promise<void>
}

async function connectV1(url: string, fetchWith: typeof fetch): Promise<Caller> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: fetchWith })
  // Its optional members are typed without `undefined`, which it assigns.
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return caller(client, (name, onprogress) => client.callTool({ name }, undefined, { onprogress }))
}

async function connectV2(url: string, fetchWith: typeof fetch): Promise<Caller> {
  const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(new ModernHttp(new URL(url), { fetch: fetchWith }))
  return caller(client, (name, onprogress) => client.callTool({ name }, { onprogress }))
}

function caller(
  client: { close(): Promise<void> },
  callTool: (name: string, onprogress: (progress: { progress: number }) => void) => Promise<unknown>,
): Caller {
  return {
    call: async (name) => {
      const heard: unknown[] = []
      const result = await callTool(name, ({ progress }) => heard.push(progress))
      return [...heard, (result as { content: { text: string }[] }).content[0]?.text]
    },
    close: () => client.close(),
  }
}
