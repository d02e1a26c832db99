export { AttemptTimeoutInterceptor, type AttemptTimeoutInterceptorOptions } from './attempt-timeout.js'
export { CacheInterceptor, type CacheInterceptorOptions } from './cache.js'
export type { CircuitState } from './circuit.js'
export {
  CircuitBreakerInterceptor,
  type CircuitBreakerInterceptorOptions,
  type CircuitStateChange,
} from './circuit-breaker.js'
export type { ConcurrencyLimits } from './concurrency/concurrency-limits.js'
export { ConcurrencyLimitInterceptor, type ConcurrencyLimitInterceptorOptions } from './concurrency-limit.js'
export { FallbackInterceptor, type FallbackInterceptorOptions } from './fallback.js'
export { IdempotencyInterceptor, type IdempotencyInterceptorOptions } from './idempotency.js'
export { InterceptorOrder } from './interceptor-order.js'
export { LoggingInterceptor, type LoggingInterceptorOptions } from './logging.js'
export { RateLimitInterceptor, type RateLimitInterceptorOptions } from './rate-limit.js'
export { type RedactOptions, redact } from './redaction.js'
export type { LastGoodOptions } from './results/last-good-results.js'
export { type RetryEvent, RetryInterceptor, type RetryInterceptorOptions } from './retry.js'
export type { RetryBudgetOptions } from './retry-budget.js'
export { type StderrLoggerOptions, stderrLogger } from './stderr-logger.js'
export { MemoryStore, type MemoryStoreOptions } from './stores/memory-store.js'
export {
  type Consumption,
  type Lease,
  type Quota,
  type SetOptions,
  Store,
  type StoreEntry,
  StoreFullError,
  storeKey,
} from './stores/store.js'
