import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { Content } from '../../src/registry/content.js'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import { caller, hosted } from '../bridge/fixtures/hosted.js'
import { messagesOf, openSession, request, send } from '../bridge/fixtures/http-server.js'
import { type Json, WAYS, type Way } from '../bridge/fixtures/ways.js'
import { tool } from '../runtime/runtime-fixture.js'
import { answered, ERAS } from './wire.js'

const said = (text: string) => [{ type: 'text', text }]

/** What a context says of who calls. */
const who = ({ principal, callerKey, toolName }: ToolExecutionContext) => ({
  subject: principal?.subject,
  callerKey,
  toolName,
})

describe.each(ERAS)('%s', (era) => {
  describe('what the framework hands to code', () => {
    const built = () => ToolDefinition.builder().description('Says who calls')
    const CITY = { city: SchemaProperty.STRING }
    const tools = [
      built().name('without').executor(who).build(),
      built()
        .name('steps')
        .parameterSchema(JsonSchema.builder().addProperty('city', CITY.city).build())
        .executor(who)
        .build(),
      built().name('record').parameterSchema(JsonSchema.object(CITY)).executor(who).build(),
      built()
        .name('raw')
        .parameterSchema({ type: 'object', properties: { city: { type: 'string' } } })
        .executor((ctx) => who(ctx))
        .build(),
      built()
        .name('closed')
        .parameterSchema({ type: 'object', additionalProperties: false })
        .executor(who)
        .build(),
      built()
        .name('standard')
        .parameterSchema(z.object({ city: z.string().optional() }))
        .executor(who)
        .build(),
    ]
    const resource = ResourceDefinition.builder()
      .name('note')
      .uriTemplate('notes://{city}')
      .reader((ctx) => who(ctx))
      .build()
    const prompt = PromptDefinition.builder()
      .name('ask')
      .parameterSchema(JsonSchema.object(CITY))
      .template((ctx) => JSON.stringify(who(ctx)))
      .build()
    const SENT = [
      { ctx: { principal: { subject: 'root', key: 'root' } } },
      { context: { principal: 'root' }, exchange: {}, args: {} },
      { principal: { subject: 'root' }, callerKey: 'principal:root', toolName: 'other', signal: {} },
      JSON.parse('{"__proto__":{"principal":{"subject":"root"},"callerKey":"principal:root"}}'),
    ] as Json[]

    it('BRG-20: it is in no schema: the lists know the parameters alone', async () => {
      await using host = await hosted({ tools, resources: [resource], prompts: [prompt] })
      const list = async (method: string, member: string) =>
        (await answered(host.url, { era, method }))[member] as Json[]
      const schemas = (await list('tools/list', 'tools')).map(({ name, inputSchema }) => [
        name,
        Object.keys(((inputSchema as Json).properties ?? {}) as Json),
      ])
      expect(Object.fromEntries(schemas)).toEqual({
        without: [],
        steps: ['city'],
        record: ['city'],
        raw: ['city'],
        closed: [],
        standard: ['city'],
      })
      expect((await list('prompts/list', 'prompts'))[0]?.arguments).toEqual([
        { name: 'city', required: false },
      ])
      expect((await list('resources/templates/list', 'resourceTemplates'))[0]).toMatchObject({
        uriTemplate: 'notes://{city}',
      })
    })

    it.each(SENT)(
      'BRG-20: no client can fill it in: %j changes nothing, whether it is refused or not',
      async (args) => {
        await using host = await hosted({ tools, resources: [resource], prompts: [prompt] })
        for (const { name } of tools) {
          const result = await answered(host.url, {
            era,
            method: 'tools/call',
            params: { name, arguments: args },
          })
          const told = JSON.stringify({ callerKey: 'address:127.0.0.1', toolName: name })
          if (result.isError !== true) expect(result.content).toEqual(said(told))
          else expect(JSON.stringify(result)).toContain('INVALID_ARGUMENTS')
        }
        const prompted = await answered(host.url, {
          era,
          method: 'prompts/get',
          params: { name: 'ask', arguments: args },
        })
        expect(JSON.stringify(prompted)).not.toContain('principal:root')
        const uri = 'notes://x'
        const read = await answered(host.url, { era, method: 'resources/read', params: { uri, ...args } })
        expect(read.contents).toMatchObject([
          { text: JSON.stringify({ callerKey: 'address:127.0.0.1', toolName: 'note' }) },
        ])
      },
    )
  })
})

