import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, vi } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { tool } from '../runtime/runtime-fixture.js'
import { hosted } from './fixtures/hosted.js'
import { messagesOf, request, send } from './fixtures/http-server.js'
import { type Json, WAYS, type Way } from './fixtures/ways.js'

const SEAT = JsonSchema.object(
  { seat: SchemaProperty.STRING.withEnum('window', 'aisle'), bags: SchemaProperty.INTEGER.withMinimum(0) },
  { required: ['seat'] },
)
const SAMPLING = {
  kind: 'sampling',
  messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }],
  maxTokens: 10,
  systemPrompt: 'Be brief',
} as const

/** What the tools did. */
function asking() {
  const did: string[] = []
  const signals: AbortSignal[] = []
  const note = (what: string) => {
    did.push(what)
    return what
  }
  const tools = [
    tool('book', async ({ ask, signal }) => {
      signals.push(signal)
      return ask({ message: 'Which seat?', schema: SEAT })
    }),
    tool('pay', ({ ask }) => ask({ kind: 'url', message: 'Please pay', url: 'https://pay.example.com/1' })),
    tool('think', ({ ask }) => ask(SAMPLING)),
    tool('folders', ({ ask }) => ask({ kind: 'roots' })),
    tool('all', ({ ask }) =>
      Promise.all([
        ask({ key: 'seat', message: 'Which seat?', schema: SEAT }),
        ask(SAMPLING),
        ask({ kind: 'roots' }),
      ]),
    ),
    tool('trip', async ({ args, ask, once, round }) => {
      await once('reserve', () => note(`reserve ${args.city}`))
      const out = await ask({ message: 'Out?', schema: SEAT })
      await once('pay', () => note('pay'))
      const back = await ask({ message: 'Back?', schema: SEAT })
      note(`done in round ${round}`)
      return [out, back].map((answer) => (answer.action === 'accept' ? answer.content.seat : answer.action))
    }),
  ]
  return { did, signals, tools }
}

const FORMS = { elicitation: { form: {} } }
const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const accepted = (content: Json) => ({ action: 'accept', content })
const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })
/** The value of a result, whose members an SDK may have put into an order of its own. */
const told = (result: Json) => JSON.parse((result.content as [{ readonly text: string }])[0].text)
const failed = (code: string, message: string) => ({
  isError: true,
  content: [{ type: 'text', text: message }],
  _meta: { 'toolwire/error': expect.objectContaining({ code, message }) },
})

