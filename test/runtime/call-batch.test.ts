import { describe, expect, expectTypeOf, it } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import { gist, started, tool } from './runtime-fixture.js'

const add = ToolDefinition.builder()
  .name('add')
  .description('Adds')
  .parameterSchema(
    JsonSchema.object({ a: SchemaProperty.NUMBER, b: SchemaProperty.NUMBER }, { required: ['a', 'b'] }),
  )
  .executor(({ args }) => args.a + args.b)
  .build()

describe('a batch of calls', () => {
  it('gives each call its result in its place, whatever becomes of the others', async () => {
    const fails = tool('fails', () => {
      throw new Error('secret')
    })
    const { runtime } = await started({ tools: [add, fails] })
    const results = await runtime.callAll([
      { tool: 'fails' },
      { tool: add, input: { a: 1, b: 2 } },
      { tool: 'add', input: { a: 1 } },
      { tool: 'nowhere' },
    ])
    expect(results.map(gist)).toEqual([
      { code: 'EXECUTION_FAILED', outcome: 'unknown' },
      { value: 3 },
      { code: 'INVALID_ARGUMENTS', outcome: 'not-started' },
      { code: 'TOOL_NOT_FOUND', outcome: 'not-started' },
    ])
    await runtime.close()
  })

  it('types input and result by the definition', async () => {
    const { runtime } = await started({ tools: [add] })
    const [sum, other] = await runtime.callAll([{ tool: add, input: { a: 1, b: 2 } }, { tool: 'add' }])
    expectTypeOf(sum).toEqualTypeOf<ToolExecutionResult<number>>()
    expectTypeOf(other).toEqualTypeOf<ToolExecutionResult>()
    // @ts-expect-error b is missing
    await runtime.callAll([{ tool: add, input: { a: 1 } }])
    // @ts-expect-error the input is missing
    await runtime.callAll([{ tool: add }])
    await runtime.close()
  })

  it('runs so many at the same time as it is told, and 16 by default', async () => {
    let running = 0
    let most = 0
    const busy = tool('busy', async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
    })
    const { runtime } = await started({ tools: [busy] })
    const calls = Array.from({ length: 50 }, () => ({ tool: 'busy' }))
    await runtime.callAll(calls)
    expect(most).toBe(16)
    most = 0
    await runtime.callAll(calls, { concurrency: 3 })
    expect(most).toBe(3)
    await expect(runtime.callAll(calls, { concurrency: 0 })).rejects.toThrow(
      'concurrency of a batch must be a whole number from 1 (got 0)',
    )
    await runtime.close()
  })

  it('lets a call say more than the batch, and keeps what belongs to one call out of the others', async () => {
    const seen: unknown[] = []
    const looking = tool('looking', ({ sessionId, callId, givenIdempotencyKey }) => {
      seen.push({ sessionId, callId: typeof callId === 'number' ? callId : 'own', givenIdempotencyKey })
    })
    const { runtime } = await started({ tools: [looking] })
    await runtime.callAll(
      [{ tool: 'looking' }, { tool: 'looking', options: { callId: 5, sessionId: 'b', idempotencyKey: 'k' } }],
      { sessionId: 'a' },
    )
    expect(seen).toEqual([
      { sessionId: 'a', callId: 'own', givenIdempotencyKey: undefined },
      { sessionId: 'b', callId: 5, givenIdempotencyKey: 'k' },
    ])
    await runtime.close()
  })

  it('ends what has not begun when its caller gives up', async () => {
    const caller = new AbortController()
    const { runtime } = await started({ tools: [tool('last', () => caller.abort())] })
    const calls = [{ tool: 'last' }, { tool: 'last' }, { tool: 'last' }]
    const results = await runtime.callAll(calls, { signal: caller.signal, concurrency: 1 })
    expect(results.map((result) => (result.ok ? 'ok' : result.error.code))).toEqual([
      'ok',
      'ABORTED',
      'ABORTED',
    ])
    await runtime.close()
  })

  it('answers also what is no call, and a batch of none', async () => {
    const { runtime } = await started({ tools: [tool('there')] })
    const results = await runtime.callAll([{ tool: 'there' }, null as never])
    expect(results.map(gist)).toEqual([{ value: 'done' }, { code: 'TOOL_NOT_FOUND', outcome: 'not-started' }])
    expect(await runtime.callAll([])).toEqual([])
    await runtime.close()
  })
})
