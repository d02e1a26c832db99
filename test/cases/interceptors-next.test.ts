import { describe, expect, it } from 'vitest'
import { type ToolError, UpstreamError } from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { Next, ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { unhandledRejectionsDuring } from '../interceptors/unhandled-rejections.js'
import { started, tool } from '../runtime/runtime-fixture.js'

describe('interceptors: next', () => {
  const twice = async (_ctx: ToolExecutionContext, next: Next) => {
    await next()
    return await next()
  }

  it('INT-07: next called twice does not run a tool twice that is not idempotent', async () => {
    expect(await callAround(twice)).toEqual({
      outcome:
        'EXECUTION_FAILED once is not idempotent and may have acted: it is not run again in the same call',
      executions: 1,
      cause: '',
    })
    expect(await callAround(twice, { idempotent: true })).toEqual({
      outcome: 'ok done',
      executions: 2,
      cause: '',
    })
  })

  it('INT-07: next called twice runs a tool again that says that nothing was started', async () => {
    let left = 1
    const work = () => {
      if (left-- > 0) throw new UpstreamError('connection refused', { outcome: 'not-started' })
      return 'at last'
    }
    const retry = (_ctx: ToolExecutionContext, next: Next) => next().catch(() => next())
    expect(await callAround(retry, { work })).toEqual({ outcome: 'ok at last', executions: 2, cause: '' })
  })

  it.each([true, false])(
    'INT-07: next called while it runs rejects (tool idempotent: %s)',
    async (idempotent) => {
      const overlapping = async (_ctx: ToolExecutionContext, next: Next) => {
        const first = next()
        await next()
        return first
      }
      const work = () => new Promise((resolve) => setImmediate(resolve, 'done'))
      expect(await callAround(overlapping, { idempotent, work })).toEqual({
        outcome: 'EXECUTION_FAILED The tool failed',
        executions: 1,
        cause: 'TypeError: i: next() was called again before the previous call of it had settled',
      })
    },
  )

  it('INT-07: next that is not awaited loses its error without an unhandled rejection', async () => {
    const early = async (_ctx: ToolExecutionContext, next: Next) => {
      next().catch(() => undefined)
      return 'early' as never
    }
    const dropping = async (_ctx: ToolExecutionContext, next: Next) => {
      void next()
      return ToolExecutionResult.success('early')
    }
    const work = () => Promise.reject(new Error('nobody looks'))
    expect(await callAround(early, { work })).toEqual({
      outcome: 'EXECUTION_FAILED The tool failed',
      executions: 1,
      cause: 'TypeError: i: aroundExecute must return a ToolExecutionResult (got a string)',
    })
    expect(await callAround(dropping, { work })).toEqual({ outcome: 'ok early', executions: 1, cause: '' })
  })

  it.each([true, false])(
    'INT-07: next called after returning rejects (tool idempotent: %s)',
    async (idempotent) => {
      const late: Promise<string>[] = []
      const afterwards = async (_ctx: ToolExecutionContext, next: Next) => {
        const message = () =>
          next().then(
            () => 'ran',
            (error: ToolError) => String(error.cause),
          )
        late.push(new Promise((resolve) => setImmediate(() => resolve(message()))))
        return ToolExecutionResult.success('x')
      }
      expect(await callAround(afterwards, { idempotent })).toEqual({
        outcome: 'ok x',
        executions: 0,
        cause: '',
      })
      expect(await Promise.all(late)).toEqual([
        'TypeError: i: next() was called after aroundExecute had returned',
      ])
    },
  )
})

/** Calls a tool with `aroundExecute` around it. Waits for what that leaves behind. */
async function callAround(
  aroundExecute: NonNullable<ToolInterceptor['aroundExecute']>,
  { idempotent = false, work = () => 'done' as unknown } = {},
): Promise<{ readonly outcome: string; readonly executions: number; readonly cause: string }> {
  let executions = 0
  let result: ToolExecutionResult | undefined
  const counted = () => {
    executions++
    return work()
  }
  const once = tool('once', counted, {
    metadata: { idempotent },
    interceptors: [{ name: 'i', aroundExecute }],
  })
  const { runtime } = await started({ tools: [once] })
  const rejections = await unhandledRejectionsDuring(async () => {
    result = await runtime.call('once')
  })
  expect(rejections).toEqual([])
  await runtime.close()
  const cause = result?.ok === false ? String(result.error.cause ?? '') : ''
  return {
    outcome:
      result === undefined
        ? ''
        : result.ok
          ? `ok ${result.value}`
          : `${result.error.code} ${result.error.message}`,
    executions,
    cause,
  }
}
