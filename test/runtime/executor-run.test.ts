import { describe, expect, it, vi } from 'vitest'
import { ForbiddenError, ToolExecutionError } from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { deferred, gist, started, tool } from './runtime-fixture.js'

const turn = () => new Promise(setImmediate)

describe('running the executor again', () => {
  const again: ToolInterceptor = {
    async aroundExecute(_ctx, next) {
      try {
        return await next()
      } catch {
        return await next()
      }
    },
  }

  it('is refused after a failure that may have acted', async () => {
    const executor = vi.fn(() => Promise.reject(new Error('reset')))
    const { runtime } = await started({ tools: [tool('pay', executor, { interceptors: [again] })] })
    expect(gist(await runtime.call('pay'))).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
    expect(executor).toHaveBeenCalledOnce()
  })

  it('is allowed for an idempotent tool', async () => {
    const executor = vi.fn().mockRejectedValueOnce(new Error('reset')).mockResolvedValueOnce('ok')
    const { runtime } = await started({
      tools: [tool('read', executor, { metadata: { idempotent: true }, interceptors: [again] })],
    })
    expect(gist(await runtime.call('read'))).toEqual({ value: 'ok' })
  })

  it('is allowed where the tool forwards its idempotency key, which is the same each time', async () => {
    const keys: string[] = []
    const pay = tool(
      'pay',
      ({ idempotencyKey }) => {
        keys.push(idempotencyKey)
        if (keys.length === 1) throw new Error('reset')
        return 'ok'
      },
      { metadata: { forwardsIdempotencyKey: true }, interceptors: [again] },
    )
    const { runtime } = await started({ tools: [pay] })
    expect(gist(await runtime.call('pay'))).toEqual({ value: 'ok' })
    expect(keys[1]).toBe(keys[0])
    await runtime.call('pay')
    expect(keys[2]).not.toBe(keys[0])
  })

  it('does not happen in an attempt that was given up', async () => {
    const givenUp = new AbortController()
    const executor = vi.fn(() => 'acted')
    const hurried: ToolInterceptor = {
      async aroundExecute(ctx, next) {
        const late = next(ctx.with({ signal: givenUp.signal }))
        givenUp.abort(new ForbiddenError('too late'))
        return late
      },
    }
    const slow: ToolInterceptor = { order: 1, beforeExecute: () => turn().then(() => undefined) }
    const { runtime } = await started({ tools: [tool('pay', executor, { interceptors: [hurried, slow] })] })
    expect(gist(await runtime.call('pay'))).toEqual({ code: 'FORBIDDEN', outcome: 'not-started' })
    expect(executor).not.toHaveBeenCalled()
  })

  it('is allowed when nothing was started', async () => {
    const busy = new ToolExecutionError('busy', { outcome: 'not-started' })
    const executor = vi.fn().mockRejectedValueOnce(busy).mockResolvedValueOnce('ok')
    const { runtime } = await started({ tools: [tool('pay', executor, { interceptors: [again] })] })
    expect(gist(await runtime.call('pay'))).toEqual({ value: 'ok' })
  })

  it('does not become safe because a hook fails after the work: the outcome stays honest', async () => {
    const veto: ToolInterceptor = {
      afterExecute: () => {
        throw new ForbiddenError()
      },
    }
    const { runtime } = await started({ tools: [tool('pay', () => 'paid', { interceptors: [veto] })] })
    expect(gist(await runtime.call('pay'))).toEqual({ code: 'FORBIDDEN', outcome: 'completed' })
  })

  it('takes a failure the same way whether it is returned now or later', async () => {
    const failure = ToolExecutionResult.failure(new ForbiddenError())
    const { runtime } = await started({
      tools: [tool('now', () => failure), tool('later', async () => failure)],
    })
    const [now, later] = [await runtime.call('now'), await runtime.call('later')]
    expect([gist(now), gist(later)]).toEqual(Array(2).fill({ code: 'FORBIDDEN', outcome: 'not-started' }))
  })

  it('takes an error that the executor returns as one that it throws', async () => {
    const { runtime } = await started({ tools: [tool('no', () => new ForbiddenError())] })
    expect(gist(await runtime.call('no'))).toMatchObject({ code: 'FORBIDDEN' })
  })
})

describe('a call that has been answered', () => {
  it('starts no work any more, where an interceptor let go of its next', async () => {
    const gate = deferred()
    const executor = vi.fn(() => 'late')
    const hasty: ToolInterceptor = {
      order: -1,
      aroundExecute: async (_ctx, next) => {
        next().catch(() => undefined)
        return ToolExecutionResult.success('early')
      },
    }
    const slow: ToolInterceptor = { beforeExecute: () => gate.promise }
    const { runtime } = await started({ interceptors: [hasty, slow], tools: [tool('work', executor)] })
    expect(await runtime.call('work')).toMatchObject({ ok: true, value: 'early' })
    gate.resolve()
    await turn()
    expect(executor).not.toHaveBeenCalled()
  })
})