describe.each(WAYS)('$name', (way: Way) => {
  it.each<[string, Json, unknown]>([
    ['fills in a form', accepted({ seat: 'aisle', bags: 2 }), accepted({ seat: 'aisle', bags: 2 })],
    ['leaves out what need not be said', accepted({ seat: 'aisle' }), accepted({ seat: 'aisle' })],
    ['says no', { action: 'decline' }, { action: 'decline' }],
    ['closes the form', { action: 'cancel' }, { action: 'cancel' }],
  ])('asks a user who %s', async (_what, answer, result) => {
    await using host = await hosted({ tools: asking().tools })
    const elicit = vi.fn((_params: Json) => answer)
    const client = await way.connect(host, { capabilities: FORMS, answers: { 'elicitation/create': elicit } })
    expect(await client.call('book')).toEqual(text(result))
    const [[shown]] = elicit.mock.calls as [[Json]]
    expect(shown).toMatchObject({
      message: 'Which seat?',
      requestedSchema: {
        type: 'object',
        properties: {
          seat: { type: 'string', enum: ['window', 'aisle'] },
          bags: { type: 'integer', minimum: 0 },
        },
        required: ['seat'],
      },
    })
    expect(elicit).toHaveBeenCalledTimes(1)
    await client.close()
  })

  it('sends a user to a page, asks a model, and asks for the folders', async () => {
    await using host = await hosted({ tools: asking().tools })
    const [elicit, sample] = [
      vi.fn((_params: Json) => ({ action: 'accept' })),
      vi.fn((_params: Json) => THOUGHT),
    ]
    const client = await way.connect(host, {
      capabilities: EVERYTHING,
      answers: {
        'elicitation/create': elicit,
        'sampling/createMessage': sample,
        'roots/list': () => ({ roots: [{ uri: 'file:///home', name: 'Home' }] }),
      },
    })
    const results = [await client.call('pay'), await client.call('think'), await client.call('folders')]
    expect(results.map(told)).toEqual([
      { action: 'accept' },
      THOUGHT,
      { roots: [{ uri: 'file:///home', name: 'Home' }] },
    ])
    expect([elicit.mock.calls[0]?.[0], sample.mock.calls[0]?.[0]]).toMatchObject([
      { mode: 'url', message: 'Please pay', url: 'https://pay.example.com/1' },
      {
        messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }],
        maxTokens: 10,
        systemPrompt: 'Be brief',
      },
    ])
    await client.close()
  })

  it('asks several things at once', async () => {
    await using host = await hosted({ tools: asking().tools })
    const client = await way.connect(host, {
      capabilities: EVERYTHING,
      answers: {
        'elicitation/create': () => accepted({ seat: 'window' }),
        'sampling/createMessage': () => THOUGHT,
        'roots/list': () => ({ roots: [] }),
      },
    })
    expect(told(await client.call('all'))).toEqual([accepted({ seat: 'window' }), THOUGHT, { roots: [] }])
    await client.close()
  })

  it('asks one thing after the other, and does once what is to be done once', async () => {
    const { tools, did } = asking()
    await using host = await hosted({ tools })
    const seats = ['aisle', 'window']
    const client = await way.connect(host, {
      capabilities: FORMS,
      answers: { 'elicitation/create': () => accepted({ seat: seats.shift() }) },
    })
    expect(await client.call('trip', { city: '北京' })).toEqual(text(['aisle', 'window']))
    expect(did).toEqual(['reserve 北京', 'pay', `done in round ${way.era === 'modern' ? 3 : 1}`])
    await client.close()
  })

  it.each<[string, Json, string, Json]>([
    ['book', {}, 'elicitation', { elicitation: { form: {} } }],
    ['book', { elicitation: { url: {} } }, 'elicitation', { elicitation: { form: {} } }],
    ['pay', FORMS, 'elicitation.url', { elicitation: { url: {} } }],
    ['pay', { elicitation: {} }, 'elicitation.url', { elicitation: { url: {} } }],
    ['think', FORMS, 'sampling', { sampling: {} }],
    ['folders', FORMS, 'roots', { roots: {} }],
  ])(
    'says at once that %s cannot ask a client with %j',
    async (name, capabilities, capability, requiredCapabilities) => {
      await using host = await hosted({ tools: asking().tools })
      const client = await way.connect(host, { capabilities })
      const message = `This caller cannot be asked: it does not support ${capability}`
      expect(await client.call(name)).toEqual(
        way.era === 'modern'
          ? { code: -32021, message, data: { requiredCapabilities } }
          : failed('ASK_UNSUPPORTED', message),
      )
      await client.close()
    },
  )

  it('asks for prompts and resources too', async () => {
    await using host = await hosted({ resources: [diary], prompts: [letter] })
    const elicit = vi.fn((_params: Json) => accepted({ seat: 'aisle' }))
    const client = await way.connect(host, { capabilities: FORMS, answers: { 'elicitation/create': elicit } })
    expect([await client.prompt('letter', { to: 'Ann' }), await client.read('diary://monday')]).toEqual([
      { messages: [{ role: 'user', content: { type: 'text', text: 'Dear Ann, aisle' } }] },
      { contents: [{ uri: 'diary://monday', text: 'monday: aisle' }] },
    ])
    expect(elicit).toHaveBeenCalledTimes(2)
    await client.close()
    const mute = await way.connect(host)
    const refusal = { message: 'This caller cannot be asked: it does not support elicitation' }
    expect([await mute.prompt('letter', { to: 'Ann' }), await mute.read('diary://monday')]).toMatchObject([
      refusal,
      refusal,
    ])
    await mute.close()
  })

  it('asks no more for a call that its client cancels', async () => {
    const { tools, signals } = asking()
    await using host = await hosted({ tools, bridge: { drainMs: 60_000 } })
    const stop = new AbortController()
    const elicit = vi.fn((_params: Json, signal: AbortSignal) => {
      setImmediate(() => stop.abort())
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('taken away'))),
      )
    })
    const client = await way.connect(host, { capabilities: FORMS, answers: { 'elicitation/create': elicit } })
    expect(await client.call('book', {}, { signal: stop.signal })).not.toHaveProperty('content')
    await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true]))
    expect(elicit).toHaveBeenCalledTimes(1)
    await client.close()
    // Nor is there anything left that the end would wait for.
    await host.bridge.close()
  })

  it('asks no more when the client is gone', async () => {
    const { tools, signals } = asking()
    await using host = await hosted({ tools, bridge: { drainMs: 60_000 } })
    const elicit = vi.fn(() => new Promise(() => {}))
    const client = await way.connect(host, { capabilities: FORMS, answers: { 'elicitation/create': elicit } })
    void client.call('book')
    await vi.waitFor(() => expect(elicit).toHaveBeenCalledTimes(1))
    await client.close()
    await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true]))
    await host.bridge.close()
  })
})

const THOUGHT = {
  role: 'assistant',
  content: { type: 'text', text: 'Because.' },
  model: 'small',
  stopReason: 'endTurn',
}

const letter = PromptDefinition.builder()
  .name('letter')
  .parameterSchema(JsonSchema.object({ to: SchemaProperty.STRING }, { required: ['to'] }))
  .template(async ({ args, ask }) => {
    const answer = await ask({ message: 'Where?', schema: SEAT })
    return `Dear ${args.to}, ${answer.action === 'accept' ? answer.content.seat : 'nowhere'}`
  })
  .build()

