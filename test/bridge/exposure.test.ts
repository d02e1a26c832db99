import { describe, expect, it, vi } from 'vitest'
import type { TokenVerifier } from '../../src/bridge/index.js'
import { Principal } from '../../src/registry/principal.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import { visibilityByTag } from '../../src/runtime/visibility-by-tag.js'
import { tool } from '../runtime/runtime-fixture.js'
import { caller, hosted } from './fixtures/hosted.js'
import { messagesOf, modern, openSession, request, send } from './fixtures/http-server.js'
import { ERAS, type Json, WAYS, type Way, type WayClient } from './fixtures/ways.js'

const resource = (name: string, metadata: ToolMetadataInit) =>
  ResourceDefinition.builder()
    .name(name)
    .uri(`docs://${name}`)
    .metadata(metadata)
    .reader(() => name)
    .build()
const template = (name: string, metadata: ToolMetadataInit) =>
  ResourceDefinition.builder()
    .name(name)
    .uriTemplate(`${name}://{id}`)
    .metadata(metadata)
    .complete('id', () => [name])
    .reader(() => name)
    .build()
const prompt = (name: string, metadata: ToolMetadataInit) =>
  PromptDefinition.builder()
    .name(name)
    .parameterSchema({ type: 'object', properties: { id: { type: 'string' } } })
    .metadata(metadata)
    .complete('id', () => [name])
    .template(() => name)
    .build()

/** One of each kind, each with its metadata. */
const all = (parts: Readonly<Record<string, ToolMetadataInit>>) => {
  const each = Object.entries(parts)
  return {
    tools: each.map(([name, metadata]) => tool(name, () => name, { metadata })),
    resources: each.flatMap(([name, metadata]) => [resource(name, metadata), template(name, metadata)]),
    prompts: each.map(([name, metadata]) => prompt(name, metadata)),
  }
}

async function listed(client: WayClient) {
  const names = async (what: Parameters<WayClient['list']>[0]) =>
    (await client.list(what)).map(({ name }) => name)
  return {
    tools: await names('tools'),
    resources: await names('resources'),
    templates: await names('resourceTemplates'),
    prompts: await names('prompts'),
  }
}

const every = (...names: readonly string[]) => ({
  tools: names,
  resources: names,
  templates: names,
  prompts: names,
})

/** What a client gets of what has this name, at every door. */
async function tried(client: WayClient, name: string): Promise<readonly Json[]> {
  return [
    await client.call(name),
    await client.read(`docs://${name}`),
    await client.read(`${name}://1`),
    await client.prompt(name),
    await client.complete({ type: 'ref/prompt', name }, { name: 'id', value: '' }),
    await client.complete({ type: 'ref/resource', uri: `${name}://{id}` }, { name: 'id', value: '' }),
    { refused: (await client.follow(`docs://${name}`)).refused },
  ]
}

/** The same answers as if they were about another name. */
const about = (answers: readonly Json[], name: string, other: string) =>
  JSON.parse(JSON.stringify(answers).replaceAll(name, other))

describe.each(WAYS)('$name', (way: Way) => {
  it('sees of a bridge what it exposes by tag, in every list and at every door, and of another the rest', async () => {
    const parts = { free: {}, inner: { tags: ['inner'] }, outer: { tags: ['x', 'outer'] } }
    await using host = await hosted({ ...all(parts), bridge: { expose: { tags: ['outer', 'shared'] } } })
    await using other = await host.also({ expose: ({ metadata }) => !metadata.tags.includes('outer') })
    const [outer, rest] = [await way.connect(host), await way.connect(other)]
    expect([await listed(outer), await listed(rest)]).toEqual([every('outer'), every('free', 'inner')])
    expect(await tried(outer, 'outer')).toEqual([
      { content: [{ type: 'text', text: 'outer' }] },
      { contents: [{ uri: 'docs://outer', text: 'outer' }] },
      { contents: [{ uri: 'outer://1', text: 'outer' }] },
      { messages: [{ role: 'user', content: { type: 'text', text: 'outer' } }] },
      { completion: { values: ['outer'], total: 1, hasMore: false } },
      { completion: { values: ['outer'], total: 1, hasMore: false } },
      { refused: undefined },
    ])
    // A name that was never there gets the same answers.
    expect(await tried(outer, 'inner')).toEqual(about(await tried(outer, 'never'), 'never', 'inner'))
    expect(await tried(rest, 'outer')).toEqual(about(await tried(rest, 'never'), 'never', 'outer'))
    await Promise.all([outer.close(), rest.close()])
  })

  it('sees what its principal may see, by scopes and by function, and gets the unknown answer for the rest', async () => {
    const parts = {
      free: {},
      scoped: { visibility: { scopes: ['read', 'admin'] } },
      mine: { visibility: (principal?: Principal) => principal?.subject === 'alice' },
    }
    await using host = await hosted(all(parts))
    const [alice, admin, bob, nobody] = await Promise.all(
      [caller('alice'), caller('root', 'admin', 'read', 'x'), caller('bob', 'admin'), undefined].map((as) =>
        way.connect(host, as && { as }),
      ),
    )
    const seen = await Promise.all([alice, admin, bob, nobody].map((client) => listed(client as WayClient)))
    expect(seen).toEqual([every('free', 'mine'), every('free', 'scoped'), every('free'), every('free')])
    for (const [client, hidden] of [
      [alice, 'scoped'],
      [admin, 'mine'],
      [bob, 'scoped'],
      [nobody, 'mine'],
    ] as [WayClient, string][]) {
      expect(await tried(client, hidden)).toEqual(about(await tried(client, 'never'), 'never', hidden))
    }
    expect((await tried(admin as WayClient, 'scoped')).map((answer) => Object.keys(answer)[0])).toEqual([
      ...['content', 'contents', 'contents', 'messages', 'completion', 'completion', 'refused'],
    ])
    await Promise.all([alice, admin, bob, nobody].map((client) => client?.close()))
  })
})

