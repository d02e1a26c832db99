import { expect, it } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../src/interceptors/attempt-timeout.js'
import { CacheInterceptor } from '../../src/interceptors/cache.js'
import { ConcurrencyLimitInterceptor } from '../../src/interceptors/concurrency-limit.js'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { IdempotencyInterceptor } from '../../src/interceptors/idempotency.js'
import { LoggingInterceptor } from '../../src/interceptors/logging.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import { Principal } from '../../src/registry/principal.js'
import { type AnyToolError, ToolExecutionError } from '../../src/registry/tool-error.js'
import { started, tool } from '../runtime/runtime-fixture.js'
import { breakerAt, gistOf, resets } from './composition.js'
import { recordingLogger } from './recording-logger.js'

/** What becomes of the work for a number. */
const FATES = ['succeeds', 'fails at first', 'keeps failing', 'is refused'] as const
const fateOf = (number: number) => FATES[number % FATES.length]

interface Work {
  readonly number: number
  readonly turns: number
}

/** A thousand calls: each caller makes most of them twice, and uses the same keys as all others for some. */
const calls = Array.from({ length: 1_000 }, (_, i) => {
  const number = Math.floor(i / 10) % 60
  const args: Work = { number, turns: number % 7 }
  const principal = new Principal({ subject: `caller ${i % 10}` })
  const key = number % 3 === 0 ? { idempotencyKey: `key ${number}` } : {}
  return { args, options: { callId: `call ${i}`, principal, ...key } }
})

/** What has to come of a call, whatever else runs. */
function due({ args, options: { principal } }: (typeof calls)[number]) {
  const callerKey = `principal:${principal.key}`
  switch (fateOf(args.number)) {
    case 'keeps failing':
      return { value: { standsInFor: args, callerKey }, degraded: true }
    case 'is refused':
      return { code: 'EXECUTION_FAILED', message: `no ${args.number} for ${callerKey}` }
    default:
      return { value: { args, callerKey } }
  }
}

it('INT-08: 1 000 overlapping calls of ten callers through all built-ins mix up nothing', async () => {
  const logger = recordingLogger()
  const attempts = new Map<string, number>()
  const work = tool(
    'work',
    async ({ args, callerKey, signal }) => {
      const { number, turns } = args as unknown as Work
      const attempt = (attempts.get(`${callerKey} ${number}`) ?? 0) + 1
      attempts.set(`${callerKey} ${number}`, attempt)
      for (let i = 0; i < turns; i++) await new Promise(setImmediate)
      signal.throwIfAborted()
      const fate = fateOf(number)
      if (fate === 'keeps failing' || (fate === 'fails at first' && attempt === 1)) resets()
      if (fate === 'is refused') throw new ToolExecutionError(`no ${number} for ${callerKey}`)
      return { args, callerKey }
    },
    { metadata: { readOnly: true } },
  )
  const { runtime } = await started({
    tools: [work],
    interceptors: [
      new LoggingInterceptor({ logger, args: true }),
      new RateLimitInterceptor({ defaultPerMinute: 100 }),
      new IdempotencyInterceptor(),
      new CacheInterceptor(),
      new FallbackInterceptor({ value: ({ args, callerKey }) => ({ standsInFor: args, callerKey }) }),
      new RetryInterceptor({ initialDelayMs: 0, budget: false }),
      breakerAt(1_000).breaker,
      new ConcurrencyLimitInterceptor({ perTool: 40, perCaller: 7, queue: 1_000 }),
      new AttemptTimeoutInterceptor({ timeoutMs: 600_000 }),
    ],
  })
  const results = await Promise.all(calls.map(({ args, options }) => runtime.call('work', args, options)))
  expect(results.map((result) => (result.ok ? gistOf(result) : failureOf(result.error)))).toEqual(
    calls.map(due),
  )

  const ended = logger.lines.filter(({ level }) => level !== 'debug').map(({ fields }) => fields)
  const told = ended.map(({ callId, principal, args }) => ({ callId, principal, args }))
  expect(told.toSorted(byCallId)).toEqual(
    calls
      .map(({ args, options: { callId, principal } }) => ({ callId, principal: principal.subject, args }))
      .toSorted(byCallId),
  )
  await runtime.close()
})

const failureOf = ({ code, message }: AnyToolError) => ({ code, message })

function byCallId(a: { readonly callId: unknown }, b: { readonly callId: unknown }): number {
  return String(a.callId).localeCompare(String(b.callId))
}
