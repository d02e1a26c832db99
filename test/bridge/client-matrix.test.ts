import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { tool } from '../runtime/runtime-fixture.js'
import { CLIENTS, type Place, type TestClient } from './fixtures/clients.js'
import { served } from './fixtures/http-server.js'

const REVISIONS = ['2025-11-25', '2025-11-25', '2026-07-28', '2026-07-28']

const INVALID_ADD =
  'Invalid arguments for "add": missing required argument "b"; "a" must be an integer (got "two")'

// Half of the clients start a process, which compiles the sources first.
vi.setConfig({ hookTimeout: 60_000 })

let http: Awaited<ReturnType<typeof served>>

beforeAll(async () => {
  http = await served()
})

afterAll(() => http[Symbol.asyncDispose]())

const stdio: Place = {
  command: process.execPath,
  args: ['--import', 'tsx', new URL('./fixtures/stdio-server.ts', import.meta.url).pathname],
}

for (const [index, { name, connect }] of CLIENTS.entries()) {
  describe.each(['HTTP', 'stdio'] as const)(`${name} over %s`, (way) => {
    let client: TestClient

    beforeAll(async () => {
      client = await connect(way === 'HTTP' ? { url: http.url } : stdio)
    })

    afterAll(() => client.close())

    const plug = async () => {
      if (way === 'stdio') await client.call('plug')
      else http.runtime.registry.register(tool('extra'))
    }
    const unplug = async () => {
      if (way === 'stdio') await client.call('unplug')
      else await http.runtime.registry.unregister('extra')
    }

    it('speaks the revision it came for', () => {
      expect(client.revision).toBe(REVISIONS[index])
    })

    it('lists a tool as it was defined', async () => {
      expect(await client.tool('add')).toEqual({
        name: 'add',
        title: 'Add two numbers',
        description: 'The sum of two whole numbers',
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer', 'x-unit': 'one' } },
          required: ['a', 'b'],
          additionalProperties: false,
          $defs: { unused: { type: 'string' } },
        },
        outputSchema: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] },
        annotations: { readOnlyHint: true, openWorldHint: false },
        icons: [
          { src: 'https://example.com/add.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' },
        ],
        _meta: { 'example.com/scope': 'sums' },
      })
    })

    it('lists in the order of the names', async () => {
      const names = await client.toolNames()
      expect(names).toEqual([...names].sort())
    })

    it('calls with right arguments', async () => {
      expect(await client.call('add', { a: 2, b: 3 })).toMatchObject({
        content: [{ type: 'text', text: '{"sum":5}' }],
        structuredContent: { sum: 5 },
      })
    })

    it('is told what is wrong with the arguments, all of it, in a result', async () => {
      const { isError, content } = await client.call('add', { a: 'two' })
      expect(isError).toBe(true)
      expect(content).toEqual([{ type: 'text', text: INVALID_ADD }])
    })

    it('gets a protocol error for a tool that does not exist', async () => {
      expect(await client.call('nope', {})).toEqual({
        code: -32602,
        message: expect.stringContaining('Unknown tool "nope"'),
      })
    })

    it('is shown progress in increasing steps', async () => {
      // The clients of both SDKs lose progress that they read in one go with the answer.
      await vi.waitFor(async () => {
        const seen: unknown[] = []
        await client.call('steps', {}, { onprogress: (progress) => seen.push(progress) })
        expect(seen).toEqual([
          { progress: 10, total: 100, message: 'first' },
          { progress: 20, total: 100 },
        ])
      })
    })

    it('sees a tool come and go', async () => {
      const before = client.listChanges
      await plug()
      await vi.waitFor(() => expect(client.listChanges).toBe(before + 1), { timeout: 5_000 })
      expect(await client.toolNames()).toContain('extra')
      expect(await client.call('extra')).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
      await unplug()
      await vi.waitFor(() => expect(client.listChanges).toBe(before + 2), { timeout: 5_000 })
      expect(await client.toolNames()).not.toContain('extra')
    })

    it('is not hurt by what a tool prints', async () => {
      expect(await client.call('print')).toMatchObject({ content: [{ type: 'text', text: 'printed' }] })
    })
  })
}
