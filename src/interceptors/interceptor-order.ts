/**
 * Where the built-in interceptors stand by default: lower is further out, and yours, without an `order`, is 0 and so
 * inside of them. Put one between or outside by a number of its own.
 *
 * @example { name: 'tenant', ring: 'request', order: InterceptorOrder.rateLimit - 1 }
 */
export const InterceptorOrder = Object.freeze({
  // The request ring.
  /** Outside the rate limit, so that refused calls are logged too. */
  logging: -900,
  rateLimit: -700,
  // The execution ring.
  /** Outside the cache and the retries: what a caller repeats is one call, whatever becomes of it inside. */
  idempotency: -800,
  cache: -600,
  /** Outside the retries: stands in once they have failed too. */
  fallback: -500,
  retry: -400,
  /** Inside the retries: each attempt counts. */
  circuitBreaker: -300,
  /** Inside the retries: who waits to try again holds no permit. */
  concurrencyLimit: -200,
  /** Inside the limit: waiting for a permit does not count as work. */
  attemptTimeout: -100,
})
