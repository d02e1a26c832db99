import type { HttpArrival } from './http-arrival.js'

/** Credentials are of no interest behind the host, which has looked at them. */
const WITHHELD: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie'])

/**
 * The request without its body, for an SDK that takes web requests. Its `Accept` is the one that the SDKs look for, since
 * the host has judged the client's own by the rules of HTTP.
 */
export function sdkRequest(arrival: HttpArrival): Request {
  const headers = new Headers()
  for (const [name, value] of arrival.headers()) {
    if (!WITHHELD.has(name)) headers.set(name, value)
  }
  headers.set('accept', 'application/json, text/event-stream')
  // Where it was sent to is text of the client's, too.
  return new Request('http://localhost/', { method: arrival.method, headers, signal: arrival.signal })
}
