import type { HttpArrival } from './http-arrival.js'
import type { HttpAnswer } from './http-exchange.js'
import { readOrigin } from './http-guard.js'
import { wholeNumber } from './whole-number.js'

export interface CorsOptions {
  /** Origins of web pages that may read the answers, such as `https://app.example.com`; `'*'`: any page. */
  readonly origins: readonly string[]
  /** Whether a page may send the browser's cookies along. Not together with `'*'`. Default `false`. */
  readonly credentials?: boolean
  /** How long a browser may keep the answer to a preflight, in seconds. Default 600. */
  readonly maxAgeSec?: number
}

const METHODS = 'GET, POST, DELETE'
const REQUEST_HEADERS = [
  'accept',
  'authorization',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
]
const RESPONSE_HEADERS = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After'

/** Lets web pages of other origins read the answers (Fetch Standard, section 3.3): all of them, so refusals as well. */
export class CorsPolicy {
  readonly #origins: ReadonlySet<string>
  readonly #isPublic: boolean
  readonly #credentials: boolean
  readonly #maxAgeSec: number

  constructor({ origins, credentials = false, maxAgeSec = 600 }: CorsOptions) {
    this.#isPublic = origins.includes('*')
    if (this.#isPublic && credentials) {
      throw new TypeError(
        "http.cors: any page could act with its visitor's cookies: name the origins, or leave credentials out",
      )
    }
    this.#origins = new Set(
      origins.filter((origin) => origin !== '*').map((origin) => readOrigin(origin, 'http.cors.origins')),
    )
    this.#credentials = credentials
    this.#maxAgeSec = wholeNumber(maxAgeSec, 'http.cors.maxAgeSec', 0)
  }

  /** Whether a page of this origin may read the answers. */
  allows(origin: string): boolean {
    return this.#isPublic || this.#origins.has(origin)
  }

  /** The answer to a preflight request; `undefined` for any other request, and for a page that may not read. */
  preflight(arrival: HttpArrival): HttpAnswer | undefined {
    const origin = arrival.header('origin')
    if (origin === undefined || !this.allows(origin)) return undefined
    return preflightAnswer(arrival, METHODS, this.#maxAgeSec)
  }

  /** What each answer to a request with this `Origin` says. */
  headers(origin: string | undefined): Readonly<Record<string, string>> {
    // A cache must not give the answer for one page to another one.
    const vary: Readonly<Record<string, string>> = this.#isPublic ? {} : { vary: 'Origin' }
    if (origin === undefined || !this.allows(origin)) return vary
    return {
      ...vary,
      'access-control-allow-origin': this.#isPublic ? '*' : origin,
      'access-control-expose-headers': RESPONSE_HEADERS,
      ...(this.#credentials && { 'access-control-allow-credentials': 'true' }),
    }
  }
}

/** `undefined` if the request is no preflight. */
export function preflightAnswer(
  arrival: HttpArrival,
  methods: string,
  maxAgeSec: number,
): HttpAnswer | undefined {
  if (arrival.method !== 'OPTIONS' || arrival.header('access-control-request-method') === undefined) {
    return undefined
  }
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': methods,
      'access-control-allow-headers': [...REQUEST_HEADERS, ...parameterHeaders(arrival)].join(', '),
      'access-control-max-age': String(maxAgeSec),
    },
  }
}

/** Those of 2026-07-28, which are named after the arguments of the tools. */
function parameterHeaders(arrival: HttpArrival): readonly string[] {
  const asked = arrival.header('access-control-request-headers')?.toLowerCase().split(',') ?? []
  return asked.map((name) => name.trim()).filter((name) => /^mcp-param-[\w!#$%&'*+.^`|~-]+$/.test(name))
}
