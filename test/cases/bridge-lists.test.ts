import { describe, expect, it, vi } from 'vitest'
import type { Era } from '../../src/bridge/index.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { hosted } from '../bridge/fixtures/hosted.js'
import { INITIALIZE, messagesOf, modern, request, send } from '../bridge/fixtures/http-server.js'
import { type Json, WAYS, type Way } from '../bridge/fixtures/ways.js'
import { tool } from '../runtime/runtime-fixture.js'
import { runApp } from './stdio-process.js'
import { answered, ERAS } from './wire.js'

const said = (text: string) => [{ type: 'text', text }]

describe('with nothing to serve', () => {
  /** Requests of each capability. */
  const BY_CAPABILITY: Readonly<Record<string, readonly [string, Json][]>> = {
    tools: [
      ['tools/list', {}],
      ['tools/call', { name: 'none' }],
    ],
    resources: [
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['resources/read', { uri: 'docs://none' }],
    ],
    prompts: [
      ['prompts/list', {}],
      ['prompts/get', { name: 'none' }],
    ],
    completions: [
      [
        'completion/complete',
        { ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'a', value: '' } },
      ],
    ],
  }
  const DISCOVER: readonly [string, Json] = ['server/discover', {}]
  const UNKNOWN: readonly [string, Json][] = [
    ['tasks/list', {}],
    ['roots/list', {}],
    ['sampling/createMessage', {}],
    ['nonsense', {}],
  ]
  const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']
  const asked = [...Object.values(BY_CAPABILITY).flat(), ...UNKNOWN]

  type Answer = Json & { readonly id?: number; readonly result?: Json; readonly error?: Json }

  const overHttp = async (era: Era): Promise<Answer[]> => {
    await using host = await hosted({ bridge: { name: 'app', version: '1' } })
    if (era === 'modern') {
      const all = [DISCOVER, ...asked].map(async ([method, params], id) => {
        const raw = modern(id, method, params)
        const headers = { ...raw.headers, ...(typeof params.uri === 'string' && { 'mcp-name': params.uri }) }
        return (await messagesOf(await send(host.url, { ...raw, headers })))[0] as Answer
      })
      return await Promise.all(all)
    }
    const opened = await send(host.url, { body: { ...INITIALIZE, id: 0 } })
    const headers = {
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    }
    const first = (await messagesOf(opened))[0] as Answer
    const rest = asked.map(
      async ([method, params], i) =>
        (
          await messagesOf(await send(host.url, { headers, body: request(i + 1, method, params) }))
        )[0] as Answer,
    )
    return [first, ...(await Promise.all(rest))]
  }

  const overStdio = async (era: Era): Promise<Answer[]> => {
    const lines =
      era === 'modern'
        ? [DISCOVER, ...asked].map(([method, params], id) => modern(id, method, params).body)
        : [
            { ...INITIALIZE, id: 0 },
            { jsonrpc: '2.0', method: 'notifications/initialized' },
            ...asked.map(([method, params], i) => request(i + 1, method, params)),
          ]
    const { out } = await runApp({ lines, options: ['--empty'] })
    const answers = out.map((line) => JSON.parse(line) as Answer)
    return answers.sort((a, b) => Number(a.id) - Number(b.id))
  }

  it.each(ERAS)(
    'BRG-03: of what is advertised everything is answered, and nothing else: %s',
    { timeout: 60_000 },
    async (era) => {
      const [http, stdio] = [await overHttp(era), await overStdio(era)]
      const [first, ...rest] = http
      const { capabilities } = (first as { result: { capabilities: Json } }).result
      expect(Object.keys(capabilities).filter((name) => name in BY_CAPABILITY)).toEqual(
        expect.arrayContaining(Object.keys(BY_CAPABILITY)),
      )
      const known = asked.filter((_, i) => rest[i]?.error?.code !== -32601).map(([method]) => method)
      expect(known).toEqual(
        Object.values(BY_CAPABILITY).flatMap((requests) => requests.map(([method]) => method)),
      )
      const lists = rest.filter((_, i) => LISTS.includes(asked[i]?.[0] ?? '')).map(({ result }) => result)
      expect(lists).toMatchObject([
        { tools: [] },
        { resources: [] },
        { resourceTemplates: [] },
        { prompts: [] },
      ])
      expect(stdio).toEqual(http)
    },
  )
})

