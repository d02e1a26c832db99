import { describe, expect, it } from 'vitest'
import { InterceptorChain } from '../../src/interceptors/chain.js'
import { AttributeKey } from '../../src/registry/call-attributes.js'
import { ForbiddenError, ToolTimeoutError, UpstreamError } from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { ChainRecorder, type Pace, throwing } from './chain-recorder.js'
import { contextOf } from './tool-call-fixture.js'

const boom = new UpstreamError('boom')
const BOOM = 'UPSTREAM_FAILED boom'
const instead = () => ToolExecutionResult.success('instead')
const failing = () => ToolExecutionResult.failure(boom)

/** The table of the contract, with hooks that answer at once and with hooks that answer later. */
describe.each<Pace>(['sync', 'async'])('a chain of %s hooks', (pace) => {
  /** Runs a, b and c around `work`; `b` is what b does. */
  const run = (b: Omit<ToolInterceptor, 'name'>, work?: () => unknown) => {
    const recorder = new ChainRecorder(pace)
    const [a, c] = [recorder.interceptor('a'), recorder.interceptor('c')]
    return recorder.run([a, recorder.interceptor('b', b), c], work)
  }

  it('runs before in order and after in reverse', async () => {
    expect(await run({})).toEqual({
      events: ['a.before', 'b.before', 'c.before', 'execute', 'c.after', 'b.after', 'a.after'],
      ended: 'ok done',
    })
  })

  it.each([
    ['throws', throwing(boom)],
    ['returns a failure', failing],
  ])('gives onError only to those outside a before that %s', async (_, beforeExecute) => {
    expect(await run({ beforeExecute })).toEqual({
      events: ['a.before', 'b.before', `a.onError ${BOOM}`],
      ended: `failed ${BOOM}`,
    })
  })

  it('gives after only to those outside a before that returns a result, and runs nothing inside it', async () => {
    expect(await run({ beforeExecute: instead })).toEqual({
      events: ['a.before', 'b.before', 'a.after'],
      ended: 'ok instead',
    })
  })

  it('gives onError to all in reverse when the executor throws', async () => {
    expect(await run({}, throwing(boom))).toEqual({
      events: [
        'a.before',
        'b.before',
        'c.before',
        'execute',
        `c.onError ${BOOM}`,
        `b.onError ${BOOM}`,
        `a.onError ${BOOM}`,
      ],
      ended: `failed ${BOOM}`,
    })
  })

  it.each([
    ['throws', throwing(boom)],
    ['returns a failure', failing],
  ])('gives onError to those outside an after that %s', async (_, afterExecute) => {
    expect(await run({ afterExecute })).toEqual({
      events: ['a.before', 'b.before', 'c.before', 'execute', 'c.after', 'b.after', `a.onError ${BOOM}`],
      ended: `failed ${BOOM}`,
    })
  })

  it('takes the result that an after returns', async () => {
    expect(await run({ afterExecute: instead })).toMatchObject({ ended: 'ok instead' })
  })

  it('gives after to those outside an onError that recovers', async () => {
    expect(await run({ onError: instead }, throwing(boom))).toEqual({
      events: [
        'a.before',
        'b.before',
        'c.before',
        'execute',
        `c.onError ${BOOM}`,
        `b.onError ${BOOM}`,
        'a.after',
      ],
      ended: 'ok instead',
    })
  })

  it.each([
    ['throws', throwing(new ForbiddenError('no'))],
    ['returns a failure', () => ToolExecutionResult.failure(new ForbiddenError('no'))],
  ])(
    'replaces the error by that of an onError that %s, and keeps the first as its cause',
    async (_, onError) => {
      expect(await run({ onError }, throwing(boom))).toEqual({
        events: [
          'a.before',
          'b.before',
          'c.before',
          'execute',
          `c.onError ${BOOM}`,
          `b.onError ${BOOM}`,
          `a.onError FORBIDDEN no < ${BOOM}`,
        ],
        ended: `failed FORBIDDEN no < ${BOOM}`,
      })
    },
  )

  const lookAlikeContext = () => ({ ...contextOf(), args: {}, with: () => lookAlikeContext() }) as never
  it.each<[string, () => unknown]>([
    ['a number', () => 1],
    ['true', () => true],
    ['a string', () => 'instead'],
    ['null', () => null],
    ['what looks like a context', lookAlikeContext],
    ['a map', () => new Map()],
  ])('ignores a hook that returns %s', async (_, junk) => {
    // What compiled code may return all the same: a logger's methods, a cast.
    const hook = junk as () => void
    const b = { beforeExecute: hook, afterExecute: hook, onError: hook }
    expect(await run(b)).toEqual({
      events: ['a.before', 'b.before', 'c.before', 'execute', 'c.after', 'b.after', 'a.after'],
      ended: 'ok done',
    })
    expect(await run(b, throwing(boom))).toMatchObject({ ended: `failed ${BOOM}` })
  })

  it.each<[string, object, RegExp]>([
    [
      'a look-alike success',
      { ok: true, toolName: 'get_weather', value: 'x', durationMs: 0 },
      /must be made with/,
    ],
    [
      'a look-alike failure',
      { ok: false, toolName: 'get_weather', error: boom, durationMs: 0 },
      /must be made with/,
    ],
    ['an error', boom, /boom/],
  ])('fails where a hook returns %s: it may be a guard that says no', async (_, answer, message) => {
    const hook = () => answer as never
    for (const hooks of [{ beforeExecute: hook }, { afterExecute: hook }]) {
      expect((await run(hooks)).ended).toMatch(message)
      expect((await run(hooks)).ended).toMatch(/^failed/)
    }
    expect((await run({ beforeExecute: hook })).events).not.toContain('execute')
  })

  it('ignores a context that after or onError returns', async () => {
    const hook = ((ctx: ToolExecutionContext) => ctx.with({})) as never
    expect(await run({ afterExecute: hook })).toMatchObject({ ended: 'ok done' })
    expect(await run({ onError: hook }, throwing(boom))).toMatchObject({ ended: `failed ${BOOM}` })
  })
})

