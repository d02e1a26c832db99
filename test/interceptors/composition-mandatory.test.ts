import { describe, expect, it } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../src/interceptors/attempt-timeout.js'
import { CacheInterceptor } from '../../src/interceptors/cache.js'
import { CircuitBreakerInterceptor } from '../../src/interceptors/circuit-breaker.js'
import { ConcurrencyLimitInterceptor } from '../../src/interceptors/concurrency-limit.js'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { IdempotencyInterceptor } from '../../src/interceptors/idempotency.js'
import { LoggingInterceptor } from '../../src/interceptors/logging.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import { ForbiddenError } from '../../src/registry/tool-error.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { MandatoryInterceptor } from '../../src/runtime/runtime-settings.js'
import { toolRoutes } from '../../src/runtime/tool-routes.js'
import { started, tool } from '../runtime/runtime-fixture.js'
import { gistOf, isAway } from './composition.js'
import { recordingLogger } from './recording-logger.js'

const logger = recordingLogger()

/** A built-in, what asks for it, and where. */
const builtIns: readonly (readonly [
  string,
  MandatoryInterceptor,
  () => ToolInterceptor,
  'request' | 'execution',
])[] = (
  [
    [LoggingInterceptor, () => new LoggingInterceptor({ logger }), 'request'],
    [RateLimitInterceptor, () => new RateLimitInterceptor(), 'request'],
    [IdempotencyInterceptor, () => new IdempotencyInterceptor(), 'execution'],
    [CacheInterceptor, () => new CacheInterceptor(), 'execution'],
    [FallbackInterceptor, () => new FallbackInterceptor({ value: 1 }), 'execution'],
    [RetryInterceptor, () => new RetryInterceptor(), 'execution'],
    [CircuitBreakerInterceptor, () => new CircuitBreakerInterceptor(), 'execution'],
    [ConcurrencyLimitInterceptor, () => new ConcurrencyLimitInterceptor(), 'execution'],
    [AttemptTimeoutInterceptor, () => new AttemptTimeoutInterceptor({ timeoutMs: 1_000 }), 'execution'],
  ] as const
).flatMap(([type, make, ring]) => [
  [`${type.name} by name`, type.name, make, ring],
  [`${type.name} by class`, type, make, ring],
])

describe('a mandatory built-in', () => {
  it.each(builtIns)('%s: no tool is there without it, whenever it comes', async (_, mandatory, make) => {
    const name = typeof mandatory === 'string' ? mandatory : mandatory.name
    const guarded = (toolName: string) => tool(toolName, () => toolName, { interceptors: [make()] })
    const { runtime, report } = await started({
      tools: [guarded('guarded'), tool('bare')],
      options: { mandatoryInterceptors: [mandatory] },
    })
    const refusal = (toolName: string) =>
      `Tool "${toolName}" cannot be used: interceptors: the mandatory ${name} is missing`
    expect(report.problems.map(({ error }) => String(error))).toEqual([
      `ToolDefinitionError: ${refusal('bare')}`,
    ])
    expect(() => runtime.registry.register(tool('later'))).toThrow(refusal('later'))
    runtime.registry.register(guarded('guarded_later'))
    expect(runtime.registry.list().map((one) => one.name)).toEqual(['guarded', 'guarded_later'])
    expect(gistOf(await runtime.call('guarded_later'))).toEqual({ value: 'guarded_later' })
    expect(runtime.explain('guarded').interceptors).toEqual([
      expect.objectContaining({ name, scope: 'shared', mandatory: true }),
    ])
    await runtime.close()
  })

  it.each(builtIns)('%s: shared, it is around every tool', async (_, mandatory, make) => {
    const { report } = await started({
      tools: [tool('bare'), toolRoutes(tool('a'), tool('b'))],
      interceptors: [make()],
      options: { mandatoryInterceptors: [mandatory] },
    })
    expect(report.problems).toEqual([])
  })

  it.each(builtIns)('%s: no alternative is there without it', async (_, mandatory, make, ring) => {
    const name = typeof mandatory === 'string' ? mandatory : mandatory.name
    const { report } = await started({
      tools: [
        toolRoutes(
          tool('a', () => 'a', { interceptors: [make()] }),
          tool('b'),
        ),
      ],
      options: { mandatoryInterceptors: [mandatory] },
    })
    // One of the request ring is around all of them, whichever brings it.
    expect(report.problems.map(({ error }) => String(error))).toEqual(
      ring === 'request'
        ? []
        : [
            `ToolDefinitionError: Tool "a" cannot be used: alternatives/b/interceptors: the mandatory ${name} is missing`,
          ],
    )
  })
})

describe('a mandatory guard', () => {
  class Guard implements ToolInterceptor {
    seen = 0
    readonly #allowed: number
    constructor(allowed = Number.POSITIVE_INFINITY) {
      this.#allowed = allowed
    }
    beforeExecute() {
      if (++this.seen > this.#allowed) throw new ForbiddenError('no more of this')
    }
  }

  it('of a tool stands outside its retries, and inside those that all share', async () => {
    const run = async (shared: readonly ToolInterceptor[], own: readonly ToolInterceptor[]) => {
      const guard = new Guard()
      const { runtime } = await started({
        tools: [tool('t', isAway, { interceptors: [...own, guard] })],
        interceptors: shared,
        options: { mandatoryInterceptors: [Guard] },
      })
      await runtime.call('t')
      return guard.seen
    }
    const retry = () => new RetryInterceptor({ initialDelayMs: 0 })
    expect([await run([], [retry()]), await run([retry()], [])]).toEqual([1, 3])
  })

  it('that refuses an attempt has the last word, and nothing stands in for it', async () => {
    let runs = 0
    const guard = new Guard(1)
    const { runtime } = await started({
      tools: [
        tool('t', () => {
          runs++
          isAway()
        }),
      ],
      interceptors: [
        new FallbackInterceptor({ value: 'stand-in' }),
        new RetryInterceptor({ initialDelayMs: 0 }),
        guard,
      ],
      options: { mandatoryInterceptors: [Guard] },
    })
    expect(gistOf(await runtime.call('t'))).toEqual({ code: 'FORBIDDEN', outcome: 'not-started' })
    expect({ runs, seen: guard.seen }).toEqual({ runs: 1, seen: 2 })
  })
})
