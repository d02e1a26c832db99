import { describe, expect, it } from 'vitest'
import { InterceptorChain } from '../../src/interceptors/chain.js'
import { ToolError, UpstreamError } from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { Next, ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { ChainRecorder, describeError, throwing } from './chain-recorder.js'
import { contextOf } from './tool-call-fixture.js'
import { unhandledRejectionsDuring } from './unhandled-rejections.js'

const boom = new UpstreamError('boom')
const BOOM = 'UPSTREAM_FAILED boom'
const instead = ToolExecutionResult.success('instead')

type Around = NonNullable<ToolInterceptor['aroundExecute']>

describe('next', () => {
  const chainOf = (aroundExecute: Around, ...inside: readonly ToolInterceptor[]) =>
    new InterceptorChain([{ name: 'b', aroundExecute }, ...inside], { argumentsAreFinal: true })
  const AGAIN =
    /^EXECUTION_FAILED .* b: next\(\) was called again before the previous call of it had settled$/
  const LATE = /^EXECUTION_FAILED .* b: next\(\) was called after aroundExecute had returned$/
  const rejection = (promise: Promise<unknown>) =>
    promise.then(
      () => 'resolved',
      (error: unknown) => (ToolError.is(error) ? describeError(error) : `no ToolError: ${error}`),
    )

  it('rejects with a ToolError when what is inside fails', async () => {
    const seen: string[] = []
    const chain = chainOf(
      async (_ctx, next) => {
        seen.push(await rejection(next()))
        return instead
      },
      { afterExecute: throwing(new RangeError('inside')) },
    )
    await chain.run(contextOf(), async () => instead)
    expect(seen).toEqual(['EXECUTION_FAILED The tool failed < RangeError: inside'])
  })

  it('rejects while the previous call of it runs, which goes on, and may be called when that has settled', async () => {
    const recorder = new ChainRecorder('async')
    const seen: string[] = []
    const around: Around = async (_ctx, next) => {
      const first = next()
      seen.push(await rejection(next()), await rejection(next()))
      await first
      return next()
    }
    const { events, ended } = await recorder.run([
      { name: 'b', aroundExecute: around },
      recorder.interceptor('c'),
    ])
    expect(seen).toEqual([expect.stringMatching(AGAIN), expect.stringMatching(AGAIN)])
    expect([events, ended]).toEqual([
      ['c.before', 'execute', 'c.after', 'c.before', 'execute', 'c.after'],
      'ok done',
    ])
  })

  it('may be called again after it has refused a context', async () => {
    const around: Around = async (_ctx, next) => {
      await next(contextOf()).catch(() => undefined)
      return next()
    }
    const recorder = new ChainRecorder()
    expect(await recorder.run([{ name: 'b', aroundExecute: around }])).toEqual({
      events: ['execute'],
      ended: 'ok done',
    })
  })

  it.each([
    ['returned', async () => instead],
    ['thrown', throwing(boom) as () => never],
  ])('rejects after aroundExecute has %s', async (_, leave) => {
    const kept: Next[] = []
    const recorder = new ChainRecorder()
    const around: Around = (_ctx, next) => {
      kept.push(next)
      return leave()
    }
    await recorder.run([{ name: 'b', aroundExecute: around }])
    const late = await Promise.all(kept.map((next) => rejection(next())))
    expect([late, recorder.events]).toEqual([[expect.stringMatching(LATE)], []])
  })

  it('rejects after aroundExecute has returned, though an earlier call of it has settled only since', async () => {
    const kept: Next[] = []
    const dropped: Promise<unknown>[] = []
    const chain = chainOf(async (_ctx, next) => {
      kept.push(next)
      dropped.push(next())
      return instead
    })
    await chain.run(contextOf(), () => new Promise((resolve) => setImmediate(resolve, instead)))
    expect(await Promise.all(dropped)).toEqual([instead])
    expect(await Promise.all(kept.map((next) => rejection(next())))).toEqual([expect.stringMatching(LATE)])
  })

  it('may be dropped: what is inside goes on, and its failure does not end the process', async () => {
    const recorder = new ChainRecorder()
    const drops: Around = async (_ctx, next) => {
      void next()
      void next()
      void next(contextOf())
      return instead
    }
    const failsLater = () => new Promise((_, reject) => setImmediate(reject, boom))
    const rejections = await unhandledRejectionsDuring(async () => {
      const inside = recorder.interceptor('c', { onError: throwing(new Error('again')) })
      const { ended } = await recorder.run([{ name: 'b', aroundExecute: drops }, inside], failsLater)
      expect([ended, [...recorder.events]]).toEqual(['ok instead', ['c.before', 'execute']])
    })
    expect(rejections).toEqual([])
    expect(recorder.events).toEqual(['c.before', 'execute', `c.onError ${BOOM}`])
  })

  it('belongs to one run: an interceptor inside that is run twice has a next of its own in each', async () => {
    const kept: Next[] = []
    const inside: ToolInterceptor = {
      name: 'c',
      aroundExecute: (_ctx, next) => {
        kept.push(next)
        return next()
      },
    }
    const chain = chainOf(async (_ctx, next) => {
      await next()
      return next()
    }, inside)
    await chain.run(contextOf(), async () => instead)
    expect([kept.length, new Set(kept).size]).toEqual([2, 2])
  })
})
