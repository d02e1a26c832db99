/**
 * Where the built-in interceptors stand by default: lower is further out, and yours, without an `order`, is 0 and so
 * inside of them. Put one between or outside by a number of its own.
 *
 * @example { name: 'tenant', ring: 'request', order: InterceptorOrder.rateLimit - 1 }
 */
export const InterceptorOrder = Object.freeze({
  /** Outside the rate limit, so that refused calls are logged too. */
  logging: -900,
  rateLimit: -700,
})
