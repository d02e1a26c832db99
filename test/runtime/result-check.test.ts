import { describe, expect, it } from 'vitest'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { gist, started, tool } from './runtime-fixture.js'

describe('the result check', () => {
  it.each([
    ['a BigInt', { n: 1n }, '/n'],
    ['NaN', { list: [Number.NaN] }, '/list/0'],
    ['a Map', new Map(), 'the value'],
    ['a function', { f: () => 1 }, '/f'],
  ])('refuses %s', async (_name, value, place) => {
    const { runtime } = await started({ tools: [tool('bad', () => value)] })
    const result = await runtime.call('bad')
    expect(gist(result)).toEqual({ code: 'INVALID_RESULT', outcome: 'completed' })
    expect(!result.ok && result.error.message).toContain(place)
  })

  it('refuses a cycle', async () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    const { runtime } = await started({ tools: [tool('bad', () => cycle)] })
    expect(gist(await runtime.call('bad'))).toEqual({ code: 'INVALID_RESULT', outcome: 'completed' })
  })

  it('lets dates and classes through, as JSON writes them, and nothing at all', async () => {
    class Point {
      constructor(readonly x: number) {}
    }
    const value = { at: new Date(0), point: new Point(1), none: undefined }
    const { runtime } = await started({ tools: [tool('good', () => value), tool('void', () => undefined)] })
    expect(gist(await runtime.call('good'))).toEqual({ value })
    expect(gist(await runtime.call('void'))).toEqual({ value: undefined })
  })

  it('refuses a result that is too large, and says how to get less', async () => {
    const { runtime } = await started({
      tools: [tool('big', () => 'x'.repeat(200))],
      options: { maxResultSize: 100 },
    })
    expect(await runtime.call('big')).toMatchObject({
      error: { code: 'RESULT_TOO_LARGE', message: expect.stringContaining('ask for less') },
    })
  })

  it('holds the value to the output schema, also one that an interceptor put in its place', async () => {
    const typed = ToolDefinition.builder()
      .name('typed')
      .description('Promises a number')
      .outputSchema({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] })
      .executor(({ callId }) => (callId === 'good' ? { n: 1 } : { n: 'one' }))
      .build()
    const replace: ToolInterceptor = {
      ring: 'request',
      afterExecute: (ctx) =>
        ctx.sessionId === 'replaced' ? ToolExecutionResult.success({ wrong: true }) : undefined,
    }
    const { runtime } = await started({ tools: [typed], interceptors: [replace] })
    expect(gist(await runtime.call('typed', {}, { callId: 'good' }))).toEqual({ value: { n: 1 } })
    expect(gist(await runtime.call('typed'))).toEqual({ code: 'INVALID_RESULT', outcome: 'completed' })
    const replaced = await runtime.call('typed', {}, { callId: 'good', sessionId: 'replaced' })
    expect(gist(replaced)).toEqual({ code: 'INVALID_RESULT', outcome: 'completed' })
  })

  it('does not say that the tool has run where what stands in for it is refused', async () => {
    const typed = ToolDefinition.builder()
      .name('typed')
      .description('Promises a number')
      .outputSchema({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] })
      .withInterceptor({ beforeExecute: () => ToolExecutionResult.success({ n: 'one' }) })
      .executor(() => ({ n: 1 }))
      .build()
    const { runtime } = await started({ tools: [typed] })
    expect(gist(await runtime.call('typed'))).toEqual({ code: 'INVALID_RESULT', outcome: 'not-started' })
  })

  it('refuses many empty lists, which are not small as JSON', async () => {
    const doubled = (levels: number): unknown => (levels === 0 ? 1 : Array(2).fill(doubled(levels - 1)))
    const { runtime } = await started({
      tools: [tool('big', () => doubled(10))],
      options: { maxResultSize: 1_000 },
    })
    expect(await runtime.call('big')).toMatchObject({ error: { code: 'RESULT_TOO_LARGE' } })
  })
})
