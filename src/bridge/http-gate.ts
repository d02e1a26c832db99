import type { Logger } from '../interceptors/logger.js'
import { asksForResourceMetadata, noMetadata, type ResourceMetadata } from './auth/resource-metadata.js'
import type { HttpArrival } from './http-arrival.js'
import { type CorsOptions, CorsPolicy } from './http-cors.js'
import { errorAnswer, type HttpAnswer } from './http-exchange.js'
import { HttpGuard, type HttpGuardOptions } from './http-guard.js'

export interface HttpGateOptions extends HttpGuardOptions {
  /** Lets web pages of these origins call, and read the answers. Default: none may read. */
  readonly cors?: CorsOptions
}

export interface HttpGateParts {
  readonly logger: Logger
  /** Of the resource that the endpoint is, if it is protected. */
  readonly metadata: ResourceMetadata | undefined
}

/**
 * All that is decided before anybody asks who is calling: where a request was sent to, from
 * which page, and by which method.
 */
export class HttpGate {
  readonly #guard: HttpGuard
  readonly #cors: CorsPolicy | undefined
  readonly #metadata: ResourceMetadata | undefined
  readonly #logger: Logger
  #hasLoggedRefusal = false

  constructor(
    { allowedHosts = [], allowedOrigins, cors }: HttpGateOptions,
    { logger, metadata }: HttpGateParts,
  ) {
    this.#guard = new HttpGuard({
      allowedHosts: metadata === undefined ? allowedHosts : [...allowedHosts, metadata.host],
      ...(allowedOrigins && { allowedOrigins }),
    })
    this.#cors = cors && new CorsPolicy(cors)
    this.#metadata = metadata
    this.#logger = logger
  }

  /** The answer to a request that goes no further; `undefined` if it may be a request to the endpoint. */
  answer(arrival: HttpArrival): HttpAnswer | undefined {
    const hostRefusal = this.#guard.hostRefusal(arrival.header('host'))
    if (hostRefusal === undefined && asksForResourceMetadata(arrival)) {
      return this.#metadata?.answer(arrival) ?? noMetadata()
    }
    const refusal = hostRefusal ?? this.#originRefusal(arrival.header('origin'))
    if (refusal !== undefined) {
      this.#logRefusal(arrival)
      return refusal
    }
    return this.#cors?.preflight(arrival) ?? methodRefusal(arrival.method)
  }

  /** What each answer to the request says besides. */
  headers(arrival: HttpArrival): Readonly<Record<string, string>> {
    return this.#cors?.headers(arrival.header('origin')) ?? {}
  }

  #originRefusal(origin: string | undefined): HttpAnswer | undefined {
    if (origin !== undefined && this.#cors?.allows(origin)) return undefined
    return this.#guard.originRefusal(origin)
  }

  /** Once: who mounts the bridge under a name of its own finds the option; who attacks cannot fill the log. */
  #logRefusal(arrival: HttpArrival): void {
    if (this.#hasLoggedRefusal) return
    this.#hasLoggedRefusal = true
    const fields = { host: arrival.header('host'), origin: arrival.header('origin') }
    this.#logger.warn(
      fields,
      'MCP request refused: name the host in http.allowedHosts, the page in http.allowedOrigins',
    )
  }
}

function methodRefusal(method: string): HttpAnswer | undefined {
  if (method === 'POST' || method === 'GET' || method === 'DELETE') return undefined
  return errorAnswer(405, `Method ${method} is not allowed`, { headers: { allow: 'POST, GET, DELETE' } })
}
