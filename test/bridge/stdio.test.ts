import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import type { JsonRpcMessage } from '../../src/bridge/json-rpc.js'
import { StdioTransport } from '../../src/bridge/stdio-transport.js'
import { INITIALIZE, modern, request } from './fixtures/http-server.js'

const SERVER = fileURLToPath(new URL('./fixtures/stdio-server.ts', import.meta.url))

/** Writes the lines to the fixture server and ends its stdin. Gives its messages, and what it left besides. */
async function run(...lines: unknown[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', SERVER], { stdio: ['pipe', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  child.stdin.end(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  const [exitCode] = await once(child, 'close')
  const messages =
    out.trim() === ''
      ? []
      : out
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as JsonRpcMessage)
  return { messages, err, exitCode }
}

const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' }

// Each starts a process, which compiles the sources first.
vi.setConfig({ testTimeout: 60_000 })

describe('the end of stdin', () => {
  it('ends a server that was never spoken to', async () => {
    const { messages, err, exitCode } = await run()
    expect([messages, exitCode]).toEqual([[], 0])
    expect(err).toContain('ended\n')
  })

  it.each([
    ['legacy', [INITIALIZE, INITIALIZED, request(7, 'tools/call', { name: 'wait', arguments: { ms: 200 } })]],
    ['modern', [modern(7, 'tools/call', { name: 'wait', arguments: { ms: 200 } }).body]],
  ])('comes after the answer to what is running: %s', async (_era, lines) => {
    const ran = await run(...lines)
    expect(ran).toMatchObject({ exitCode: 0, err: expect.stringContaining('ended\n') })
    expect(ran.messages.at(-1)).toMatchObject({ id: 7, result: { content: [{ text: 'waited for 7' }] } })
  })

  it('does not wait for what was cancelled, 0 included', async () => {
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } }
    const ran = await run(INITIALIZE, INITIALIZED, request(0, 'tools/call', { name: 'wait' }), cancelled)
    expect(ran).toMatchObject({ exitCode: 0, err: expect.stringContaining('ended\n'), messages: [{ id: 1 }] })
  })

  it('does not wait for a subscription', async () => {
    const ran = await run(
      modern('s', 'subscriptions/listen', { notifications: { toolsListChanged: true } }).body,
    )
    expect(ran).toMatchObject({ exitCode: 0, err: expect.stringContaining('ended\n') })
  })
})

it('keeps what a tool prints off stdout, and survives lines that are no messages', async () => {
  const { messages, err } = await run(
    'no json',
    '',
    '5',
    INITIALIZE,
    INITIALIZED,
    request(2, 'tools/call', { name: 'print' }),
  )
  expect(messages).toMatchObject([{ id: 1 }, { id: 2, result: { content: [{ text: 'printed' }] } }])
  expect(err).toContain('printed by a tool')
})

describe('StdioTransport', () => {
  async function transport(drainMs = 1_000) {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const made = new StdioTransport({ input, output, drainMs })
    const received: JsonRpcMessage[] = []
    made.onmessage = (message) => void received.push(message)
    made.onclose = vi.fn()
    made.onerror = vi.fn()
    await made.start()
    return { made, input, output, received }
  }

  it('puts messages together from any chunks, also inside a character', async () => {
    const { made, input, received } = await transport()
    const messages = [request(1, 'ping', { city: '北京' }), request(2, 'ping', { city: '上海' })]
    const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\r\n`).join(''))
    for (const byte of bytes) input.write(Buffer.from([byte]))
    await vi.waitFor(() => expect(received).toEqual(messages))
    await made.close()
  })

  it('waits for answers no longer than it was told', async () => {
    const { made, input } = await transport(20)
    input.end(`${JSON.stringify(request(1, 'tools/call'))}\n`)
    await made.closed
    expect(made.onclose).toHaveBeenCalledTimes(1)
    await expect(made.send({ jsonrpc: '2.0', id: 1, result: {} })).rejects.toThrow('closed')
  })

  it('lets go of its streams', async () => {
    const { made, input, output } = await transport()
    await made.close()
    await made.closed
    const listeners = ['data', 'end', 'close', 'error'].map((event) => input.listenerCount(event))
    // PassThrough itself listens for nothing that we listen for.
    expect([...listeners, output.listenerCount('error')]).toEqual([0, 0, 0, 0, 0])
  })

  it('ends when nobody reads any more', async () => {
    const { made, output } = await transport()
    output.destroy(new Error('EPIPE'))
    await vi.waitFor(() => expect(made.onclose).toHaveBeenCalledTimes(1))
  })

  it('ends when a line is longer than any message', async () => {
    const { made, input } = await transport()
    input.write('x'.repeat(11 * 1024 * 1024))
    await vi.waitFor(() => expect(made.onclose).toHaveBeenCalledTimes(1))
    expect(made.onerror).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringContaining('larger than') }),
    )
  })
})
