import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Content } from '../../src/registry/content.js'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { PromptMessage } from '../../src/registry/prompt-message.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { UpstreamError } from '../../src/registry/tool-error.js'
import { type Hosted, hosted } from './fixtures/hosted.js'
import { messagesOf, modern, openSession, request, send } from './fixtures/http-server.js'
import { ERAS, WAYS, type WayClient } from './fixtures/ways.js'

const prompt = PromptDefinition.builder

const essay = prompt()
  .name('essay')
  .title('An essay')
  .description('About anything')
  .icons({ src: 'https://example.com/pen.png', mimeType: 'image/png' })
  .meta({ 'example.com/kind': 'text' })
  .parameterSchema(
    JsonSchema.object(
      {
        topic: SchemaProperty.STRING.withTitle('Topic').withDescription('What it is about'),
        tone: SchemaProperty.STRING.withEnum('dry', 'warm'),
        length: SchemaProperty.STRING.withDefault('short'),
      },
      { required: ['topic'] },
    ),
  )
  .template(({ args: { topic, tone, length } }) => `A ${length} ${tone ?? 'plain'} essay on [${topic}]`)
  .build()

const PROMPTS = [
  essay,
  prompt()
    .name('talk')
    .template(() => ({
      description: 'A short talk',
      messages: [
        PromptMessage.user('Look:'),
        PromptMessage.user(
          Content.image(new Uint8Array([0, 127, 255]), 'image/png', { annotations: { priority: 1 } }),
        ),
        PromptMessage.assistant(Content.audio('AH//', 'audio/wav')),
        PromptMessage.user(Content.resourceLink({ uri: 'docs://a', name: 'a', size: 3 })),
        PromptMessage.user(Content.resource({ uri: 'docs://b', blob: 'AH//', mimeType: 'image/gif' })),
      ],
    }))
    .build(),
  prompt()
    .name('silent')
    .template(() => [])
    .build(),
  prompt()
    .name('broken')
    .template(() => {
      throw new Error('secret: /srv/keys')
    })
    .build(),
  prompt()
    .name('down')
    .template(() => {
      throw new UpstreamError('The library is down', { status: 503, cause: new Error('secret') })
    })
    .build(),
  prompt()
    .name('odd')
    .template(() => ({ messages: [{ role: 'system', content: 'x' }] }) as never)
    .build(),
]

let host: Hosted

beforeAll(async () => {
  host = await hosted({ prompts: PROMPTS })
})

afterAll(() => host[Symbol.asyncDispose]())

const said = (text: string) => ({ messages: [{ role: 'user', content: { type: 'text', text } }] })

