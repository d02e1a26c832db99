import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import type { JsonRpcMessage } from '../../src/bridge/json-rpc.js'
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

  it('comes after the answer to a client that asked what is offered and did not wait for it', async () => {
    const ran = await run(modern(1, 'server/discover').body, { ...INITIALIZE, id: 2 })
    expect(ran).toMatchObject({
      exitCode: 0,
      messages: [
        { id: 1, result: { supportedVersions: ['2026-07-28'] } },
        { id: 2, result: { protocolVersion: '2025-11-25' } },
      ],
    })
  })

  it('does not wait for a subscription', async () => {
    const ran = await run(
      modern('s', 'subscriptions/listen', { notifications: { toolsListChanged: true } }).body,
    )
    expect(ran).toMatchObject({ exitCode: 0, err: expect.stringContaining('ended\n') })
  })
})

it('ends well when its client dies, idle or waiting for an answer', async () => {
  const exits = await Promise.all(
    [[], [INITIALIZED, request(2, 'tools/call', { name: 'wait', arguments: { ms: 300 } })]].map(
      async (more) => {
        const child = spawn(process.execPath, ['--import', 'tsx', SERVER], {
          stdio: ['pipe', 'pipe', 'pipe'],
        })
        let err = ''
        child.stderr.setEncoding('utf8').on('data', (text) => {
          err += text
        })
        const lines = [INITIALIZE, ...more].map((line) => `${JSON.stringify(line)}\n`)
        child.stdin.write(lines.join(''))
        await once(child.stdout, 'data')
        // What the kernel makes of a client that is killed: nobody reads, and nobody will write.
        child.stdout.destroy()
        child.stdin.end()
        const [exitCode] = await once(child, 'close')
        return { exitCode, err }
      },
    ),
  )
  const clean = { exitCode: 0, err: 'ended\n' }
  expect(exits).toEqual([clean, clean])
})

it('keeps what a tool prints off stdout, and reads on after lines that are no messages', async () => {
  const { messages, err } = await run(
    'no json',
    '',
    '5',
    `\ufeff${JSON.stringify(INITIALIZE)}`,
    INITIALIZED,
    request(2, 'tools/call', { name: 'print' }),
  )
  expect(messages).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32600 } },
    { id: 1 },
    { id: 2, result: { content: [{ text: 'printed' }] } },
  ])
  expect(err).toContain('printed by a tool')
})
