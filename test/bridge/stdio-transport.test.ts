import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import type { JsonRpcMessage } from '../../src/bridge/json-rpc.js'
import { StdioTransport } from '../../src/bridge/stdio-transport.js'
import { recordingLogger } from '../interceptors/recording-logger.js'
import { request } from './fixtures/http-server.js'

describe('StdioTransport', () => {
  async function transport(drainMs = 1_000) {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const logger = recordingLogger()
    const made = new StdioTransport({ input, output, drainMs, logger })
    const received: JsonRpcMessage[] = []
    made.onmessage = (message) => void received.push(message)
    made.onclose = vi.fn()
    made.onerror = vi.fn()
    await made.start()
    const answers = () =>
      String(output.read() ?? '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    return { made, input, output, received, logger, answers }
  }

  const INVALID = {
    jsonrpc: '2.0',
    id: null,
    error: {
      code: -32600,
      message: 'A line must be one JSON-RPC 2.0 message, with an id that is a string or a whole number',
    },
  }

  it.each([
    '5',
    'null',
    '[]',
    JSON.stringify([request(1, 'ping'), request(2, 'ping')]),
    '{"jsonrpc":"1.0","id":9,"method":"ping"}',
    '{"id":9,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1e300,"method":"ping"}',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    ...[null, {}, [], 1.5, true, 'x'.repeat(1_001)].map((id) => JSON.stringify(request(id, 'ping'))),
    JSON.stringify(request(1, 'ping', [1])),
    JSON.stringify(request(1, 'ping', { _meta: 5 })),
    JSON.stringify(request(1, 'ping', { _meta: { progressToken: {} } })),
    JSON.stringify(request(1, 'ping', { _meta: { 'io.modelcontextprotocol/related-task': {} } })),
    JSON.stringify({ ...request(1, 'ping'), more: 1 }),
    JSON.stringify(request(1, 5 as never)),
  ])('refuses %.80s, and does not wait for an answer to it', async (line) => {
    // Longer than the test: a request that is counted holds up the end.
    const { made, input, received, answers } = await transport(120_000)
    input.end(`${line}\n`)
    await made.closed
    expect([received, answers()]).toEqual([[], [INVALID]])
  })

  it('does not answer what is meant to be an answer, or refusals would be refused without end', async () => {
    const { made, input, received, answers } = await transport()
    input.end(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no' } })}\n`)
    await made.closed
    expect([received, answers()]).toEqual([[], []])
    expect(made.onerror).toHaveBeenCalledTimes(1)
  })

  it('refuses a second request under the id of one that is running', async () => {
    const { made, input, received, answers } = await transport()
    const line = `${JSON.stringify(request(7, 'ping'))}\n`
    input.write(line + line)
    await vi.waitFor(() => expect(received).toEqual([request(7, 'ping')]))
    await made.send({ jsonrpc: '2.0', id: 7, result: {} })
    input.end(line)
    await vi.waitFor(() => expect(received).toHaveLength(2))
    await made.send({ jsonrpc: '2.0', id: 7, result: {} })
    await made.closed
    expect(answers()).toMatchObject([
      { id: null, error: { code: -32600, message: 'A request with this id is still running' } },
      { id: 7, result: {} },
      { id: 7, result: {} },
    ])
  })

  it('takes a last line that has no end, and passes over a byte order mark', async () => {
    const { made, input, received } = await transport(20)
    input.end(`\ufeff${JSON.stringify(request(1, 'ping'))}`)
    await made.closed
    expect(received).toEqual([request(1, 'ping')])
  })

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

  it('says that a line is longer than any message, and goes on with the next', async () => {
    const { made, input, received, logger, answers } = await transport()
    const megabyte = 'x'.repeat(1024 * 1024)
    for (let size = 0; size < 21; size++) input.write(megabyte)
    input.write(`\n${JSON.stringify(request(1, 'ping'))}\n`)
    await vi.waitFor(() => expect(received).toEqual([request(1, 'ping')]))
    const fault = 'A line must not be longer than 10485760 bytes'
    expect([answers(), logger.lines]).toEqual([
      [{ jsonrpc: '2.0', id: null, error: { code: -32600, message: fault } }],
      [{ level: 'warn', fields: {}, message: `MCP message over stdio skipped: ${fault}` }],
    ])
    await made.close()
  })
})
