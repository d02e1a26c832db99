import { describe, expect, it } from 'vitest'
import { InterceptorChain } from '../../src/interceptors/chain.js'
import {
  type AnyToolError,
  RateLimitedError,
  ToolError,
  UpstreamError,
} from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { describeError, throwing } from './chain-recorder.js'
import { contextOf } from './tool-call-fixture.js'

/** What a call ends with whose executor throws `first` and whose only interceptor has this `onError`. */
async function replacedBy(
  onError: NonNullable<ToolInterceptor['onError']>,
  first: unknown = new UpstreamError('first'),
): Promise<AnyToolError> {
  const chain = new InterceptorChain([{ onError }], { argumentsAreFinal: true })
  const end = await Promise.resolve(chain.run(contextOf(), throwing(first))).catch((error: unknown) => error)
  if (!ToolError.is(end)) throw new Error(`not a ToolError: ${end}`)
  return end
}

const FIRST = 'UPSTREAM_FAILED first'
const SECOND = 'UPSTREAM_FAILED second'
const MASKED = 'EXECUTION_FAILED The tool failed'

describe('an error that onError throws in place of the first', () => {
  it.each([
    ['a ToolError', new UpstreamError('second'), `${SECOND} < ${FIRST}`],
    ['a frozen ToolError', Object.freeze(new UpstreamError('second')), `${SECOND} < ${FIRST}`],
    ['an exception', new RangeError('second'), `${MASKED} < RangeError: second < ${FIRST}`],
    [
      'a frozen exception',
      Object.freeze(new RangeError('second')),
      `${MASKED} < RangeError: second < ${FIRST}`,
    ],
  ])('has the first as its cause: %s', async (_, second, expected) => {
    expect(describeError(await replacedBy(throwing(second)))).toBe(expected)
  })

  it('has the first as its cause where it is in a failure that onError returns', async () => {
    const onError = () => ToolExecutionResult.failure(new UpstreamError('second'))
    expect(describeError(await replacedBy(onError))).toBe(`${SECOND} < ${FIRST}`)
  })

  it('keeps the cause that it names itself', async () => {
    const onError = (_: unknown, error: AnyToolError) => {
      throw new UpstreamError('second', { cause: new Error('why', { cause: error }) })
    }
    expect(describeError(await replacedBy(onError))).toBe(`${SECOND} < Error: why < ${FIRST}`)
    const other = throwing(new UpstreamError('second', { cause: 'another' }))
    expect(describeError(await replacedBy(other))).toBe(`${SECOND} < another`)
  })

  it('is what was thrown where that is no Error', async () => {
    expect(describeError(await replacedBy(throwing('second')))).toBe(`${MASKED} < second`)
  })

  it('is the first itself, without a cause, where that is thrown again', async () => {
    const first = new UpstreamError('first')
    const rethrow = (_: unknown, error: AnyToolError) => {
      throw error
    }
    const refail = (_: unknown, error: AnyToolError) => ToolExecutionResult.failure(error)
    expect(
      [await replacedBy(rethrow, first), await replacedBy(refail, first)].map((end) => end === first),
    ).toEqual([true, true])
    expect(first.cause).toBeUndefined()
  })

  it('makes no circle where the cause of the first is unwrapped', async () => {
    const unwrap = (_: unknown, error: AnyToolError) => {
      throw error.cause
    }
    expect(describeError(await replacedBy(unwrap, new Error('root')))).toBe(
      `${MASKED} < Error: root < ${MASKED} < Error: root`,
    )
  })

  it('is not changed, so that an instance which many calls throw keeps nothing of any', async () => {
    const constant = new RateLimitedError('get_weather', 2_000)
    const onError = throwing(constant)
    const ends = [
      await replacedBy(onError, new UpstreamError('one')),
      await replacedBy(onError, new UpstreamError('two')),
    ]
    const LIMITED = 'RATE_LIMITED Too many calls of "get_weather"; try again in 2 s'
    expect(ends.map(describeError)).toEqual([
      `${LIMITED} < UPSTREAM_FAILED one`,
      `${LIMITED} < UPSTREAM_FAILED two`,
    ])
    expect(constant.cause).toBeUndefined()
  })

  it('keeps its class, its fields, its stack and its JSON', async () => {
    const second = new RateLimitedError('get_weather', 2_000)
    const end = await replacedBy(throwing(second))
    expect(end).toBeInstanceOf(RateLimitedError)
    expect({ ...end.toJSON(), stack: end.stack }).toEqual({ ...second.toJSON(), stack: second.stack })
    expect(end).toMatchObject({
      name: 'RateLimitedError',
      retryable: true,
      retryAfterMs: 2_000,
      outcome: 'not-started',
    })
  })
})