describe('a rule of visibility that does not hold', () => {
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('secret')
      },
    ],
    ['says something else than yes', () => 'yes'],
    ['takes its time', async () => true],
  ])('hides what it is about, and is reported: one that %s', async (_what, rule) => {
    await using host = await hosted(all({ free: {}, odd: { visibility: rule as () => boolean } }))
    for (const way of ERAS) {
      const client = await way.connect(host)
      expect(await listed(client)).toEqual(every('free'))
      expect(await client.call('odd')).toEqual({ code: -32602, message: 'Unknown tool "odd"' })
      await client.close()
    }
    expect(host.logger.lines.filter(({ level }) => level === 'error')[0]).toMatchObject({
      fields: { kind: expect.any(String), name: 'odd' },
    })
  })

  it('hides what a subset cannot tell about', async () => {
    const expose = ({ name }: { readonly name: string }) => {
      if (name === 'odd') throw new Error('secret')
      return true
    }
    await using host = await hosted({ ...all({ free: {}, odd: {} }), bridge: { expose } })
    for (const way of ERAS) {
      const client = await way.connect(host)
      expect(await listed(client)).toEqual(every('free'))
      await client.close()
    }
  })
})

describe('lists', () => {
  const parts = { free: {}, scoped: { visibility: { scopes: ['admin'] } } }
  const METHODS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'] as const

  const scopes = async (url: string, headers: Readonly<Record<string, string>> = {}) =>
    Promise.all(
      METHODS.map(async (method) => {
        const raw = modern(1, method)
        const [answer] = await messagesOf(
          await send(url, { ...raw, headers: { ...raw.headers, ...headers } }),
        )
        return (answer as { result: { cacheScope: string } }).result.cacheScope
      }),
    )

  it('are private where a principal makes a difference, and public where none does', async () => {
    await using restricted = await hosted(all(parts))
    await using open = await hosted(all({ free: {} }))
    await using ruled = await hosted({
      ...all({ free: {} }),
      options: { visibility: visibilityByTag({ admin: ['admin'] }) },
    })
    expect([
      await scopes(restricted.url),
      await scopes(restricted.url, caller('root', 'admin').headers),
      await scopes(open.url),
      await scopes(ruled.url),
    ]).toEqual(['private', 'private', 'public', 'private'].map((scope) => METHODS.map(() => scope)))
    restricted.runtime.registry.replace(tool('scoped'))
    expect((await scopes(restricted.url))[0]).toBe('public')
  })

  it('vary by principal and never by connection', async () => {
    await using host = await hosted(all(parts))
    for (const way of WAYS) {
      const [one, same] = await Promise.all(
        ['root', 'other'].map((name) => way.connect(host, { as: caller(name, 'admin') })),
      )
      await (one as WayClient).call('free')
      expect([await listed(one as WayClient), await listed(same as WayClient)]).toEqual([
        every('free', 'scoped'),
        every('free', 'scoped'),
      ])
      await Promise.all([one?.close(), same?.close()])
    }
  })

  it('are paged through as the principal sees them, and a cursor of one is good for another', async () => {
    const some = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((name, i) => [
        name,
        i % 2 === 0 ? {} : { visibility: { scopes: ['admin'] } },
      ]),
    )
    await using host = await hosted({ ...all(some), bridge: { pageSize: 2 } })
    const page = async (as: ReturnType<typeof caller>, cursor?: string) => {
      const raw = modern(1, 'tools/list', cursor === undefined ? {} : { cursor })
      const [answer] = await messagesOf(
        await send(host.url, { ...raw, headers: { ...raw.headers, ...as.headers } }),
      )
      const { tools, nextCursor } = (answer as { result: { tools: Json[]; nextCursor?: string } }).result
      return { names: tools.map(({ name }) => name), nextCursor }
    }
    const [admin, bob] = [caller('root', 'admin'), caller('bob')]
    const first = await page(bob)
    const second = await page(bob, first.nextCursor)
    expect([first.names, second]).toEqual([['a', 'c'], { names: ['e'], nextCursor: undefined }])
    expect(await page(admin, first.nextCursor)).toMatchObject({ names: ['d', 'e'] })
    expect((await page(admin)).names).toEqual(['a', 'b'])
  })

  it('go by the bearer token of each request, also in one session', async () => {
    const verifier: TokenVerifier = {
      verify: async (token) => {
        const [subject = '', scope] = token.split('~')
        return new Principal({ subject, scopes: scope === undefined ? [] : [scope] })
      },
    }
    const auth = {
      verifier,
      resource: 'http://127.0.0.1/mcp',
      authorizationServers: ['https://login.example.com'],
    }
    await using host = await hosted({ ...all(parts), bridge: { http: { auth } } })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const session = await openSession(host.url, bearer('alice~admin'))
    const names = async (headers: Readonly<Record<string, string>>) => {
      const [answer] = await messagesOf(await send(host.url, { headers, body: request(2, 'tools/list') }))
      return (answer as { result: { tools: Json[] } }).result.tools.map(({ name }) => name)
    }
    // The same person, with a token that allows less.
    expect([await names(session), await names({ ...session, ...bearer('alice') })]).toEqual([
      ['free', 'scoped'],
      ['free'],
    ])
    const stranger = await send(host.url, {
      headers: { ...session, ...bearer('bob~admin') },
      body: request(3, 'tools/list'),
    })
    expect(stranger.status).toBe(404)
  })
})

