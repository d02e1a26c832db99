import { once } from 'node:events'
import { type IncomingMessage, request as nodeRequest } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { StdioTransport } from '../../src/bridge/stdio-transport.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { INITIALIZE, modern, type RawRequest, request, served } from './fixtures/http-server.js'
import { Census, heapBytes, leftSince } from './fuzz/census.js'
import { Gate } from './fuzz/target.js'

vi.setConfig({ testTimeout: 60_000 })

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

/** On a connection of its own, which ends with it. `status` is there as soon as the answer begins. */
function ask(url: string, { method = 'POST', headers, body }: RawRequest) {
  const req = nodeRequest(url, { method, headers: { ...ACCEPT, ...headers }, agent: false })
  const answer = once(req, 'response') as Promise<[IncomingMessage]>
  const status = answer.then(([{ statusCode }]) => statusCode)
  const session = answer.then(([res]) => String(res.headers['mcp-session-id'] ?? ''))
  const text = answer.then(async ([res]) => (await res.setEncoding('utf8').toArray()).join(''))
  // Who leaves before the answer does not want to hear that it has not come.
  for (const part of [status, session, text]) part.catch(() => undefined)
  req.on('error', () => undefined).end(body === undefined ? undefined : JSON.stringify(body))
  return { status, session, text, leave: () => void req.destroy() }
}

async function handshake(url: string): Promise<Record<string, string>> {
  const { session, text } = ask(url, { body: INITIALIZE })
  await text
  const headers = { 'mcp-session-id': await session, 'mcp-protocol-version': '2025-11-25' }
  await ask(url, { headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } }).text
  return headers
}

const readme = ResourceDefinition.builder()
  .name('readme')
  .uri('docs://readme')
  .reader(() => 'Read me')
  .build()

/** Opens sessions, eight at a time, and leaves them. One of the eight has a stream open and waits for updates then. */
async function abandon(url: string, count: number): Promise<Record<string, string>[]> {
  const opened: Record<string, string>[] = []
  while (opened.length < count) {
    opened.push(...(await Promise.all(Array.from({ length: 8 }, () => handshake(url)))))
    const [headers = {}] = opened.slice(-1)
    const stream = ask(url, { method: 'GET', headers })
    expect(await stream.status).toBe(200)
    const subscription = ask(url, {
      headers,
      body: request(2, 'resources/subscribe', { uri: 'docs://readme' }),
    })
    expect(await subscription.text).toContain('"result"')
    stream.leave()
  }
  return opened
}

it('lets go of a thousand sessions that were abandoned', async () => {
  await using http = await served({ http: { sessions: { idleMs: 300, max: 2_000 } } })
  http.runtime.resources.register(readme)
  using census = new Census(http.runtime.registry, http.runtime.resources, http.runtime.prompts)
  const allEnded = () => vi.waitFor(() => expect(http.bridge.sessionCount).toBe(0), { timeout: 30_000 })
  await abandon(http.url, 40)
  await allEnded()
  const [before, heapBefore] = [await census.holdings(), await heapBytes()]
  const opened = await abandon(http.url, 1_000)
  await allEnded()
  expect(await leftSince(before, census)).toEqual({})
  // What a thousand sessions hold is several times as much.
  expect((await heapBytes()) / heapBefore).toBeLessThan(1.15)
  const old = opened.filter((_, index) => index % 100 === 0)
  const statuses = await Promise.all(
    old.map((headers) => ask(http.url, { headers, body: request(2, 'ping') }).status),
  )
  expect(statuses).toEqual(old.map(() => 404))
})

it('lets go of subscriptions of the new era whose clients are gone', async () => {
  await using http = await served()
  using census = new Census(http.runtime.registry, http.runtime.resources, http.runtime.prompts)
  const subscribe = async () => {
    const listen = modern('s', 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    const { status, leave } = ask(http.url, listen)
    expect(await status).toBe(200)
    leave()
  }
  await subscribe()
  const before = await census.holdings()
  for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 10 }, subscribe))
  expect(await leftSince(before, census)).toEqual({})
})

/** A client that has calls running and cancels some. */
interface Caller {
  call(id: number): void
  cancel(id: number): Promise<void> | void
  /** The ids of the calls that were answered, once all have come to an end. */
  answers(): Promise<number[]>
  close(): Promise<void>
}

type Served = Awaited<ReturnType<typeof served>>

const hold = (id: number) => ({ name: 'hold', arguments: { key: id } })