describe.each(WAYS)('$name', ({ connect }) => {
  let client: WayClient

  beforeAll(async () => {
    client = await connect(host)
  })

  afterAll(() => client.close())

  it('lists a prompt as it was defined, with its arguments', async () => {
    const prompts = await client.list('prompts')
    expect(prompts.map(({ name }) => name)).toEqual(['broken', 'down', 'essay', 'odd', 'silent', 'talk'])
    expect(prompts.filter(({ name }) => name === 'essay' || name === 'talk')).toEqual([
      {
        name: 'essay',
        title: 'An essay',
        description: 'About anything',
        icons: [{ src: 'https://example.com/pen.png', mimeType: 'image/png' }],
        _meta: { 'example.com/kind': 'text' },
        arguments: [
          { name: 'topic', description: 'What it is about', required: true },
          { name: 'tone', required: false },
          { name: 'length', required: false },
        ],
      },
      { name: 'talk' },
    ])
  })

  it.each([
    ['what is given, and the default of what is not', { topic: 'tea' }, 'A short plain essay on [tea]'],
    ['an empty argument as one that is there', { topic: '' }, 'A short plain essay on []'],
    ['all of them', { topic: 'tea', tone: 'warm', length: 'long' }, 'A long warm essay on [tea]'],
    [
      'any text as it is',
      { topic: '{x}\n{"a":1} 中文 \u0000' },
      'A short plain essay on [{x}\n{"a":1} 中文 \u0000]',
    ],
  ])('fills in %s', async (_what, args, text) => {
    expect(await client.prompt('essay', args)).toEqual(said(text))
  })

  it('gives messages of every kind of content, in order', async () => {
    expect(await client.prompt('talk')).toEqual({
      description: 'A short talk',
      messages: [
        { role: 'user', content: { type: 'text', text: 'Look:' } },
        {
          role: 'user',
          content: { type: 'image', data: 'AH//', mimeType: 'image/png', annotations: { priority: 1 } },
        },
        { role: 'assistant', content: { type: 'audio', data: 'AH//', mimeType: 'audio/wav' } },
        { role: 'user', content: { type: 'resource_link', uri: 'docs://a', name: 'a', size: 3 } },
        {
          role: 'user',
          content: { type: 'resource', resource: { uri: 'docs://b', blob: 'AH//', mimeType: 'image/gif' } },
        },
      ],
    })
    expect(await client.prompt('silent')).toEqual({ messages: [] })
  })

  it.each<[string, Record<string, string> | undefined, string]>([
    ['nothing at all', undefined, 'missing required argument "topic"'],
    ['a missing one', { tone: 'dry' }, 'missing required argument "topic"'],
    [
      'two faults',
      { tone: 'wet' },
      'missing required argument "topic"; "tone" must be one of "dry", "warm" (got "wet")',
    ],
  ])('refuses %s, saying all that is wrong', async (_what, args, text) => {
    expect(await client.prompt('essay', args)).toEqual({
      code: -32602,
      message: `Invalid arguments for "essay": ${text}`,
    })
  })

  it('says that there is no such prompt', async () => {
    expect(await client.prompt('nope')).toEqual({ code: -32602, message: 'Unknown prompt "nope"' })
  })

  it('tells of a failure without its cause, and of one on purpose with its fields', async () => {
    expect([await client.prompt('broken'), await client.prompt('down'), await client.prompt('odd')]).toEqual([
      { code: -32603, message: 'The tool failed' },
      {
        code: -32000,
        message: 'The library is down',
        data: {
          code: 'UPSTREAM_FAILED',
          message: 'The library is down',
          retryable: true,
          outcome: 'unknown',
          status: 503,
        },
      },
      {
        code: -32000,
        message: expect.stringContaining('messages/0/role must be "user" or "assistant"'),
        data: { code: 'INVALID_RESULT', message: expect.any(String), retryable: false, outcome: 'completed' },
      },
    ])
  })
})

describe.each(ERAS)('$era, on the wire', ({ era }) => {
  // The SDKs' clients drop it.
  it('shows the display name of an argument', async () => {
    const raw =
      era === 'legacy'
        ? { headers: await openSession(host.url), body: request(2, 'prompts/list') }
        : modern(2, 'prompts/list')
    const [answer] = await messagesOf(await send(host.url, raw))
    const topic = { name: 'topic', title: 'Topic', description: 'What it is about', required: true }
    expect(answer?.result).toMatchObject({
      prompts: expect.arrayContaining([
        expect.objectContaining({ name: 'essay', arguments: expect.arrayContaining([topic]) }),
      ]),
    })
  })

  it.each([
    [{}, 'prompts/get needs params.name, the name of a prompt'],
    [{ name: 5 }, 'prompts/get needs params.name, the name of a prompt'],
    [
      { name: 'essay', arguments: null },
      'Invalid arguments for "essay": arguments must be an object of named arguments (got null)',
    ],
    [
      { name: 'essay', arguments: ['tea'] },
      'Invalid arguments for "essay": arguments must be an object of named arguments (got an array)',
    ],
    [
      { name: 'essay', arguments: { topic: 5 } },
      'Invalid arguments for "essay": "topic" must be a string (got 5)',
    ],
  ])('refuses %j in a sentence', async (params, message) => {
    const raw =
      era === 'legacy'
        ? { headers: await openSession(host.url), body: request(2, 'prompts/get', params) }
        : modern(2, 'prompts/get', params)
    const [answer] = await messagesOf(await send(host.url, raw))
    expect(answer?.error).toEqual({ code: -32602, message })
  })
})
