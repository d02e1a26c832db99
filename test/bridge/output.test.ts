import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Content } from '../../src/registry/content.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import { tool } from '../runtime/runtime-fixture.js'
import { caller, type Hosted, hosted } from './fixtures/hosted.js'
import { ERAS, type Json, WAYS, type Way, type WayClient } from './fixtures/ways.js'

const BYTES = randomBytes(100_000)
const ANNOTATIONS = {
  audience: ['user', 'assistant'],
  priority: 0,
  lastModified: '2026-01-02T03:04:05Z',
} as const

const structured = (name: string, outputSchema: Json, value: unknown) =>
  ToolDefinition.builder()
    .name(name)
    .description(name)
    .outputSchema(outputSchema)
    .executor(() => value)
    .build()

const N = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
const cycle: unknown[] = []
cycle.push({ cycle })

const TOOLS = [
  tool('blocks', () =>
    ToolExecutionResult.content(
      Content.text('', { annotations: ANNOTATIONS, meta: { 'example.com/n': 0 } }),
      Content.image(BYTES, 'image/png', { annotations: { priority: 1 } }),
      Content.audio(BYTES.subarray(0, 10), 'audio/wav'),
      Content.resourceLink({
        uri: 'docs://a',
        name: 'a',
        title: 'A',
        description: 'The a',
        mimeType: 'text/plain',
        size: 0,
        annotations: ANNOTATIONS,
      }),
      Content.resource({ uri: 'docs://b', text: '', mimeType: 'text/plain' }),
      Content.resource(
        { uri: 'docs://c', blob: BYTES, meta: { 'example.com/n': 0 } },
        { annotations: { priority: 0.5 } },
      ),
    ),
  ),
  structured('number', N, { n: 1 }),
  structured('text', N, '1'),
  structured('wrong', N, { n: 'x' }),
  structured('nothing', N, undefined),
  structured('falsy', { type: 'object', properties: { zero: {}, none: {}, no: {}, empty: {} } }, FALSY()),
  structured('list', { type: 'array', items: { type: 'integer' } }, []),
  structured('maybe', { type: ['object', 'null'] }, null),
  tool('free', () => ({ n: 1 })),
  tool('date', () => new Date(0)),
  ...Object.entries({
    bigint: 10n,
    deep: { a: [{ b: 5n }] },
    cycle,
    function: { go: () => 1 },
    map: new Map([['a', 1]]),
    nan: [Number.NaN],
  }).map(([name, value]) => tool(name, () => value)),
  tool('broken_content', () =>
    ToolExecutionResult.content({ type: 'image', data: 'no base64!', mimeType: 'image/png' }),
  ),
  tool('large', () => 'x'.repeat(3_000), { metadata: { maxResultSize: 1_000 } }),
  tool('large_blocks', () => ToolExecutionResult.content(Content.image(BYTES, 'image/png')), {
    metadata: { maxResultSize: 1_000, largeResult: 'spill' },
  }),
  tool('spilled', () => ({ rows: Array.from({ length: 500 }, (_, i) => ({ i, name: `行 ${i}` })) }), {
    metadata: { maxResultSize: 1_000, largeResult: 'spill' },
  }),
]

function FALSY() {
  return { zero: 0, none: null, no: false, empty: '' }
}

let host: Hosted

beforeAll(async () => {
  host = await hosted({ tools: TOOLS })
})

afterAll(() => host[Symbol.asyncDispose]())

