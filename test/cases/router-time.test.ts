import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../src/interceptors/attempt-timeout.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import {
  type AnyToolError,
  ApprovalDeniedError,
  ApprovalRequiredError,
  ForbiddenError,
  InvalidArgumentsError,
  UnauthenticatedError,
  UpstreamError,
} from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import { deferred, gist, started, tool } from '../runtime/runtime-fixture.js'

const QUICK_CALLS = fileURLToPath(new URL('./quick-calls-app.ts', import.meta.url))

describe('router: time', () => {
  it.each([
    ['the deadline of the call', [], { timeoutMs: 50 }],
    ['the limit of an attempt', [new AttemptTimeoutInterceptor({ timeoutMs: 50 })], {}],
  ])('RTR-12: %s reaches the executor, which can stop', async (_, interceptors, metadata) => {
    const stopped = deferred<unknown>()
    const { runtime } = await started({
      interceptors,
      tools: [
        tool(
          'loops',
          async ({ signal }) => {
            while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1))
            stopped.resolve(signal.reason)
          },
          { metadata },
        ),
      ],
    })
    expect(gist(await runtime.call('loops'))).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    expect(await stopped.promise).toMatchObject({ code: 'TIMEOUT' })
    await runtime.close()
  })

  it.each(['bare', 'guarded'])(
    'RTR-14: %s calls that have ended leave no timer and no listener',
    async (how) => {
      const child = spawn(process.execPath, ['--import', 'tsx', QUICK_CALLS, how], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let out = ''
      child.stdout.setEncoding('utf8').on('data', (text) => {
        out += text
      })
      // A timer of a call would keep it for half a minute, which is longer than a test may take.
      expect(await once(child, 'close')).toEqual([0, null])
      expect(JSON.parse(out)).toEqual({ answered: 2_000, listeners: 0, warnings: [] })
    },
  )

  describe('RTR-17: a retry', () => {
    /** How often the executor runs that fails with `failure`, with three attempts allowed. */
    async function timesRun(
      failure: (ctx: ToolExecutionContext) => unknown,
      metadata: ToolMetadataInit = {},
    ): Promise<number> {
      let counter = 0
      const { runtime } = await started({
        interceptors: [new RetryInterceptor({ maxAttempts: 3, initialDelayMs: 1, retryOn: () => true })],
        tools: [
          tool(
            'send',
            async (ctx) => {
              counter++
              throw failure(ctx)
            },
            { metadata },
          ),
        ],
      })
      await runtime.call('send')
      return counter
    }

    it('does not repeat a side effect', async () => {
      expect(await timesRun(() => new Error('reset'))).toBe(1)
      expect(await timesRun(() => new Error('reset'), { idempotent: false })).toBe(1)
    })

    it('repeats what is declared idempotent, or is known to precede the effect', async () => {
      expect(await timesRun(() => new Error('reset'), { idempotent: true })).toBe(3)
      const refused = () => new UpstreamError('connection refused', { outcome: 'not-started' })
      expect(await timesRun(refused)).toBe(3)
    })

    it.each<AnyToolError>([
      new InvalidArgumentsError('send', []),
      new ForbiddenError(),
      new UnauthenticatedError(),
      new ApprovalRequiredError('send', 'a-1'),
      new ApprovalDeniedError('send'),
    ])('repeats no refusal: %s', async (refusal) => {
      expect(await timesRun(() => refusal, { idempotent: true })).toBe(1)
    })

    it('does not repeat a call that is cancelled', async () => {
      let counter = 0
      const controller = new AbortController()
      const { runtime } = await started({
        interceptors: [new RetryInterceptor({ initialDelayMs: 1, retryOn: () => true })],
        tools: [
          tool(
            'send',
            async () => {
              counter++
              controller.abort()
              throw new Error('reset')
            },
            { metadata: { idempotent: true } },
          ),
        ],
      })
      const result = await runtime.call('send', {}, { signal: controller.signal })
      expect([gist(result), counter]).toEqual([{ code: 'ABORTED', outcome: 'unknown' }, 1])
    })
  })
})
