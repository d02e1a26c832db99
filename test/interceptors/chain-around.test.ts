import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { ChainRecorder, type Pace, throwing } from './chain-recorder.js'

const boom = new UpstreamError('boom')
const BOOM = 'UPSTREAM_FAILED boom'
const instead = ToolExecutionResult.success('instead')

type Around = NonNullable<ToolInterceptor['aroundExecute']>

describe.each<Pace>(['sync', 'async'])('aroundExecute among %s hooks', (pace) => {
  /** Runs a, b and c around `work`; `aroundExecute` is b's, beside its other hooks. */
  const run = (aroundExecute: Around, work?: () => unknown) => {
    const recorder = new ChainRecorder(pace)
    const b = recorder.interceptor('b', {
      aroundExecute: async (ctx, next) => {
        recorder.events.push('b.around')
        try {
          return await aroundExecute(ctx, next)
        } finally {
          recorder.events.push('b.finally')
        }
      },
    })
    return recorder.run([recorder.interceptor('a'), b, recorder.interceptor('c')], work)
  }

  it('stands between its own before and after', async () => {
    expect(await run((_ctx, next) => next())).toEqual({
      events: [
        ...['a.before', 'b.before', 'b.around', 'c.before', 'execute'],
        ...['c.after', 'b.finally', 'b.after', 'a.after'],
      ],
      ended: 'ok done',
    })
  })

  it('stands between its own before and onError', async () => {
    expect(await run((_ctx, next) => next(), throwing(boom))).toEqual({
      events: [
        ...['a.before', 'b.before', 'b.around', 'c.before', 'execute'],
        ...[`c.onError ${BOOM}`, 'b.finally', `b.onError ${BOOM}`, `a.onError ${BOOM}`],
      ],
      ended: `failed ${BOOM}`,
    })
  })

  it('runs nothing inside where it skips next', async () => {
    expect(await run(async () => instead)).toEqual({
      events: ['a.before', 'b.before', 'b.around', 'b.finally', 'b.after', 'a.after'],
      ended: 'ok instead',
    })
  })

  it('runs every interceptor inside again where it calls next again', async () => {
    let left = 2
    const work = () => {
      if (--left > 0) throw boom
      return 'at last'
    }
    const twice: Around = async (_ctx, next) => {
      await next().catch(() => undefined)
      return next()
    }
    expect(await run(twice, work)).toEqual({
      events: [
        ...['a.before', 'b.before', 'b.around'],
        ...['c.before', 'execute', `c.onError ${BOOM}`],
        ...['c.before', 'execute', 'c.after'],
        ...['b.finally', 'b.after', 'a.after'],
      ],
      ended: 'ok at last',
    })
  })

  it('answers for the failure of what is inside', async () => {
    const recover: Around = (_ctx, next) => next().catch(() => instead)
    expect(await run(recover, throwing(boom))).toEqual({
      events: [
        ...['a.before', 'b.before', 'b.around', 'c.before', 'execute'],
        ...[`c.onError ${BOOM}`, 'b.finally', 'b.after', 'a.after'],
      ],
      ended: 'ok instead',
    })
  })

  it.each([
    ['throws', throwing(boom)],
    ['throws without being async', throwing(boom) as () => Promise<never>],
    ['returns a failure', async () => ToolExecutionResult.failure(boom)],
  ] as [string, Around][])('fails the call where it %s', async (_, around) => {
    expect(await run(around)).toEqual({
      events: ['a.before', 'b.before', 'b.around', 'b.finally', `b.onError ${BOOM}`, `a.onError ${BOOM}`],
      ended: `failed ${BOOM}`,
    })
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'done'],
    ['an object', { ok: true, toolName: 'get_weather', value: 'x', durationMs: 0 }],
  ])('must return a result, not %s', async (what, junk) => {
    const mistake = `b: aroundExecute must return a ToolExecutionResult (got ${what})`
    const FAILED = `EXECUTION_FAILED The tool failed < TypeError: ${mistake}`
    expect(await run(async () => junk as never)).toEqual({
      events: ['a.before', 'b.before', 'b.around', 'b.finally', `b.onError ${FAILED}`, `a.onError ${FAILED}`],
      ended: `failed ${FAILED}`,
    })
  })

  it('is not run where its own before throws or answers', async () => {
    const around: Pick<ToolInterceptor, 'aroundExecute'> = {
      aroundExecute: throwing(new Error('around was run')),
    }
    const refusing = new ChainRecorder(pace)
    expect(
      await refusing.run([refusing.interceptor('b', { ...around, beforeExecute: throwing(boom) })]),
    ).toEqual({
      events: ['b.before'],
      ended: `failed ${BOOM}`,
    })
    const answering = new ChainRecorder(pace)
    expect(
      await answering.run([answering.interceptor('b', { ...around, beforeExecute: () => instead })]),
    ).toEqual({
      events: ['b.before'],
      ended: 'ok instead',
    })
  })
})
