import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { describe, expect, it } from 'vitest'
import { McpToolBridge } from '../../src/bridge/mcp-tool-bridge.js'
import { JsonSchema, type JsonSchemaSource } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolRuntime } from '../../src/runtime/tool-runtime.js'
import { started } from '../runtime/runtime-fixture.js'

// The schema cases through the runtime, from the builder to the call. Those that the validation engine alone must settle are in
// schema-engine.test.ts; SCH-19 (memory) has a part in each.

const { STRING, NUMBER } = SchemaProperty

function echo(name: string, schema: JsonSchemaSource | undefined): ToolDefinition {
  const builder = ToolDefinition.builder().name(name).description('Gives back its arguments')
  if (schema === undefined) return builder.executor(({ args }) => args).build()
  return builder
    .parameterSchema(schema)
    .executor(({ args }) => args)
    .build()
}

/** What a call gives: the arguments as the executor saw them, or the places that are wrong. */
async function outcome(runtime: ToolRuntime, name: string, input: unknown): Promise<unknown> {
  const result = await runtime.call(name, input)
  if (result.ok) return result.value
  return result.error.code === 'INVALID_ARGUMENTS'
    ? result.error.issues.map(({ path }) => path)
    : result.error
}

describe('schema cases, through the runtime', () => {
  it('SCH-07: a tool without parameters publishes an object schema, and can be called with {} and with nothing', async () => {
    const { runtime } = await started({ tools: [echo('now', undefined)] })
    expect(runtime.registry.getRequired('now').inputSchema).toEqual({
      type: 'object',
      additionalProperties: false,
    })
    expect(await outcome(runtime, 'now', {})).toEqual({})
    expect(await outcome(runtime, 'now', undefined)).toEqual({})
    expect(await outcome(runtime, 'now', { extra: 1 })).toHaveLength(1)
  })

  it('SCH-09: registering two tools with one schema object, and exporting, changes none of them', async () => {
    const schema = {
      type: 'object',
      properties: { x: { type: 'object', additionalProperties: true } },
    }
    const before = structuredClone(schema)
    const a = echo('a', schema)
    const exported = a.parameters.toMap()
    exported.additionalProperties = false
    const b = echo('b', schema)
    await started({ tools: [a, b] })
    expect([schema, a.inputSchema, b.inputSchema]).toEqual([before, before, before])
  })

  it('SCH-11: optional may be left out and not be null; nullable may be null and not be left out', async () => {
    const schema = JsonSchema.builder()
      .addProperty('q', STRING)
      .addProperty('filter', STRING)
      .addProperty('tag', STRING.nullable())
      .addRequired('q', 'tag')
      .build()
    const { runtime } = await started({ tools: [echo('find', schema)] })
    expect(schema.document.required).toEqual(['q', 'tag'])
    expect(await outcome(runtime, 'find', { q: 'a', tag: null })).toEqual({ q: 'a', tag: null })
    expect(await outcome(runtime, 'find', { q: 'a' })).toEqual(['/tag'])
    expect(await outcome(runtime, 'find', { q: 'a', tag: null, filter: null })).toEqual(['/filter'])
  })

  it('SCH-12: a nullable enum with a null default publishes a valid schema, and takes null', async () => {
    const size = STRING.withEnum('s', 'm').nullable().withDefault(null)
    const { runtime } = await started({ tools: [echo('order', JsonSchema.object({ size }))] })
    expect(runtime.registry.getRequired('order').inputSchema.properties).toEqual({
      size: { type: ['string', 'null'], enum: ['s', 'm', null], default: null },
    })
    expect(await outcome(runtime, 'order', {})).toEqual({ size: null })
    expect(await outcome(runtime, 'order', { size: null })).toEqual({ size: null })
    expect(await outcome(runtime, 'order', { size: 'l' })).toEqual(['/size'])
  })

  it('SCH-21: a nested object that two parameters share stands in both, and is never a reference between them', async () => {
    const point = SchemaProperty.object({ lat: NUMBER }, { required: ['lat'] })
    const schema = JsonSchema.object({ start: point, end: point }, { required: ['start', 'end'] })
    const { runtime } = await started({ tools: [echo('route', schema)] })
    expect(JSON.stringify(runtime.registry.getRequired('route').inputSchema)).not.toContain('#/properties')
    expect(await outcome(runtime, 'route', { start: { lat: 1 }, end: { lat: 2 } })).toEqual({
      start: { lat: 1 },
      end: { lat: 2 },
    })
    expect(await outcome(runtime, 'route', { start: { lat: 1 }, end: {} })).toEqual(['/end/lat'])
  })

  it('SCH-19, runtime: calls, lists, connections, and tools that come and go leave nothing in memory', async () => {
    const schema = (n: number) =>
      JsonSchema.object(
        { city: STRING.withEnum('北京', '上海'), n: NUMBER.withDefault(n) },
        { required: ['city'] },
      )
    const tools = Array.from({ length: 20 }, (_, i) => echo(`tool_${i}`, schema(i)))
    const { runtime } = await started({ tools })
    await using bridge = new McpToolBridge(runtime, { name: 'flat', version: '1.0.0' })

    async function round(): Promise<number> {
      for (let i = 0; i < 2_000; i++) await runtime.call(`tool_${i % 20}`, { city: '北京' })
      for (let i = 0; i < 50; i++) {
        const [clientSide, serverSide] = InMemoryTransport.createLinkedPair()
        const client = new Client({ name: 'c', version: '1.0.0' })
        await Promise.all([client.connect(clientSide), bridge.connect(serverSide)])
        expect((await client.listTools()).tools).toHaveLength(20)
        await client.close()
        runtime.registry.register(echo(`visitor_${i}`, schema(i)))
        await runtime.call(`visitor_${i}`, { city: '上海' })
        await runtime.registry.unregister(`visitor_${i}`)
      }
      return usedAfterGc()
    }
    for (let i = 0; i < 3; i++) await round()
    const growths: number[] = []
    for (let window = 0; window < 3; window++) {
      const before = await round()
      for (let i = 0; i < 2; i++) await round()
      growths.push((await round()) - before)
    }
    // V8 itself grows now and then; what is kept of every visitor or connection grows each time, by a million or more.
    expect(Math.min(...growths)).toBeLessThan(600_000)
  }, 60_000)
})

/** Bytes of heap in use, once garbage is collected and finalizers have run. */
async function usedAfterGc(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  for (let i = 0; i < 3; i++) {
    await new Promise(setImmediate)
    gc()
  }
  return process.memoryUsage().heapUsed
}
