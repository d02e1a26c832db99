import { errorAnswer, type HttpAnswer } from './http-exchange.js'

export interface HttpGuardOptions {
  /** `Host` names to answer to besides the loopback ones, such as `api.example.com` (any port) or `10.0.0.7:8080`. */
  readonly allowedHosts?: readonly string[]
  /** Origins of web pages that may call, besides the loopback ones, such as `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[]
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Refuses what a web page can make a browser send to a server that is not its own (MCP 2025-11-25 "Streamable HTTP",
 * security warning): a foreign `Origin`, or a `Host` that points here by DNS rebinding.
 */
export class HttpGuard {
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>

  constructor({ allowedHosts = [], allowedOrigins = [] }: HttpGuardOptions) {
    this.#hosts = new Set([...LOOPBACK, ...allowedHosts.map(readHost)])
    this.#origins = new Set(allowedOrigins.map((origin) => readOrigin(origin, 'http.allowedOrigins')))
  }

  /** The answer to a request that was sent to a name that is not ours; undefined if it may pass. */
  hostRefusal(host: string | undefined): HttpAnswer | undefined {
    return this.#isHostAllowed(host) ? undefined : errorAnswer(403, 'This Host is not allowed')
  }

  /** The answer to a request of a page that may not call; undefined if it may pass. */
  originRefusal(origin: string | undefined): HttpAnswer | undefined {
    if (origin === undefined || this.#isOriginAllowed(origin)) return undefined
    return errorAnswer(403, 'This Origin is not allowed')
  }

  #isHostAllowed(host: string | undefined): boolean {
    const url = host === undefined ? undefined : parse(`http://${host}`)
    if (host === undefined || url === undefined || !isHost(host)) return false
    return this.#hosts.has(url.hostname) || this.#hosts.has(host.toLowerCase())
  }

  #isOriginAllowed(origin: string): boolean {
    const url = parse(origin)
    if (url === undefined || !/^https?:$/.test(url.protocol)) return false
    return LOOPBACK.includes(url.hostname) || this.#origins.has(url.origin)
  }
}

/** Anything in it besides a name and a port is an attempt to get past the check. */
function isHost(host: string): boolean {
  return /^[^\s/?#@\\]+$/.test(host)
}

function readHost(host: string): string {
  const url = parse(`http://${host}`)
  if (url === undefined || !isHost(host)) {
    throw new TypeError(
      `http.allowedHosts must hold names such as "api.example.com" or "10.0.0.7:8080" (got ${JSON.stringify(host)})`,
    )
  }
  return host.toLowerCase()
}

/** An origin as browsers write it. `option` names where it stands, for the error. */
export function readOrigin(origin: string, option: string): string {
  const url = parse(origin)
  if (url === undefined || url.origin === 'null') {
    throw new TypeError(`${option} must hold origins such as "https://app.example.com" (got "${origin}")`)
  }
  return url.origin
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url)
  } catch {
    return undefined
  }
}