describe('a chain', () => {
  it('is the executor itself where there are no interceptors: in what it answers, when, and what it throws', async () => {
    const chain = new InterceptorChain([], { argumentsAreFinal: true })
    const [ctx, result] = [contextOf(), instead()]
    const later = Promise.resolve(result)
    expect([chain.run(ctx, () => result) === result, chain.run(ctx, () => later) === later]).toEqual([
      true,
      true,
    ])
    expect(() => chain.run(ctx, throwing(boom))).toThrow(boom)
  })

  it('asks nothing of interceptors that have no hooks', async () => {
    expect(await new ChainRecorder().run([{}, Object.create(null)])).toEqual({
      events: ['execute'],
      ended: 'ok done',
    })
  })

  it('shows what is no ToolError to hooks and callers as one, with the original as cause', async () => {
    const recorder = new ChainRecorder()
    const notEvenAsync = throwing('a string')
    const chain = new InterceptorChain([recorder.interceptor('a')], { argumentsAreFinal: true })
    await expect(chain.run(contextOf(), notEvenAsync)).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      message: 'The tool failed',
      cause: 'a string',
    })
    expect(recorder.events).toEqual(['a.before', 'a.onError EXECUTION_FAILED The tool failed < a string'])
  })

  it('passes one error instance through all that only look on', async () => {
    const seen: unknown[] = []
    const onError = (_ctx: ToolExecutionContext, error: unknown) => void seen.push(error)
    const run = new InterceptorChain([{ onError }, { onError }], { argumentsAreFinal: true })
    await expect(run.run(contextOf(), throwing(boom))).rejects.toBe(boom)
    expect(seen.map((error) => error === boom)).toEqual([true, true])
  })

  it('gives after the result that those inside have left', async () => {
    const seen: unknown[] = []
    const appends = (letter: string): ToolInterceptor => ({
      afterExecute: (_ctx, result) => {
        seen.push(result)
        return ToolExecutionResult.success(`${result.ok && result.value}${letter}`)
      },
    })
    expect(await new ChainRecorder().run([appends('a'), appends('b')])).toMatchObject({ ended: 'ok doneba' })
    expect(seen).toMatchObject([{ value: 'done' }, { value: 'doneb' }])
  })

  it('keeps 1 000 overlapping calls apart', async () => {
    const own = new AttributeKey<string>('own')
    const remembers: ToolInterceptor = {
      beforeExecute: async (ctx) => {
        ctx.attributes.set(own, `of ${ctx.callId}`)
        await pauses(Number(ctx.callId) % 7)
        return ctx.with({})
      },
      afterExecute: (ctx, result) =>
        ToolExecutionResult.success([ctx.callId, ctx.attributes.get(own), result.ok && result.value]),
      onError: async (ctx, error) => {
        await pauses(Number(ctx.callId) % 3)
        return ToolExecutionResult.success([ctx.callId, ctx.attributes.get(own), error.message])
      },
      aroundExecute: async (ctx, next) => {
        await pauses(Number(ctx.callId) % 5)
        return next()
      },
    }
    const chain = new InterceptorChain([remembers, {}, remembers], { argumentsAreFinal: true })
    const calls = Array.from({ length: 1_000 }, (_, callId) =>
      chain.run(contextOf({ callId }, { n: callId }), async (ctx) => {
        await pauses(10 - (callId % 10))
        if (callId % 4 === 0) throw new ToolTimeoutError(`tool ${callId}`, 1)
        return ToolExecutionResult.success(ctx.getArg('n'))
      }),
    )
    expect((await Promise.all(calls)).map(({ value }) => value)).toEqual(
      calls.map((_, id) => {
        const work = id % 4 === 0 ? `Tool "tool ${id}" did not finish within 1 ms` : id
        return [id, `of ${id}`, [id, `of ${id}`, work]]
      }),
    )
  })
})

async function pauses(turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise(setImmediate)
}
