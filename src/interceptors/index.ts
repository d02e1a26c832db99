export { InterceptorOrder } from './interceptor-order.js'
export { LoggingInterceptor, type LoggingInterceptorOptions } from './logging.js'
export { RateLimitInterceptor, type RateLimitInterceptorOptions } from './rate-limit.js'
export { type RedactOptions, redact } from './redaction.js'
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