const diary = ResourceDefinition.builder()
  .name('diary')
  .uriTemplate('diary://{day}')
  .reader(async ({ args, ask }) => {
    const answer = await ask({ message: 'Where?', schema: SEAT })
    return `${args.day}: ${answer.action === 'accept' ? answer.content.seat : 'nowhere'}`
  })
  .build()

const LEGACY = WAYS.filter(({ sdk }) => sdk === 1)

describe.each(LEGACY)('$name, which is asked while the call runs', (way: Way) => {
  it('is not waited for any longer than askTimeoutMs', async () => {
    await using host = await hosted({ tools: asking().tools, options: { askTimeoutMs: 50 } })
    const askedFor: AbortSignal[] = []
    const client = await way.connect(host, {
      capabilities: FORMS,
      answers: {
        'elicitation/create': (_params, signal) => {
          askedFor.push(signal)
          return new Promise(() => {})
        },
      },
    })
    expect(await client.call('book')).toEqual(failed('TIMEOUT', expect.stringContaining('book')))
    await vi.waitFor(() => expect(askedFor[0]?.aborted).toBe(true))
    await client.close()
  })

  it('does not lose the time that the answer takes', async () => {
    const quick = tool('quick', ({ ask }) => ask({ message: 'Which seat?', schema: SEAT }), {
      metadata: { timeoutMs: 200 },
    })
    await using host = await hosted({ tools: [quick] })
    const client = await way.connect(host, {
      capabilities: FORMS,
      answers: {
        'elicitation/create': () => new Promise((resolve) => setTimeout(resolve, 400, { action: 'decline' })),
      },
    })
    expect(await client.call('quick')).toEqual(text({ action: 'decline' }))
    await client.close()
  })

  it.each<[string, Json, string]>([
    ['fits no choice', accepted({ seat: 'roof' }), '"seat" must be one of "window", "aisle" (got "roof")'],
    ['lacks a field', accepted({ bags: 1 }), 'missing required argument "seat"'],
    ['lacks all fields', { action: 'accept' }, 'missing required argument "seat"'],
  ])('is told of an answer that %s', async (_what, answer, fault) => {
    await using host = await hosted({ tools: asking().tools })
    const client = await way.connect(host, {
      capabilities: FORMS,
      answers: { 'elicitation/create': () => answer },
    })
    expect(await client.call('book')).toMatchObject(
      failed('EXECUTION_FAILED', expect.stringContaining(`The answer to "ask-1" cannot be used: `)),
    )
    expect(JSON.stringify(await client.call('book'))).toContain(JSON.stringify(fault).slice(1, -1))
    await client.close()
  })

  it('fails the call with what went wrong at its end, in words of ours', async () => {
    await using host = await hosted({ tools: asking().tools })
    const client = await way.connect(host, {
      capabilities: FORMS,
      answers: {
        'elicitation/create': () => {
          throw new Error('secret of the client')
        },
      },
    })
    expect(await client.call('book')).toEqual(
      failed('UPSTREAM_FAILED', 'The client did not answer the question'),
    )
    await client.close()
  })
})

describe('a request of the older era that stands alone', () => {
  it('cannot be asked, and says so at once, whatever capabilities were named', async () => {
    await using host = await hosted({ tools: asking().tools, bridge: { http: { sessions: false } } })
    const initialize = request(1, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: EVERYTHING,
      clientInfo: { name: 'raw', version: '1' },
    })
    await (await send(host.url, { body: initialize })).text()
    const answers = await Promise.all(
      ['book', 'pay', 'think', 'folders'].map(async (name) => {
        const [message] = await messagesOf(await send(host.url, { body: request(2, 'tools/call', { name }) }))
        return message?.result
      }),
    )
    const capabilities = ['elicitation', 'elicitation.url', 'sampling', 'roots']
    expect(answers).toEqual(
      capabilities.map((one) =>
        failed('ASK_UNSUPPORTED', `This caller cannot be asked: it does not support ${one}`),
      ),
    )
  })
})

describe('a server that the bridge is attached to', () => {
  const attached = async (capabilities: Json) => {
    const host = await hosted({ tools: asking().tools })
    const server = new Server({ name: 'own', version: '1' }, { capabilities: {} })
    host.bridge.attachTo(server)
    const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair()
    await server.connect(serverEnd)
    const client = new Client({ name: 'test', version: '1' }, { capabilities })
    if ('elicitation' in capabilities)
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { seat: 'aisle' } }))
    await client.connect(clientEnd)
    return { host, client }
  }

  it('asks its client', async () => {
    const { host, client } = await attached(FORMS)
    expect(await client.callTool({ name: 'book' })).toEqual(text(accepted({ seat: 'aisle' })))
    await host[Symbol.asyncDispose]()
  })

  it('says at once that its client cannot be asked', async () => {
    const { host, client } = await attached({})
    expect(await client.callTool({ name: 'book' })).toEqual(
      failed('ASK_UNSUPPORTED', 'This caller cannot be asked: it does not support elicitation'),
    )
    await host[Symbol.asyncDispose]()
  })
})
