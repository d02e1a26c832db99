import { type HttpArrival, pathOf } from '../http-arrival.js'
import { preflightAnswer } from '../http-cors.js'
import { errorAnswer, type HttpAnswer } from '../http-exchange.js'
import type { McpAuthOptions } from './mcp-auth-options.js'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Whether a client looks for the metadata of some protected resource, which is never an MCP request. */
export function asksForResourceMetadata(arrival: HttpArrival): boolean {
  const path = pathOf(arrival)
  return path === WELL_KNOWN || path.startsWith(`${WELL_KNOWN}/`)
}

/** Says where to get a token for the endpoint (RFC 9728). It is public: every page may read it. */
export class ResourceMetadata {
  /** For challenges: the URL that RFC 9728 section 3.1 derives from the resource. */
  readonly url: string
  /** The name, and port, that the resource is known by. */
  readonly host: string
  /** The path of the resource, without a slash at its end. */
  readonly #path: string
  readonly #document: string

  constructor(options: McpAuthOptions) {
    const { resource, authorizationServers, requiredScopes, scopesSupported = requiredScopes } = options
    const url = readUrl(resource, 'http.auth.resource')
    if (authorizationServers.length === 0) {
      throw new TypeError('http.auth.authorizationServers must name at least one issuer of tokens')
    }
    for (const issuer of authorizationServers) readUrl(issuer, 'http.auth.authorizationServers')
    this.host = url.host
    this.#path = withoutSlash(url.pathname)
    this.url = `${url.origin}${WELL_KNOWN}${url.pathname === '/' ? '' : url.pathname}${url.search}`
    this.#document = JSON.stringify({
      resource,
      authorization_servers: authorizationServers,
      scopes_supported: scopesSupported,
      bearer_methods_supported: ['header'],
      resource_name: options.resourceName,
      resource_documentation: options.resourceDocumentation,
    })
  }

  answer(arrival: HttpArrival): HttpAnswer {
    const path = withoutSlash(pathOf(arrival)).slice(WELL_KNOWN.length)
    if (path !== '' && path !== this.#path) return noMetadata()
    const answer = preflightAnswer(arrival, 'GET, HEAD', 86_400) ?? this.#read(arrival.method)
    return { ...answer, headers: { ...answer.headers, 'access-control-allow-origin': '*' } }
  }

  #read(method: string): HttpAnswer {
    if (method !== 'GET' && method !== 'HEAD') {
      return errorAnswer(405, `Method ${method} is not allowed`, { headers: { allow: 'GET, HEAD' } })
    }
    const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' }
    return { status: 200, headers, ...(method === 'GET' && { body: this.#document }) }
  }
}

/** There is no such resource here, or none that is protected. */
export function noMetadata(): HttpAnswer {
  return errorAnswer(404, 'Not found', { headers: { 'access-control-allow-origin': '*' } })
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}

function readUrl(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // RFC 9728 section 1.2, RFC 8414 section 2
  if (url === undefined || !/^https?:$/.test(url.protocol) || text.includes('#') || url.username !== '') {
    throw new TypeError(
      `${option} must be an absolute URL without a fragment, such as "https://api.example.com/mcp" (got "${text}")`,
    )
  }
  return url
}