/** Calls over HTTP, cancelled as the era does it. */
function httpCaller(
  call: (id: number) => ReturnType<typeof ask>,
  cancel: (id: number, running: ReturnType<typeof ask>) => Promise<unknown> | void,
): Caller {
  const running = new Map<number, ReturnType<typeof ask>>()
  return {
    call: (id) => void running.set(id, call(id)),
    cancel: async (id) => void (await cancel(id, running.get(id) as ReturnType<typeof ask>)),
    answers: async () => {
      const settled = await Promise.allSettled([...running.values()].map(({ text }) => text))
      return settled.flatMap((one) => (one.status === 'fulfilled' ? heldIn(one.value) : []))
    },
    close: async () => undefined,
  }
}

async function legacyHttp({ url }: Served): Promise<Caller> {
  const sessions = await Promise.all(Array.from({ length: 4 }, () => handshake(url)))
  const of = (id: number) => sessions[id % sessions.length] ?? {}
  const caller = httpCaller(
    (id) => ask(url, { headers: of(id), body: request(id, 'tools/call', hold(id)) }),
    (requestId) =>
      ask(url, {
        headers: of(requestId),
        body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
      }).text,
  )
  const close = async () => {
    for (const headers of sessions) await ask(url, { method: 'DELETE', headers }).text
  }
  return { ...caller, close }
}

async function modernHttp({ url }: Served): Promise<Caller> {
  return httpCaller(
    (id) => ask(url, modern(id, 'tools/call', hold(id))),
    (_id, { leave }) => leave(),
  )
}

/** Calls and cancels as lines of one connection. */
async function stdioCaller(
  { bridge, logger }: Served,
  opening: readonly unknown[],
  call: (id: number) => unknown,
): Promise<Caller> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let written = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    written += text
  })
  const transport = new StdioTransport({ input, output, drainMs: 600_000, logger })
  await bridge.connect(transport, { address: 'stdio' })
  const write = (message: unknown) => void input.write(`${JSON.stringify(message)}\n`)
  for (const message of opening) write(message)
  return {
    call: (id) => write(call(id)),
    cancel: (requestId) =>
      write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
    answers: async () => {
      input.end()
      await transport.closed
      return heldIn(written)
    },
    close: async () => undefined,
  }
}

const CALLERS: readonly (readonly [name: string, open: (http: Served) => Promise<Caller>])[] = [
  ['legacy, over HTTP', legacyHttp],
  ['2026-07-28, over HTTP', modernHttp],
  [
    'legacy, over stdio',
    (http) =>
      stdioCaller(
        http,
        [
          { ...INITIALIZE, id: 'i' },
          { jsonrpc: '2.0', method: 'notifications/initialized' },
        ],
        (id) => request(id, 'tools/call', hold(id)),
      ),
  ],
  [
    '2026-07-28, over stdio',
    (http) => stdioCaller(http, [], (id) => modern(id, 'tools/call', hold(id)).body),
  ],
]

it.each(CALLERS)(
  'lets go of all that two hundred calls hold, half of them cancelled: %s',
  async (_name, open) => {
    const gate = new Gate()
    await using http = await served({}, [gate.tool])
    using census = new Census(http.runtime.registry, http.runtime.resources, http.runtime.prompts)
    const run = async (count: number) => {
      gate.aborted.length = 0
      const ids = Array.from({ length: count }, (_, id) => id)
      const [cancelled, kept] = [ids.filter((id) => id % 2 === 0), ids.filter((id) => id % 2 === 1)]
      const caller = await open(http)
      for (const id of ids) caller.call(id)
      await vi.waitFor(() => expect(gate.size).toBe(count), { timeout: 20_000 })
      // That is what is to be let go of.
      expect((await census.holdings()).signals).toBeGreaterThanOrEqual(count)
      for (const id of cancelled) await caller.cancel(id)
      await vi.waitFor(() => expect(gate.size).toBe(kept.length), { timeout: 20_000 })
      for (const id of kept) gate.open(id)
      expect((await caller.answers()).sort(byNumber)).toEqual(kept)
      expect([...gate.aborted].sort(byNumber)).toEqual(cancelled)
      await caller.close()
    }
    await run(4)
    const before = await census.holdings()
    await run(200)
    expect(await leftSince(before, census)).toEqual({})
    // It is free only when no call has a lease of it.
    expect(await http.runtime.registry.unregister('hold', { drainMs: 0 })).toBe(true)
  },
)

/** The ids of the calls that are answered in a text. */
function heldIn(text: string): number[] {
  return [...text.matchAll(/held (\d+)/g)].map(([, id]) => Number(id))
}

function byNumber(a: string | number, b: string | number): number {
  return Number(a) - Number(b)
}
