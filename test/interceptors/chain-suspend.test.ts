import { describe, expect, it } from 'vitest'
import { InterceptorChain } from '../../src/interceptors/chain.js'
import { CallSuspension } from '../../src/registry/call-suspension.js'
import { ToolError, UpstreamError } from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { throwing } from './chain-recorder.js'
import { contextOf } from './tool-call-fixture.js'

const suspension = new CallSuspension({
  questions: [],
  steps: {},
  traceId: '0',
  idempotencyKey: 'key-1',
  remainingMs: 1,
})

/** Runs interceptors, all of whose hooks are recorded, around work that waits for an answer unless said otherwise. */
async function run(
  interceptors: readonly ToolInterceptor[],
  work: (ctx: ToolExecutionContext) => unknown = throwing(suspension),
  ctx = contextOf(),
) {
  const events: string[] = []
  const recorded = interceptors.map((behaviour, index): ToolInterceptor => {
    const name = behaviour.name ?? 'abcdef'.charAt(index)
    return {
      ...behaviour,
      name,
      beforeExecute(at) {
        events.push(`${name}.before`)
        return behaviour.beforeExecute?.(at)
      },
      afterExecute(at, result) {
        events.push(`${name}.after ${result.ok && result.value}`)
        return behaviour.afterExecute?.(at, result)
      },
      onError(at, error) {
        events.push(`${name}.onError ${error.code}`)
        return behaviour.onError?.(at, error)
      },
      onSuspend(at) {
        events.push(`${name}.onSuspend`)
        return behaviour.onSuspend?.(at)
      },
    }
  })
  const chain = new InterceptorChain(recorded, { argumentsAreFinal: true })
  try {
    const result = await chain.run(ctx, async (inner) => {
      events.push('execute')
      return ToolExecutionResult.success(await work(inner))
    })
    return { events, ended: `ok ${result.value}` }
  } catch (thrown) {
    if (thrown === suspension) return { events, ended: 'waits' }
    return { events, ended: ToolError.is(thrown) ? `failed ${thrown.code}` : `threw ${thrown}` }
  }
}

/** A call that is suspended already: its interceptors have asked. */
const waiting = () => contextOf({ suspension })

describe('a call that waits', () => {
  it('runs onSuspend in reverse, and neither afterExecute nor onError', async () => {
    expect(await run([{}, {}, {}])).toEqual({
      events: ['a.before', 'b.before', 'c.before', 'execute', 'c.onSuspend', 'b.onSuspend', 'a.onSuspend'],
      ended: 'waits',
    })
  })

  it('runs onSuspend of those alone whose beforeExecute completed', async () => {
    expect(await run([{}, { beforeExecute: throwing(suspension) }, {}])).toEqual({
      events: ['a.before', 'b.before', 'a.onSuspend'],
      ended: 'waits',
    })
  })

  it('waits for each onSuspend, one after the other, with the context that it passed on', async () => {
    const seen: unknown[] = []
    const controller = new AbortController()
    const slow: ToolInterceptor = {
      beforeExecute: (ctx) => ctx.with({ signal: controller.signal }),
      async onSuspend(ctx) {
        await new Promise(setImmediate)
        seen.push(ctx.signal === controller.signal)
      },
    }
    const quick: ToolInterceptor = { onSuspend: () => void seen.push('quick') }
    expect((await run([quick, slow])).ended).toBe('waits')
    expect(seen).toEqual([true, 'quick'])
  })

  it('passes interceptors without the hook, and is the same suspension at the end', async () => {
    const chain = new InterceptorChain([{}, { afterExecute: throwing(new Error('never')) }], {
      argumentsAreFinal: true,
    })
    await expect(chain.run(contextOf(), throwing(suspension))).rejects.toBe(suspension)
  })

  it('takes no notice of what onSuspend returns', async () => {
    const answers: ToolInterceptor = { onSuspend: (() => ToolExecutionResult.success('no')) as never }
    expect((await run([answers])).ended).toBe('waits')
  })
})

describe('an onSuspend that throws', () => {
  it('fails the call: those further out get onError', async () => {
    expect(await run([{}, { onSuspend: throwing(new UpstreamError('no disk')) }, {}])).toEqual({
      events: [
        'a.before',
        'b.before',
        'c.before',
        'execute',
        'c.onSuspend',
        'b.onSuspend',
        'a.onError UPSTREAM_FAILED',
      ],
      ended: 'failed UPSTREAM_FAILED',
    })
  })

  it('masks what is no ToolError, and may be recovered from further out', async () => {
    const fails: ToolInterceptor = { onSuspend: () => Promise.reject(new Error('secret')) }
    expect((await run([fails])).ended).toBe('failed EXECUTION_FAILED')
    const recovers: ToolInterceptor = { onError: () => ToolExecutionResult.success('instead') }
    expect(await run([{}, recovers, fails])).toEqual({
      events: [
        'a.before',
        'b.before',
        'c.before',
        'execute',
        'c.onSuspend',
        'b.onError EXECUTION_FAILED',
        'a.after instead',
      ],
      ended: 'ok instead',
    })
  })

  it('fails the call through an aroundExecute too, also one that is the last', async () => {
    const around: ToolInterceptor = { aroundExecute: (_ctx, next) => next() }
    const fails: ToolInterceptor = { onSuspend: throwing(new UpstreamError('no disk')) }
    expect(await run([around, fails], throwing(suspension), waiting())).toEqual({
      events: ['a.before', 'b.before', 'execute', 'b.onSuspend', 'a.onError UPSTREAM_FAILED'],
      ended: 'failed UPSTREAM_FAILED',
    })
    expect((await run([around], throwing(new UpstreamError('of an inner ring')), waiting())).ended).toBe(
      'failed UPSTREAM_FAILED',
    )
  })
})

