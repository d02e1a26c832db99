import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const slowMs = 60_000
const children: ChildProcessWithoutNullStreams[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Runs the example as `npm start` does. */
function start(...args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/weather/main.ts', ...args], {
    cwd: root,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn' },
  })
  children.push(child)
  return child
}

/** Goes on reading afterwards: a process whose stdout nobody reads may end for that. */
function printed(child: ChildProcessWithoutNullStreams, pattern: RegExp): Promise<string> {
  let seen = ''
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen += text
      const found = pattern.exec(seen)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('close', () => reject(new Error(`The example ended without printing ${pattern}: ${seen}`)))
  })
}

describe('the weather example over HTTP', () => {
  it('prints where it serves, answers clients of both eras, and ends on SIGTERM', {
    timeout: slowMs,
  }, async () => {
    const child = start()
    const url = new URL(await printed(child, /Serving MCP on (\S+)/))

    const modern = new Client(
      { name: 'modern', version: '1.0.0' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    await modern.connect(new StreamableHTTPClientTransport(url))
    expect((await modern.listTools()).tools.map(({ name }) => name)).toEqual(['get_weather', 'search_hotels'])
    const weather = await modern.callTool({ name: 'get_weather', arguments: { city: '东京' } })
    expect(JSON.parse(textOf(weather))).toMatchObject({ city: '东京', unit: 'celsius' })

    const legacy = new LegacyClient({ name: 'legacy', version: '1.0.0' })
    // The SDK's own transport is not assignable under exactOptionalPropertyTypes.
    await legacy.connect(new LegacyHttpTransport(url) as Parameters<LegacyClient['connect']>[0])
    const stay = { city: '北京', checkIn: '2026-12-01', checkOut: '2026-12-04' }
    const hotels = await legacy.callTool({ name: 'search_hotels', arguments: stay })
    expect(JSON.parse(textOf(hotels))).toMatchObject({ city: '北京', nights: 3 })
    const wrong = await legacy.callTool({ name: 'search_hotels', arguments: { ...stay, checkOut: 'soon' } })
    expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringContaining('"checkOut"')])

    await modern.close()
    await legacy.close()
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

describe('the weather example over stdio', () => {
  it('writes nothing but the protocol to stdout, answers what was asked before EOF, and ends', {
    timeout: slowMs,
  }, async () => {
    const child = start('--stdio')
    const messages = [
      {
        id: 0,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
      },
      { method: 'notifications/initialized' },
      {
        id: 1,
        method: 'tools/call',
        params: { name: 'get_weather', arguments: { city: '深圳', unit: 'fahrenheit' } },
      },
    ]
    child.stdin.end(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    const answers = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers).toMatchObject([
      { jsonrpc: '2.0', id: 0, result: { protocolVersion: '2025-11-25' } },
      {
        jsonrpc: '2.0',
        id: 1,
        result: { content: [{ type: 'text', text: expect.stringContaining('"unit":"fahrenheit"') }] },
      },
    ])
    expect(code).toBe(0)
  })
})

function textOf(result: object): string {
  const { content } = result as { readonly content?: readonly { readonly text?: string }[] }
  return content?.[0]?.text ?? ''
}