const said = (text: string) => [{ type: 'text', text }]
const invalid = (name: string, what: string) => ({
  isError: true,
  content: said(
    `Tool "${name}" returned ${name.startsWith('large') ? 'a result that is too large' : 'an invalid result'}: ${what}`,
  ),
})
describe.each(WAYS)('$name', (way: Way) => {
  let client: WayClient

  beforeAll(async () => {
    client = await way.connect(host, { as: caller('alice') })
    // A client that has the list checks what it gets against the schemas in it.
    await client.list('tools')
  })

  afterAll(() => client.close())

  it('gets blocks of every kind in order, with every byte and every annotation', async () => {
    expect(await client.call('blocks')).toEqual({
      content: [
        { type: 'text', text: '', annotations: ANNOTATIONS, _meta: { 'example.com/n': 0 } },
        {
          type: 'image',
          data: BYTES.toString('base64'),
          mimeType: 'image/png',
          annotations: { priority: 1 },
        },
        { type: 'audio', data: BYTES.subarray(0, 10).toString('base64'), mimeType: 'audio/wav' },
        {
          type: 'resource_link',
          uri: 'docs://a',
          name: 'a',
          title: 'A',
          description: 'The a',
          mimeType: 'text/plain',
          size: 0,
          annotations: ANNOTATIONS,
        },
        { type: 'resource', resource: { uri: 'docs://b', text: '', mimeType: 'text/plain' } },
        {
          type: 'resource',
          resource: { uri: 'docs://c', blob: BYTES.toString('base64'), _meta: { 'example.com/n': 0 } },
          annotations: { priority: 0.5 },
        },
      ],
    })
  })

  it('gets a structured value beside the same as text', async () => {
    expect([await client.call('number'), await client.call('falsy')]).toEqual([
      { content: said('{"n":1}'), structuredContent: { n: 1 } },
      { content: said(JSON.stringify(FALSY())), structuredContent: FALSY() },
    ])
  })

  it('gets a value without a schema as text alone', async () => {
    expect([await client.call('free'), await client.call('date')]).toEqual([
      { content: said('{"n":1}') },
      { content: said('"1970-01-01T00:00:00.000Z"') },
    ])
  })

  it('gets values that are no objects structured in the new era alone', async () => {
    const beside = (structuredContent: unknown) => way.era === 'modern' && { structuredContent }
    expect([await client.call('list'), await client.call('maybe')]).toEqual([
      { content: said('[]'), ...beside([]) },
      { content: said('null'), ...beside(null) },
    ])
  })

  it.each([
    ['text', 'the value must be an object (got "1")'],
    ['wrong', '"n" must be a number (got "x")'],
    ['nothing', 'the value must be an object (got undefined)'],
    ['bigint', 'the value is a bigint, which JSON cannot carry'],
    ['deep', '/a/0/b is a bigint, which JSON cannot carry'],
    ['function', '/go is a function, which JSON cannot carry'],
    ['map', 'the value is an instance of Map, which JSON cannot carry'],
    ['nan', '/0 is NaN, which JSON cannot carry'],
    ['large', 'it is larger than 1000 characters of JSON; ask for less, such as a page or a filter'],
    ['large_blocks', 'it is larger than 1000 characters of JSON; ask for less, such as a page or a filter'],
  ])('is told what is wrong with the result of %s, and gets nothing of it', async (name, what) => {
    const { _meta, ...result } = await client.call(name)
    expect(result).toEqual(invalid(name, what))
    expect(_meta).toMatchObject({ 'toolwire/error': { retryable: false, outcome: 'completed' } })
  })

  it.each([
    ['cycle', 'nested deeper than 500 levels or contains itself'],
    ['broken_content', 'content/0/data must be base64'],
  ])('is told that the result of %s cannot be sent', async (name, what) => {
    expect(await client.call(name)).toMatchObject({
      isError: true,
      content: said(expect.stringContaining(what)),
    })
  })

  it('reads a result that was too large to be sent, and nobody else does', async () => {
    const { content } = (await client.call('spilled')) as { content: [Json, { uri: string; size: number }] }
    const [note, link] = content
    const whole = JSON.stringify({ rows: Array.from({ length: 500 }, (_, i) => ({ i, name: `行 ${i}` })) })
    expect(note).toMatchObject({ type: 'text', text: expect.stringContaining(link.uri) })
    expect(link).toEqual({
      type: 'resource_link',
      uri: expect.stringMatching(/^toolwire:\/\/results\/[0-9a-f-]{36}$/),
      name: 'large_result',
      mimeType: 'application/json',
      size: Buffer.byteLength(whole),
    })
    const read = { contents: [{ uri: link.uri, mimeType: 'application/json', text: whole }] }
    const refused = {
      code: way.sdk === 1 ? -32002 : -32602,
      message: `Resource not found: ${link.uri}`,
      data: { uri: link.uri },
    }
    const [again, bob, nobody] = await Promise.all([
      way.connect(host, { as: caller('alice') }),
      way.connect(host, { as: caller('bob', 'admin') }),
      way.connect(host),
    ])
    expect([
      await client.read(link.uri),
      await again.read(link.uri),
      await bob.read(link.uri),
      await nobody.read(link.uri),
    ]).toEqual([read, read, refused, refused])
    await Promise.all([again, bob, nobody].map((one) => one.close()))
  })
})

it('lets a bridge that exposes the tool alone read what it has spilled', async () => {
  await using part = await host.also({ expose: ({ name }) => name === 'spilled' })
  for (const way of ERAS) {
    const client = await way.connect(part, { as: caller('alice') })
    const { content } = (await client.call('spilled')) as { content: [Json, { uri: string }] }
    expect(await client.read(content[1].uri)).toMatchObject({ contents: [{ uri: content[1].uri }] })
    await client.close()
  }
})

it('logs a result that breaks its schema, at the server', () => {
  expect(host.logger.lines.filter(({ level }) => level !== 'debug')).toContainEqual(
    expect.objectContaining({ fields: expect.objectContaining({ toolName: 'wrong' }) }),
  )
})
