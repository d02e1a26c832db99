import { describe, expect, it, vi } from 'vitest'
import { INITIALIZE, modern, request } from '../bridge/fixtures/http-server.js'
import { runApp } from './stdio-process.js'

const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' }

/** The same requests in the words of each era. */
const REQUESTS = [
  ['tools/call', { name: 'loud', arguments: { as: 'a tool' } }],
  ['resources/read', { uri: 'loud://here' }],
  ['prompts/get', { name: 'loud' }],
  ['tools/call', { name: 'loud', arguments: { as: 'another' } }],
  ['tools/call', { name: 'wait', arguments: { ms: 100 } }],
] as const

const ERAS = [
  [
    'legacy',
    [INITIALIZE, INITIALIZED, ...REQUESTS.map(([method, params], i) => request(i + 2, method, params))],
  ],
  ['modern', REQUESTS.map(([method, params], i) => modern(i + 2, method, params).body)],
] as const

// Each starts a process, which compiles the sources first.
vi.setConfig({ testTimeout: 60_000 })

describe('stdio', () => {
  it.each([
    ['with nothing on stdin', undefined, []],
    ['with nothing on stdin, and a client of its own', undefined, ['--upstream']],
    ['whose client closes stdin without a word', [], ['--upstream']],
    ['without anything to serve', undefined, ['--empty']],
  ])(
    'STD-01: an application %s ends by itself, well, and runs its end once',
    async (_what, lines, options) => {
      const { out, err, exitCode, signal } = await runApp({ ...(lines && { lines }), options })
      expect([out, exitCode, signal]).toEqual([[], 0, null])
      expect(err.match(/shut down/g)).toHaveLength(1)
      const [, pid] = /upstream (\d+)/.exec(err) ?? []
      if (options.includes('--upstream')) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH')
    },
  )

  it.each(ERAS)(
    'STD-01: one whose client closes stdin ends after the last answer: %s',
    async (_era, lines) => {
      const { out, err, exitCode } = await runApp({ lines, options: ['--upstream'] })
      const answers = out.map((line) => JSON.parse(line)).filter(({ id }) => id >= 2)
      expect(answers.at(-1)).toMatchObject({ id: 6, result: { content: [{ text: 'waited' }] } })
      expect([answers.length, exitCode, err.match(/shut down/g)?.length]).toEqual([5, 0, 1])
    },
  )

  it.each(ERAS)(
    'STD-03: whatever is printed, stdout has messages alone, and the text is on stderr: %s',
    async (_era, lines) => {
      const { out, err } = await runApp({ lines })
      const messages = out.map((line) => JSON.parse(line))
      expect(messages.filter(({ jsonrpc }) => jsonrpc !== '2.0')).toEqual([])
      expect(
        messages
          .map(({ id }) => id)
          .filter((id) => id >= 2)
          .sort(),
      ).toEqual([2, 3, 4, 5, 6])
      for (const kind of ['tools', 'resources', 'prompts']) expect(err).toContain(`loaded ${kind}\n`)
      for (const what of ['a tool', 'a resource', 'a prompt', 'another']) {
        expect(err).toContain(`hi from ${what}\n`)
        expect(err).toContain(`x${what}bytes\nlater\n`)
        expect(err).toContain(`late ${what}\n`)
      }
    },
  )
})
