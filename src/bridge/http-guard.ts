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
    this.#hosts = new Set([...LOOPBACK, ...allowedHosts.map((host) => host.toLowerCase())])
    this.#origins = new Set(allowedOrigins.map(readOrigin))
  }

  /** The answer to a request that must not pass; undefined if it may. */
  refusal(host: string | undefined, origin: string | undefined): HttpAnswer | undefined {
    if (!this.#isHostAllowed(host)) return errorAnswer(403, 'This Host is not allowed')
    if (origin !== undefined && !this.#isOriginAllowed(origin))
      return errorAnswer(403, 'This Origin is not allowed')
    return undefined
  }

  #isHostAllowed(host: string | undefined): boolean {
    const url = host === undefined ? undefined : parse(`http://${host}`)
    // Anything in the header besides a name and a port is an attempt to get past the check.
    if (host === undefined || url === undefined || !/^[^\s/?#@\\]+$/.test(host)) return false
    return this.#hosts.has(url.hostname) || this.#hosts.has(host.toLowerCase())
  }

  #isOriginAllowed(origin: string): boolean {
    const url = parse(origin)
    if (url === undefined || !/^https?:$/.test(url.protocol)) return false
    return LOOPBACK.includes(url.hostname) || this.#origins.has(url.origin)
  }
}

function readOrigin(origin: string): string {
  const url = parse(origin)
  if (url === undefined || url.origin === 'null') {
    throw new TypeError(
      `http.allowedOrigins must hold origins such as "https://app.example.com" (got "${origin}")`,
    )
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
