import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ResourceContents } from '../../src/registry/resource-contents.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { RateLimitedError } from '../../src/registry/tool-error.js'
import { type Hosted, hosted } from './fixtures/hosted.js'
import { messagesOf, modern, openSession, request, send } from './fixtures/http-server.js'
import { ERAS, WAYS, type WayClient } from './fixtures/ways.js'

const resource = ResourceDefinition.builder

const readme = resource()
  .name('readme')
  .title('Read me')
  .description('How it begins')
  .uri('docs://readme')
  .mimeType('text/plain')
  .size(6)
  .annotations({ audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' })
  .icons({ src: 'https://example.com/doc.png', mimeType: 'image/png' })
  .meta({ 'example.com/shelf': 3 })
  .reader(() => 'Hello.')
  .build()

const RESOURCES = [
  readme,
  resource()
    .name('logo')
    .uri('docs://logo')
    .mimeType('image/png')
    .reader(() => new Uint8Array([0, 127, 255]))
    .build(),
  resource()
    .name('state')
    .uri('docs://state')
    .reader(() => ({ items: [1, { two: true }] }))
    .build(),
  resource()
    .name('folder')
    .uri('docs://folder')
    .mimeType('text/markdown')
    .reader(() => [
      ResourceContents.text('# One', { meta: { 'example.com/at': 1 } }),
      ResourceContents.blob(new Uint8Array([1]), { uri: 'docs://folder/2', mimeType: 'image/gif' }),
    ])
    .build(),
  resource()
    .name('empty')
    .uri('docs://empty')
    .reader(() => '')
    .build(),
  resource()
    .name('gone')
    .uri('docs://gone')
    .reader(() => undefined)
    .build(),
  resource()
    .name('broken')
    .uri('docs://broken')
    .reader(() => {
      throw new Error('secret: /srv/keys')
    })
    .build(),
  resource()
    .name('odd')
    .uri('docs://odd')
    .reader(() => ({ at: 5n }))
    .build(),
  resource()
    .name('busy')
    .uri('docs://busy')
    .reader(() => {
      throw new RateLimitedError('busy', 1_500)
    })
    .build(),
  resource()
    .name('page')
    .title('A page')
    .description('Of a book')
    .uriTemplate('books://{book}/{page}')
    .mimeType('application/json')
    .parameterSchema({
      type: 'object',
      properties: { book: { type: 'string', minLength: 2 }, page: { type: 'string', pattern: '^[0-9]+$' } },
    })
    .reader(({ args }, uri) => ({ ...args, uri }))
    .build(),
]

let host: Hosted

beforeAll(async () => {
  host = await hosted({ resources: RESOURCES })
})

afterAll(() => host[Symbol.asyncDispose]())

describe.each(WAYS)('$name', ({ sdk, connect }) => {
  let client: WayClient

  beforeAll(async () => {
    client = await connect(host)
  })

  afterAll(() => client.close())

  it('lists a resource and a template as they were defined, each in its own list', async () => {
    const [resources, templates] = [await client.list('resources'), await client.list('resourceTemplates')]
    expect(resources.find(({ name }) => name === 'readme')).toEqual({
      uri: 'docs://readme',
      name: 'readme',
      title: 'Read me',
      description: 'How it begins',
      mimeType: 'text/plain',
      size: 6,
      annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' },
      icons: [{ src: 'https://example.com/doc.png', mimeType: 'image/png' }],
      _meta: { 'example.com/shelf': 3 },
    })
    expect(resources.map(({ uri }) => uri)).toEqual(
      ['broken', 'busy', 'empty', 'folder', 'gone', 'logo', 'odd', 'readme', 'state'].map(
        (name) => `docs://${name}`,
      ),
    )
    expect(templates.map(({ icons: _icons, ...template }) => template)).toEqual([
      {
        uriTemplate: 'books://{book}/{page}',
        name: 'page',
        title: 'A page',
        description: 'Of a book',
        mimeType: 'application/json',
      },
    ])
  })

  it.each([
    ['text', 'docs://readme', [{ uri: 'docs://readme', mimeType: 'text/plain', text: 'Hello.' }]],
    ['no text at all', 'docs://empty', [{ uri: 'docs://empty', text: '' }]],
    ['bytes', 'docs://logo', [{ uri: 'docs://logo', mimeType: 'image/png', blob: 'AH//' }]],
    [
      'JSON',
      'docs://state',
      [{ uri: 'docs://state', mimeType: 'application/json', text: '{"items":[1,{"two":true}]}' }],
    ],
    [
      'several contents in order',
      'docs://folder',
      [
        { uri: 'docs://folder', mimeType: 'text/markdown', text: '# One', _meta: { 'example.com/at': 1 } },
        { uri: 'docs://folder/2', mimeType: 'image/gif', blob: 'AQ==' },
      ],
    ],
    [
      'what fits a template, with the values decoded and the URI as it was asked for',
      'books://caf%C3%A9%20noir/12',
      [
        {
          uri: 'books://caf%C3%A9%20noir/12',
          mimeType: 'application/json',
          text: '{"book":"café noir","page":"12","uri":"books://caf%C3%A9%20noir/12"}',
        },
      ],
    ],
  ])('reads %s', async (_what, uri, contents) => {
    expect(await client.read(uri)).toEqual({ contents })
  })

  const notFound = (uri: string) => ({
    // SDK 2.x gives its callers the new code for either.
    code: sdk === 1 ? -32002 : -32602,
    message: `Resource not found: ${uri}`,
    data: { uri },
  })

  it.each(['docs://none', 'docs://gone', 'docs://', 'books://b/x/1', 'toolwire://results/none'])(
    'says that there is no %s, never with empty contents',
    async (uri) => {
      expect(await client.read(uri)).toEqual(notFound(uri))
    },
  )

  it('refuses values that the template does not allow, and says which', async () => {
    expect(await client.read('books://b/x')).toEqual({
      code: -32602,
      message:
        'Invalid arguments for "page": "book" must have at least 2 characters (got "b"); "page" must match the pattern ^[0-9]+$ (got "x")',
    })
  })

  it('refuses a malformed URI', async () => {
    expect(await client.read('books://50%/1')).toMatchObject({
      code: -32602,
      message: expect.stringContaining('%'),
    })
  })

  it('tells of a failure without its cause', async () => {
    expect([
      await client.read('docs://broken'),
      await client.read('docs://odd'),
      await client.read('docs://busy'),
    ]).toEqual([
      { code: -32603, message: 'The tool failed' },
      {
        code: -32000,
        message: 'Resource "odd" returned an invalid result: it holds a bigint, which JSON cannot carry',
        data: {
          code: 'INVALID_RESULT',
          message: expect.any(String),
          retryable: false,
          outcome: 'completed',
        },
      },
      {
        code: -32000,
        message: 'Too many calls of "busy"; try again in 2 s',
        data: {
          code: 'RATE_LIMITED',
          message: expect.any(String),
          retryable: true,
          outcome: 'not-started',
          retryAfterMs: 1_500,
        },
      },
    ])
  })
})

describe.each(ERAS)('$era, on the wire', ({ era }) => {
  const answer = async (method: string, params: Readonly<Record<string, unknown>>) => {
    const raw =
      era === 'legacy'
        ? { headers: await openSession(host.url), body: request(2, method, params) }
        : modern(2, method, params)
    const name = typeof params.uri === 'string' ? { 'mcp-name': params.uri } : {}
    return (await messagesOf(await send(host.url, { ...raw, headers: { ...raw.headers, ...name } }))).at(-1)
  }

  it.each([{}, { uri: 5 }, { uri: null }])('refuses to read %j, which names no resource', async (params) => {
    expect(await answer('resources/read', params)).toMatchObject({ error: { code: -32602 } })
  })

  it('pages through resources alone, and through templates alone', async () => {
    await using small = await hosted({ resources: RESOURCES, bridge: { pageSize: 4 } })
    const pages: unknown[][] = []
    let cursor: string | undefined
    const headers = era === 'legacy' ? await openSession(small.url) : undefined
    do {
      const params = cursor === undefined ? {} : { cursor }
      const raw = headers
        ? { headers, body: request(2, 'resources/list', params) }
        : modern(2, 'resources/list', params)
      const [{ result }] = (await messagesOf(await send(small.url, raw))) as [
        { result: { resources: { name: string }[]; nextCursor?: string } },
      ]
      pages.push(result.resources.map(({ name }) => name))
      cursor = result.nextCursor
    } while (cursor !== undefined)
    expect(pages).toEqual([
      ['broken', 'busy', 'empty', 'folder'],
      ['gone', 'logo', 'odd', 'readme'],
      ['state'],
    ])
  })
})