describe('an aroundExecute around a call that waits', () => {
  const fallback = ToolExecutionResult.success('fallback')
  it.each<[string, ToolInterceptor['aroundExecute']]>([
    ['passes it on', (_ctx, next) => next()],
    ['answers in its place', (_ctx, next) => next().catch(() => fallback)],
    ['catches it and tries again', (_ctx, next) => next().catch(() => next())],
    ['tries again for ever so often', retry],
    [
      'wraps it in an error',
      (_ctx, next) => next().catch((cause) => Promise.reject(new UpstreamError('failed', { cause }))),
    ],
    ['makes an error of its own of it', (_ctx, next) => next().catch(() => Promise.reject(new Error('own')))],
    [
      'takes it for an error',
      (_ctx, next) => next().catch((thrown) => Promise.reject(ToolError.from(thrown))),
    ],
    [
      'returns it as a failure',
      async (_ctx, next) => ToolExecutionResult.failure(await next().catch((e) => e)),
    ],
    ['returns what is no result', (_ctx, next) => next().catch(() => undefined as never)],
  ])('that %s changes nothing, and starts nothing again', async (_what, aroundExecute) => {
    expect(await run([{}, { ...(aroundExecute && { aroundExecute }) }, {}])).toEqual({
      events: ['a.before', 'b.before', 'c.before', 'execute', 'c.onSuspend', 'b.onSuspend', 'a.onSuspend'],
      ended: 'waits',
    })
  })

  it('lets go in its finally before onSuspend is run', async () => {
    const held: string[] = []
    const holds: ToolInterceptor = {
      async aroundExecute(_ctx, next) {
        held.push('taken')
        try {
          return await next()
        } finally {
          held.push('given back')
        }
      },
      onSuspend: () => void held.push('suspended'),
    }
    expect((await run([holds])).ended).toBe('waits')
    expect(held).toEqual(['taken', 'given back', 'suspended'])
  })

  it('has the last word where it answered before the call came to wait', async () => {
    const first: ToolInterceptor = {
      async aroundExecute(_ctx, next) {
        void next().catch(() => undefined)
        return fallback
      },
    }
    const later = async () => {
      await new Promise(setImmediate)
      throw suspension
    }
    expect((await run([first], later)).ended).toBe('ok fallback')
  })
})

describe('an interceptor that asks itself', () => {
  it.each<[string, ToolInterceptor]>([
    ['answers in place of waiting', { beforeExecute: () => ToolExecutionResult.success('denied') }],
    ['fails in place of waiting', { beforeExecute: throwing(new UpstreamError('denied')) }],
    ['returns a failure', { beforeExecute: () => ToolExecutionResult.failure(new UpstreamError('denied')) }],
    ['answers around', { aroundExecute: async () => ToolExecutionResult.success('denied') }],
    ['fails around', { aroundExecute: () => Promise.reject(new UpstreamError('denied')) }],
  ])('and %s waits all the same', async (_what, interceptor) => {
    const { events, ended } = await run([{}, { name: 'asks', ...interceptor }], () => 'done', waiting())
    expect(ended).toBe('waits')
    expect(events.filter((event) => /execute|after|onError/.test(event))).toEqual([])
    expect(events.at(-1)).toBe('a.onSuspend')
  })

  it('after the work lets the call wait: those further out get onSuspend', async () => {
    for (const hook of ['afterExecute', 'onError'] as const) {
      const work = hook === 'afterExecute' ? () => 'done' : throwing(new UpstreamError('x'))
      const { events, ended } = await run([{}, { [hook]: throwing(suspension) }, {}], work)
      expect([events.slice(-2).map((event) => event.split(' ')[0]), ended]).toEqual([
        [`b.${hook === 'afterExecute' ? 'after' : 'onError'}`, 'a.onSuspend'],
        'waits',
      ])
    }
  })

  it('from onSuspend changes nothing', async () => {
    expect(await run([{}, { onSuspend: throwing(suspension) }])).toEqual({
      events: ['a.before', 'b.before', 'execute', 'b.onSuspend', 'a.onSuspend'],
      ended: 'waits',
    })
  })
})

async function retry(_ctx: ToolExecutionContext, next: () => Promise<ToolExecutionResult>) {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return await next()
    } catch {
      // Whatever it was.
    }
  }
  return ToolExecutionResult.success('gave up')
}