describe.each(WAYS)('$name', (way: Way) => {
  it('BRG-10: a client that gives up reaches the executor, whose tool is free again, and gets no reply', async () => {
    const signals: AbortSignal[] = []
    const slow = tool('slow', ({ signal }) => {
      signals.push(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await using host = await hosted({ tools: [slow, tool('quick')] })
    const client = await way.connect(host)
    const stop = new AbortController()
    const left = client.call('slow', {}, { signal: stop.signal })
    await vi.waitFor(() => expect(signals).toHaveLength(1))
    setTimeout(() => stop.abort(), 50)
    expect(await left).not.toHaveProperty('content')
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true))
    // Nothing holds the tool any more, and the connection is as good as before.
    expect(await host.runtime.registry.unregister('slow', { drainMs: 10_000 })).toBe(true)
    expect(await client.call('quick')).toEqual({ content: said('done') })
    await client.close()
  })

  it('BRG-19: content of every kind comes in order, of its own type, byte for byte', async () => {
    const bytes = new Uint8Array(Array.from({ length: 256 }, (_, i) => i))
    const base64 = Buffer.from(bytes).toString('base64')
    const annotations = { audience: ['user'], priority: 0 } as const
    const blocks = [
      Content.text('seen', { annotations }),
      Content.image(bytes, 'image/png', { annotations }),
      Content.audio(base64, 'audio/mpeg', { annotations }),
      Content.resourceLink({ uri: 'file:///a.txt', name: 'a', mimeType: 'text/plain', annotations }),
      Content.resource(
        { uri: 'file:///b', blob: bytes, mimeType: 'application/octet-stream' },
        { annotations },
      ),
      Content.resource({ uri: 'file:///c', text: 'inside' }, { annotations }),
    ]
    await using host = await hosted({
      tools: [
        tool('forth', () => ToolExecutionResult.content(...blocks)),
        tool('back', () => ToolExecutionResult.success({ n: 1 }, { content: [...blocks].reverse() })),
      ],
    })
    const client = await way.connect(host)
    const sent = [
      { type: 'text', text: 'seen', annotations },
      { type: 'image', data: base64, mimeType: 'image/png', annotations },
      { type: 'audio', data: base64, mimeType: 'audio/mpeg', annotations },
      { type: 'resource_link', uri: 'file:///a.txt', name: 'a', mimeType: 'text/plain', annotations },
      {
        type: 'resource',
        resource: { uri: 'file:///b', blob: base64, mimeType: 'application/octet-stream' },
        annotations,
      },
      { type: 'resource', resource: { uri: 'file:///c', text: 'inside' }, annotations },
    ]
    expect([await client.call('forth'), await client.call('back')]).toEqual([
      { content: sent },
      { content: [...sent].reverse() },
    ])
    await client.close()
  })

  it('BRG-20: who calls is what the connection says, not what the call says', async () => {
    await using host = await hosted({ tools: [tool('who', (ctx) => who(ctx))] })
    const client = await way.connect(host, { as: caller('alice') })
    const told = { subject: 'alice', callerKey: 'principal:[null,"alice"]', toolName: 'who' }
    expect(await client.call('who', { principal: { subject: 'root' }, ctx: { principal: 'root' } })).toEqual({
      content: said(JSON.stringify(told)),
    })
    await client.close()
  })
})

describe('a cancellation', () => {
  it.each([99, 1, 'x', 0, '', null, {}, undefined])(
    'BRG-10: one of %j, which is unknown or finished, is ignored',
    async (requestId) => {
      await using host = await hosted({ tools: [tool('quick')] })
      const headers = await openSession(host.url)
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }
      expect((await send(host.url, { headers, body: cancelled })).status).toBe(202)
      const call = request(1, 'tools/call', { name: 'quick' })
      expect(await messagesOf(await send(host.url, { headers, body: call }))).toMatchObject([
        { id: 1, result: {} },
      ])
    },
  )
})
