import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { RateLimitedError, ToolExecutionError } from '../../src/registry/tool-error.js'
import {
  type ToolContent,
  ToolExecutionResult,
  type ToolSuccess,
} from '../../src/registry/tool-execution-result.js'

const { success, failure, is } = ToolExecutionResult

describe('ToolExecutionResult', () => {
  it('makes a frozen success of a value, which may be falsy', () => {
    for (const value of [{ celsius: 21 }, 0, '', false, null, undefined]) {
      const result = success(value)
      expect({ ...result }).toEqual({ ok: true, toolName: '', durationMs: 0, value })
      expect(result).toSatisfy(Object.isFrozen)
    }
  })

  it('keeps the parts beside the value', () => {
    const parts = {
      toolName: 'get_weather',
      durationMs: 12,
      content: [{ type: 'text', text: '21 °C' }],
      meta: { 'example.test/source': 'station 7' },
      degraded: true as const,
    }
    expect({ ...success(21, parts) }).toEqual({ ok: true, value: 21, ...parts })
  })

  it('makes a success of nothing but content', () => {
    const result = ToolExecutionResult.content(
      { type: 'text', text: '21 °C' },
      { type: 'text', text: 'sunny' },
    )
    expect({ ...result }).toEqual({
      ok: true,
      toolName: '',
      durationMs: 0,
      value: undefined,
      content: [
        { type: 'text', text: '21 °C' },
        { type: 'text', text: 'sunny' },
      ],
    })
    expectTypeOf(result).toEqualTypeOf<ToolSuccess<undefined>>()
  })

  it('copies content and meta, so that later changes to them change no result', () => {
    const content = [{ type: 'text', text: 'before' }]
    const meta: Record<string, unknown> = { n: 1 }
    const result = success(1, { content, meta })
    content[0] = { type: 'text', text: 'after' }
    content.push({ type: 'text', text: 'more' })
    meta.n = 2
    expect([result.content, result.meta]).toEqual([[{ type: 'text', text: 'before' }], { n: 1 }])
    expect([result.content, result.content?.[0], result.meta].map(Object.isFrozen)).toEqual([
      true,
      true,
      true,
    ])
  })

  it('copies each block of content', () => {
    const block = { type: 'text', text: 'before' }
    const result = success(1, { content: [block] })
    block.text = 'after'
    expect(result.content).toEqual([{ type: 'text', text: 'before' }])
    expect(block).not.toSatisfy(Object.isFrozen)
  })

  it('makes a frozen failure of a ToolError as it is', () => {
    const error = new RateLimitedError('get_weather', 1500)
    const result = failure(error, { toolName: 'get_weather', durationMs: 3 })
    expect({ ...result }).toEqual({ ok: false, toolName: 'get_weather', durationMs: 3, error })
    expect(result.error).toBe(error)
    expect(result).toSatisfy(Object.isFrozen)
  })

  it('masks any other error', () => {
    const cause = new Error('password=hunter2')
    const { error } = failure(cause)
    expect(error).toBeInstanceOf(ToolExecutionError)
    expect([error.message, error.cause]).toEqual(['The tool failed', cause])
  })

  it('recognises its own results, also those of another copy of the module', async () => {
    vi.resetModules()
    const other = await import('../../src/registry/tool-execution-result.js')
    expect(other.ToolExecutionResult).not.toBe(ToolExecutionResult)
    const results = [
      success(1),
      failure('x'),
      other.ToolExecutionResult.success(1),
      other.ToolExecutionResult.failure('x'),
    ]
    expect(results.map(is)).toEqual([true, true, true, true])
  })

  it('takes no look-alike for a result', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const stub = new Proxy({}, { get: () => stub, has: () => true })
    const lookAlikes = [
      { ok: true, toolName: 'x', value: 1, durationMs: 0 },
      { ...success(1) },
      JSON.parse(JSON.stringify(success(1))),
      Object.assign(new Error('x'), { ok: false }),
      Promise.resolve(success(1)),
      stub,
      proxy,
      1,
      'ok',
      null,
      undefined,
    ]
    expect(lookAlikes.map(is)).toEqual(lookAlikes.map(() => false))
  })

  it('is written as JSON without the brand', () => {
    expect(JSON.parse(JSON.stringify(success({ n: 1 }, { toolName: 'x', durationMs: 2 })))).toEqual({
      ok: true,
      toolName: 'x',
      durationMs: 2,
      value: { n: 1 },
    })
  })

  it('narrows by ok', () => {
    const describeIt = (result: ToolExecutionResult<number>) => {
      // @ts-expect-error Only a success has a value.
      expectTypeOf(result.value).toBeAny()
      return result.ok ? result.value.toFixed(1) : result.error.code
    }
    expect([describeIt(success(21)), describeIt(failure(new RateLimitedError('x', 1)))]).toEqual([
      '21.0',
      'RATE_LIMITED',
    ])
    expectTypeOf(success({ tags: ['x'] })).toEqualTypeOf<ToolSuccess<{ tags: string[] }>>()
    expectTypeOf<ToolSuccess['content']>().toEqualTypeOf<readonly ToolContent[] | undefined>()
  })
})