describe.each(WAYS)('$name', (way: Way) => {
  it('BRG-04: the first tool, resource and prompt can come after the client, which is told once of each', async () => {
    await using host = await hosted()
    const client = await way.connect(host)
    await client.follow()
    expect([
      await client.list('tools'),
      await client.list('resources'),
      await client.list('prompts'),
    ]).toEqual([[], [], []])
    host.runtime.registry.register(tool('t1'))
    host.runtime.resources.register(
      ResourceDefinition.builder()
        .name('r1')
        .uri('r://1')
        .reader(() => 'r')
        .build(),
    )
    host.runtime.prompts.register(
      PromptDefinition.builder()
        .name('p1')
        .template(() => 'p')
        .build(),
    )
    await vi.waitFor(() => expect(client.heard).toHaveLength(3))
    expect([...client.heard].sort()).toEqual([
      'prompts/list_changed',
      'resources/list_changed',
      'tools/list_changed',
    ])
    expect([
      await client.list('tools'),
      await client.list('resources'),
      await client.list('prompts'),
    ]).toMatchObject([[{ name: 't1' }], [{ name: 'r1' }], [{ name: 'p1' }]])
    expect(await client.call('t1')).toEqual({ content: said('done') })
    await client.close()
  })
})

describe.each(ERAS)('%s', (era) => {
  describe('a cursor', () => {
    const five = ['a', 'b', 'c', 'd', 'e']
    const KINDS = [
      ['tools/list', 'tools'],
      ['resources/list', 'resources'],
      ['resources/templates/list', 'resourceTemplates'],
      ['prompts/list', 'prompts'],
    ] as const
    const all = {
      tools: five.map((name) => tool(name)),
      resources: five.flatMap((name) => [
        ResourceDefinition.builder()
          .name(name)
          .uri(`r://${name}`)
          .reader(() => '')
          .build(),
        ResourceDefinition.builder()
          .name(name)
          .uriTemplate(`t://${name}/{x}`)
          .reader(() => '')
          .build(),
      ]),
      prompts: five.map((name) =>
        PromptDefinition.builder()
          .name(name)
          .template(() => '')
          .build(),
      ),
      bridge: { pageSize: 2 },
    }

    it.each(KINDS)('BRG-18: one that was not given out is refused by %s', async (method) => {
      await using host = await hosted(all)
      for (const cursor of ['bogus', '', '0', '2', 0, null, 5, {}, 'YWZ0ZXIg', 'x'.repeat(30_000)]) {
        expect(await answered(host.url, { era, method, params: { cursor } })).toEqual({
          code: -32602,
          message: 'Invalid cursor: pass a nextCursor as it was received, or none for the first page',
        })
      }
    })

    it.each(KINDS)(
      'BRG-18: it leads through %s to its end, also while things come and go',
      async (method, member) => {
        await using host = await hosted(all)
        const page = async (cursor?: unknown) => {
          const result = await answered(host.url, {
            era,
            method,
            params: cursor === undefined ? {} : { cursor },
          })
          return {
            names: (result[member] as Json[]).map(({ name }) => name),
            next: result.nextCursor,
            result,
          }
        }
        const one = await page()
        const second = await page(one.next)
        const last = await page(second.next)
        expect([one.names, second.names, last.names]).toEqual([['a', 'b'], ['c', 'd'], ['e']])
        expect(last.result).not.toHaveProperty('nextCursor')

        const { registry, resources, prompts } = host.runtime
        // What the cursor stands on goes, as does one that is not shown yet; something new comes before and after it.
        for (const name of ['b', 'c']) {
          await Promise.all([
            registry.unregister(name),
            resources.unregister(`r://${name}`),
            resources.unregister(`t://${name}/{x}`),
            prompts.unregister(name),
          ])
        }
        for (const name of ['a2', 'd2']) {
          registry.register(tool(name))
          resources.register(
            ResourceDefinition.builder()
              .name(name)
              .uri(`r://${name}`)
              .reader(() => '')
              .build(),
          )
          resources.register(
            ResourceDefinition.builder()
              .name(name)
              .uriTemplate(`t://${name}/{x}`)
              .reader(() => '')
              .build(),
          )
          prompts.register(
            PromptDefinition.builder()
              .name(name)
              .template(() => '')
              .build(),
          )
        }
        const names: unknown[] = []
        let { next } = one
        for (let i = 0; next !== undefined; i++) {
          expect(i).toBeLessThan(5)
          const more = await page(next)
          names.push(...more.names)
          next = more.next
        }
        expect(names).toEqual(['d', 'd2', 'e'])
      },
    )
  })
})
