import { describe, expect, it } from 'vitest'
import { CacheInterceptor } from '../../src/interceptors/cache.js'
import { ConcurrencyLimitInterceptor } from '../../src/interceptors/concurrency-limit.js'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { IdempotencyInterceptor } from '../../src/interceptors/idempotency.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import { ToolDefinitionProvider } from '../../src/registry/tool-definition-provider.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import { containerWith, tool } from '../runtime/runtime-fixture.js'
import { breakerAt, gistOf, gives, isAway, oneAtATime, resets } from './composition.js'

/** A runtime with one tool, and an interceptor of each scope around it. */
async function scoped(
  steps: readonly (() => unknown)[],
  {
    shared = [],
    provider = [],
    own = [],
    metadata = {},
  }: {
    readonly shared?: readonly ToolInterceptor[]
    readonly provider?: readonly ToolInterceptor[]
    readonly own?: readonly ToolInterceptor[]
    readonly metadata?: ToolMetadataInit
  },
) {
  let runs = 0
  const run = () => steps[Math.min(++runs, steps.length) - 1]?.()
  const { container, runtime } = containerWith({ interceptors: shared })
  container.bind(ToolDefinitionProvider).toConstantValue({
    name: 'provider',
    interceptors: provider,
    provide: () => [tool('t', run, { metadata, interceptors: own })],
  })
  await runtime.start()
  return {
    runtime,
    call: async (idempotencyKey?: string) =>
      gistOf(await runtime.call('t', {}, idempotencyKey === undefined ? {} : { idempotencyKey })),
    runs: () => runs,
  }
}

const retry = () => new RetryInterceptor({ initialDelayMs: 0 })
const done = { value: 'done' }

describe('what a tool has of its own inside what all share', () => {
  it('its cache: an attempt that fails is not cached, and the next one fetches again', async () => {
    const { call, runs } = await scoped([resets, gives('done'), gives('other')], {
      shared: [retry()],
      own: [new CacheInterceptor()],
      metadata: { readOnly: true },
    })
    expect([await call(), await call(), runs()]).toEqual([done, done, 2])
  })

  it('its idempotency: the retries of all go through it, and repeat only what did nothing', async () => {
    const own = () => [new IdempotencyInterceptor()]
    const away = await scoped([isAway, gives('done')], { shared: [retry()], own: own() })
    expect([await away.call('k'), await away.call('k'), away.runs()]).toEqual([done, done, 2])
    const broken = await scoped([resets, gives('done')], { shared: [retry()], own: own() })
    const failed = { code: 'UPSTREAM_FAILED', outcome: 'unknown' }
    expect([await broken.call('k'), await broken.call('k'), broken.runs()]).toEqual([failed, failed, 1])
  })

  it('its fallback: what it stands in for is neither retried nor seen to fail', async () => {
    const { breaker, changes } = breakerAt(1)
    const { call, runs } = await scoped([resets], {
      shared: [retry(), breaker],
      own: [new FallbackInterceptor({ value: 'stand-in' })],
      metadata: { readOnly: true },
    })
    expect([await call(), runs(), changes]).toEqual([{ value: 'stand-in', degraded: true }, 1, []])
  })

  it('its retries: they are one attempt of those of all, and never run twice what may have acted', async () => {
    const scopes = () => ({ shared: [retry()], own: [retry()] })
    const away = await scoped([isAway], scopes())
    expect([await away.call(), away.runs()]).toEqual([{ code: 'UPSTREAM_FAILED', outcome: 'not-started' }, 9])
    const broken = await scoped([isAway, resets], scopes())
    expect([await broken.call(), broken.runs()]).toEqual([{ code: 'UPSTREAM_FAILED', outcome: 'unknown' }, 2])
  })

  it('its rate limit: in the request ring, it counts also what the cache of all answers', async () => {
    const { call, runs } = await scoped([gives('done')], {
      shared: [new CacheInterceptor()],
      own: [new RateLimitInterceptor({ defaultPerMinute: 2 })],
      metadata: { readOnly: true },
    })
    expect([await call(), await call(), await call(), runs()]).toEqual([
      done,
      done,
      { code: 'RATE_LIMITED', outcome: 'not-started' },
      1,
    ])
  })

  it('its concurrency limit: it counts what that of all lets in', async () => {
    const run = async (shared: ToolInterceptor, provider: ToolInterceptor) => {
      const slow = () => new Promise((resolve) => setImmediate(resolve, 'done'))
      const { call } = await scoped([slow], { shared: [shared], provider: [provider] })
      return Promise.all([call(), call()])
    }
    const queue = () => new ConcurrencyLimitInterceptor({ perTool: 1 })
    const overloaded = { code: 'OVERLOADED', outcome: 'not-started' }
    expect(await run(queue(), oneAtATime())).toEqual([done, done])
    expect(await run(oneAtATime(), queue())).toEqual([done, overloaded])
  })
})

describe('an instance in several scopes runs once', () => {
  const everywhere = (one: ToolInterceptor) => ({ shared: [one], provider: [one], own: [one, one] })

  it('retries: so many attempts, and not their cube', async () => {
    const { call, runs } = await scoped([isAway], everywhere(retry()))
    await call()
    expect(runs()).toBe(3)
  })

  it('circuit breaker: one failure is one', async () => {
    const { breaker, changes } = breakerAt(2)
    const { call } = await scoped([resets], everywhere(breaker))
    await call()
    expect(changes).toEqual([])
    await call()
    expect(changes).toEqual(['open'])
  })

  it('concurrency limit: a call takes one permit, and does not wait for itself', async () => {
    const { call } = await scoped([gives('done')], everywhere(oneAtATime()))
    expect(await call()).toEqual(done)
  })

  it('rate limit: one call is one', async () => {
    const { call } = await scoped(
      [gives('done')],
      everywhere(new RateLimitInterceptor({ defaultPerMinute: 2 })),
    )
    expect([await call(), await call(), await call()]).toEqual([
      done,
      done,
      { code: 'RATE_LIMITED', outcome: 'not-started' },
    ])
  })

  it('idempotency and cache: who has the key does not wait for it', async () => {
    const keys = await scoped([gives('done')], everywhere(new IdempotencyInterceptor()))
    expect([await keys.call('k'), await keys.call('k'), keys.runs()]).toEqual([done, done, 1])
    const cache = everywhere(new CacheInterceptor())
    const cached = await scoped([gives('done')], { ...cache, metadata: { readOnly: true } })
    expect([await cached.call(), await cached.call(), cached.runs()]).toEqual([done, done, 1])
  })
})