describe('the headers that a tool asks for (x-mcp-header)', () => {
  const region = ToolDefinition.builder()
    .name('region')
    .description('Where')
    .parameterSchema({
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      required: ['region'],
    })
    .metadata({ tags: ['inner'], visibility: { scopes: ['admin'] } })
    .executor(({ args }) => (args as { readonly region: string }).region)
    .build()

  it('are asked of those alone who may see the tool', async () => {
    await using host = await hosted({ tools: [region] })
    await using outside = await host.also({ expose: { tags: ['outer'] } })
    const call = async (url: string, headers: Readonly<Record<string, string>>) => {
      const raw = modern(1, 'tools/call', { name: 'region', arguments: { region: 'eu' } })
      const response = await send(url, { ...raw, headers: { ...raw.headers, ...headers } })
      const [message] = await messagesOf(response)
      return [response.status, message?.error ?? (message as { result: Json }).result.content]
    }
    const [admin, bob] = [caller('root', 'admin').headers, caller('bob').headers]
    const unknown = [200, { code: -32602, message: 'Unknown tool "region"' }]
    expect(await call(host.url, { ...admin, 'mcp-param-region': 'eu' })).toEqual([
      200,
      [{ type: 'text', text: 'eu' }],
    ])
    expect(await call(host.url, admin)).toMatchObject([400, { code: -32020 }])
    expect([
      await call(host.url, bob),
      await call(host.url, { ...bob, 'mcp-param-region': 'eu' }),
      await call(outside.url, admin),
      await call(outside.url, { ...admin, 'mcp-param-region': 'us' }),
    ]).toEqual([unknown, unknown, unknown, unknown])
  })
})

it('hides a tool from the moment that it is hidden, also from who has listed it', async () => {
  await using host = await hosted(all({ free: {} }))
  for (const way of ERAS) {
    host.runtime.registry.replace(tool('free'))
    const client = await way.connect(host, { as: caller('bob') })
    expect(await client.call('free')).toMatchObject({ content: [{ text: 'done' }] })
    host.runtime.registry.replace(
      tool('free', () => 'x', { metadata: { visibility: { scopes: ['admin'] } } }),
    )
    expect(await client.call('free')).toEqual({ code: -32602, message: 'Unknown tool "free"' })
    await client.close()
  }
})

it('tells of a list that has changed in a subset that it is not in, but not what it is', async () => {
  await using host = await hosted({ ...all({ free: {} }), bridge: { expose: { tags: ['outer'] } } })
  for (const way of ERAS) {
    const client = await way.connect(host)
    await client.follow()
    host.runtime.registry.replace(tool('free'))
    await vi.waitFor(() => expect(client.heard).toEqual(['tools/list_changed']))
    expect(await client.list('tools')).toEqual([])
    await client.close()
  }
})

it.each([null, 5, 'outer', {}, { tags: 'outer' }, { tags: [5] }])('refuses to expose %j', async (expose) => {
  await expect(hosted({ bridge: { expose: expose as never } })).rejects.toThrow('expose')
})
