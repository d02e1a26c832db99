import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { type Hosted, hosted } from './fixtures/hosted.js'
import { messagesOf, modern, openSession, request, send } from './fixtures/http-server.js'
import { ERAS, WAYS, type WayClient } from './fixtures/ways.js'

const CITIES: Readonly<Record<string, readonly string[]>> = {
  cn: ['北京', '上海'],
  fr: ['Paris', 'Pau'],
}

const weather = PromptDefinition.builder()
  .name('weather')
  .parameterSchema(
    JsonSchema.object(
      {
        country: SchemaProperty.STRING.withEnum('cn', 'fr', 'FI'),
        city: SchemaProperty.STRING,
        day: SchemaProperty.STRING,
      },
      { required: ['country', 'city'] },
    ),
  )
  .complete('city', (typed, { args: { country } }) =>
    (CITIES[country ?? ''] ?? Object.values(CITIES).flat()).filter((city) => city.startsWith(typed)),
  )
  .template(({ args }) => `The weather in ${args.city}`)
  .build()

const page = ResourceDefinition.builder()
  .name('page')
  .uriTemplate('books://{book}/{page}')
  .complete('page', () => Array.from({ length: 250 }, (_, i) => String(i)))
  .complete('book', async (typed, { principal }) => {
    if (typed === 'bad') throw new Error('secret: /srv/keys')
    return typed === '' ? [] : [`${typed}!`, `for ${principal?.subject ?? 'anybody'}`]
  })
  .reader(() => '')
  .build()

let host: Hosted

beforeAll(async () => {
  host = await hosted({
    prompts: [weather],
    resources: [
      page,
      ResourceDefinition.builder()
        .name('one')
        .uri('books://one')
        .reader(() => '')
        .build(),
    ],
  })
})

afterAll(() => host[Symbol.asyncDispose]())

const ofWeather = { type: 'ref/prompt', name: 'weather' }
const ofPage = { type: 'ref/resource', uri: 'books://{book}/{page}' }

describe.each(WAYS)('$name', ({ connect }) => {
  let client: WayClient

  beforeAll(async () => {
    client = await connect(host)
  })

  afterAll(() => client.close())

  it.each([
    ['the values of an enum, in any case', ofWeather, { name: 'country', value: 'f' }, ['fr', 'FI']],
    ['what a function gives', ofWeather, { name: 'city', value: 'Pa' }, ['Paris', 'Pau']],
    ['what is typed as nothing', ofWeather, { name: 'country', value: '' }, ['cn', 'fr', 'FI']],
    ['nothing for an argument without values', ofWeather, { name: 'day', value: '' }, []],
    ['nothing for an argument that there is not', ofWeather, { name: 'constructor', value: '' }, []],
    ['a variable of a template', ofPage, { name: 'book', value: 'x' }, ['x!', 'for anybody']],
    ['nothing where the function has nothing', ofPage, { name: 'book', value: '' }, []],
  ])('completes %s', async (_what, ref, argument, values) => {
    expect(await client.complete(ref, argument)).toEqual({
      completion: { values, total: values.length, hasMore: false },
    })
  })

  it('goes by the arguments that are filled in already', async () => {
    const argument = { name: 'city', value: '' }
    expect(await client.complete(ofWeather, argument, { arguments: { country: 'cn' } })).toEqual({
      completion: { values: ['北京', '上海'], total: 2, hasMore: false },
    })
  })

  it('gives a hundred of more, and says how many there are', async () => {
    expect(await client.complete(ofPage, { name: 'page', value: '' })).toEqual({
      completion: { values: Array.from({ length: 100 }, (_, i) => String(i)), total: 250, hasMore: true },
    })
  })

  it('says that there is no such prompt, or template', async () => {
    const uri = 'books://one'
    expect([
      await client.complete({ type: 'ref/prompt', name: 'nope' }, { name: 'a', value: '' }),
      await client.complete({ type: 'ref/resource', uri }, { name: 'a', value: '' }),
    ]).toEqual([
      { code: -32602, message: 'Unknown prompt "nope"' },
      { code: -32602, message: `Resource not found: ${uri}` },
    ])
  })

  it('tells of a failure without its cause', async () => {
    expect(await client.complete(ofPage, { name: 'book', value: 'bad' })).toEqual({
      code: -32603,
      message: 'The tool failed',
    })
  })
})

describe.each(ERAS)('$era, on the wire', ({ era }) => {
  const argument = { name: 'city', value: '' }

  const answer = async (params: Readonly<Record<string, unknown>>) => {
    const raw =
      era === 'legacy'
        ? { headers: await openSession(host.url), body: request(2, 'completion/complete', params) }
        : modern(2, 'completion/complete', params)
    return (await messagesOf(await send(host.url, raw)))[0]
  }

  it.each([
    {},
    { ref: ofWeather },
    { ref: null, argument },
    { ref: { type: 'ref/tool', name: 'weather' }, argument },
    { ref: { type: 'ref/prompt', uri: 'books://one' }, argument },
    { ref: ofWeather, argument: { name: 'city' } },
    { ref: ofWeather, argument: { name: 5, value: '' } },
  ])('refuses %j', async (params) => {
    expect(await answer(params)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('completion/complete needs params.ref') },
    })
  })

  it.each([null, 5, { arguments: null }, { arguments: { country: 5, other: 'x' } }])(
    'goes without a context that says nothing: %j',
    async (context) => {
      expect(await answer({ ref: ofWeather, argument, context })).toMatchObject({
        result: { completion: { values: ['北京', '上海', 'Paris', 'Pau'] } },
      })
    },
  )
})
