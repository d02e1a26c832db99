import { isObject } from '../registry/json-value.js'
import { listOfStrings } from '../registry/list-of-strings.js'
import type { Principal } from '../registry/principal.js'
import type { ExposureRule } from '../runtime/catalog.js'
import type { Era } from './era.js'
import type { ServerInfo, SessionLimits } from './era-settings.js'
import type { HttpHostOptions } from './http-host.js'
import type { RequestStatesOptions } from './request-state.js'
import type { ResumabilityOptions } from './resumability.js'

export interface McpToolBridgeOptions extends ServerInfo {
  /** How to use the server, for the model. */
  readonly instructions?: string
  /** Definitions on one page of a list. Default 1 000. */
  readonly pageSize?: number
  /** How long a client of 2026-07-28 may keep a list without asking again, in milliseconds. Default 30 000. */
  readonly listTtlMs?: number
  /** How long `close()`, and the end of stdin, wait for running calls, in milliseconds. Default 10 000. */
  readonly drainMs?: number
  /**
   * The part of the runtime that this bridge serves: what has one of these tags, or what the function returns `true` for.
   * The rest does not exist here. Default: all of it.
   */
  readonly expose?: Exposure
  /** How calls that wait for an answer are sealed (2026-07-28). */
  readonly requestState?: RequestStatesOptions
  readonly http?: McpHttpOptions
}

export type Exposure = { readonly tags: readonly string[] } | ExposureRule

export interface McpHttpOptions extends HttpHostOptions {
  /** Sessions of clients up to 2025-11-25: on with these limits (default), or `false` for requests that stand alone. */
  readonly sessions?: boolean | SessionLimits
  /**
   * How long an event stream may be silent before a comment keeps it, and what stands between, alive, in milliseconds.
   * Default 15 000; 0: for ever.
   */
  readonly keepAliveMs?: number
  /** Whether a client of a session that has lost its connection can get what it missed. Default `false`. */
  readonly resumability?: boolean | ResumabilityOptions
}

export interface ConnectOptions {
  /** Default: the era that the client opens with. */
  readonly era?: Era
  /** Names the client in quotas, if it has no principal. Default `unknown`. */
  readonly address?: string
  /** Who is at the other end. */
  readonly principal?: Principal
}

export interface StdioOptions {
  /** Whose client it is, such as the user that has started the process: nothing on stdin could say it. */
  readonly principal?: Principal
}

/**
 * What an option `expose` lets through. Throws a `TypeError` for one that makes no sense: it must not let everything
 * through.
 */
export function exposedBy(expose: Exposure | undefined): ExposureRule | undefined {
  if (expose === undefined || typeof expose === 'function') return expose
  if (!isObject(expose)) throw new TypeError('expose must be { tags } or a function of the definition')
  const tags = new Set(listOfStrings(expose.tags, 'expose.tags'))
  return ({ metadata }) => metadata.tags.some((tag) => tags.has(tag))
}
