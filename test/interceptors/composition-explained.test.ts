import { expect, it } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../src/interceptors/attempt-timeout.js'
import { CacheInterceptor } from '../../src/interceptors/cache.js'
import { ConcurrencyLimitInterceptor } from '../../src/interceptors/concurrency-limit.js'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { IdempotencyInterceptor } from '../../src/interceptors/idempotency.js'
import { InterceptorOrder } from '../../src/interceptors/interceptor-order.js'
import { LoggingInterceptor } from '../../src/interceptors/logging.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import { ToolDefinitionProvider } from '../../src/registry/tool-definition-provider.js'
import { interceptorName, type ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ExplainedInterceptor } from '../../src/runtime/explanation.js'
import { toolRoutes } from '../../src/runtime/tool-routes.js'
import { containerWith, started, tool } from '../runtime/runtime-fixture.js'
import { breakerAt, resets } from './composition.js'
import { recordingLogger } from './recording-logger.js'

/** One of each built-in, the innermost first. */
const builtIns = () => ({
  attemptTimeout: new AttemptTimeoutInterceptor({ timeoutMs: 1_000 }),
  concurrencyLimit: new ConcurrencyLimitInterceptor(),
  circuitBreaker: breakerAt(1).breaker,
  retry: new RetryInterceptor(),
  fallback: new FallbackInterceptor({ lastGood: true }),
  cache: new CacheInterceptor(),
  idempotency: new IdempotencyInterceptor(),
  rateLimit: new RateLimitInterceptor(),
  logging: new LoggingInterceptor({ logger: recordingLogger() }),
})

/** Notes the names of interceptors in the order in which calls enter them. */
function watched() {
  const entered: string[] = []
  const watch = <T extends ToolInterceptor>(interceptor: T): T => {
    for (const hook of ['beforeExecute', 'aroundExecute'] as const) {
      const run = interceptor[hook]?.bind(interceptor) as ((...args: unknown[]) => unknown) | undefined
      const noted = (...args: unknown[]) => {
        entered.push(interceptorName(interceptor))
        return run?.(...args)
      }
      if (run !== undefined) Object.assign(interceptor, { [hook]: noted })
    }
    return interceptor
  }
  return { entered, watch }
}

const named = (name: string, parts: ToolInterceptor = {}): ToolInterceptor => ({
  name,
  beforeExecute: () => undefined,
  ...parts,
})

const namesOf = (interceptors: readonly ExplainedInterceptor[]) => interceptors.map(({ name }) => name)
const metadata = { readOnly: true }
const keyed = { idempotencyKey: 'k' }

it('each built-in stands where the table of orders says', () => {
  const orders = Object.entries(builtIns()).map(([name, { order }]) => [name, order])
  expect(Object.fromEntries(orders)).toEqual(InterceptorOrder)
})

it('explain shows all built-ins, in the order in which a call enters them', async () => {
  const { entered, watch } = watched()
  const { runtime } = await started({
    tools: [tool('t', () => 'done', { metadata })],
    interceptors: Object.values(builtIns()).map(watch),
  })
  expect(await runtime.call('t', {}, keyed)).toMatchObject({ ok: true })
  const explained = runtime.explain('t').interceptors
  expect(namesOf(explained)).toEqual([
    'LoggingInterceptor',
    'RateLimitInterceptor',
    'IdempotencyInterceptor',
    'CacheInterceptor',
    'FallbackInterceptor',
    'RetryInterceptor',
    'CircuitBreakerInterceptor',
    'ConcurrencyLimitInterceptor',
    'AttemptTimeoutInterceptor',
  ])
  expect(entered).toEqual(namesOf(explained))
  await runtime.close()
})

it('explain shows scopes, orders and mandatory ones as a call enters them', async () => {
  const { entered, watch } = watched()
  const { logging, rateLimit, retry, cache, concurrencyLimit } = builtIns()
  const { container, runtime } = containerWith({
    interceptors: [named('shared'), retry, rateLimit].map(watch),
    options: { mandatoryInterceptors: ['guard', 'CacheInterceptor'] },
  })
  container.bind(ToolDefinitionProvider).toConstantValue({
    name: 'provider',
    interceptors: [named('late', { order: 7 }), concurrencyLimit, named('guard')].map(watch),
    provide: () => [
      tool('t', () => 'done', {
        metadata,
        interceptors: [
          ...[named('own'), named('request', { ring: 'request' }), logging, cache].map(watch),
          retry,
        ],
      }),
    ],
  })
  await runtime.start()
  expect(await runtime.call('t')).toMatchObject({ ok: true })
  const explained = runtime.explain('t').interceptors
  expect(explained.map(({ name, scope, mandatory }) => [name, scope, mandatory])).toEqual([
    ['RateLimitInterceptor', 'shared', false],
    ['LoggingInterceptor', 'tool', false],
    ['request', 'tool', false],
    ['CacheInterceptor', 'shared', true],
    ['RetryInterceptor', 'shared', false],
    ['shared', 'shared', false],
    ['guard', 'shared', true],
    ['ConcurrencyLimitInterceptor', 'provider', false],
    ['late', 'provider', false],
    ['own', 'tool', false],
  ])
  expect(entered).toEqual(namesOf(explained))
})

it('explain shows of alternatives what a call enters on its way to each', async () => {
  const { entered, watch } = watched()
  const { logging, circuitBreaker, attemptTimeout } = builtIns()
  const away = tool('a', resets, { metadata, interceptors: [watch(named('of a'))] })
  const other = tool('b', () => 'done', { metadata, interceptors: [attemptTimeout, logging].map(watch) })
  const { runtime } = await started({
    tools: [toolRoutes(away, other)],
    interceptors: [watch(named('shared')), watch(circuitBreaker)],
  })
  expect(await runtime.call('a')).toMatchObject({ ok: true, value: 'done' })
  const { interceptors, alternatives = [] } = runtime.explain('a')
  expect(entered).toEqual([interceptors, ...alternatives.map((one) => one.interceptors)].flatMap(namesOf))
  expect(entered).toEqual([
    'LoggingInterceptor',
    'CircuitBreakerInterceptor',
    'shared',
    'of a',
    'CircuitBreakerInterceptor',
    'shared',
    'AttemptTimeoutInterceptor',
  ])
})

it('explain shows in what state they are', async () => {
  const { runtime } = await started({
    tools: [tool('t', resets, { metadata })],
    interceptors: [
      breakerAt(1, { openForMs: 60_000 }).breaker,
      new RetryInterceptor({ initialDelayMs: 0, budget: { reserve: 5 } }),
    ],
  })
  const details = () => runtime.explain('t').interceptors.map((one) => one.details)
  expect(details()).toMatchObject([{ retriesLeft: 5 }, { circuits: [] }])
  await runtime.call('t')
  expect(details()).toMatchObject([{ retriesLeft: 4 }, { circuits: [{ key: 'tool:t', state: 'open' }] }])
})
