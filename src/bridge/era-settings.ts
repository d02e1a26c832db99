import type { ToolIcon } from '../registry/descriptor.js'
import type { McpHost } from './mcp-host.js'
import type { Resumability } from './resumability.js'

/** What a server tells about itself (MCP `Implementation`). */
export interface ServerInfo {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: readonly ToolIcon[]
}

export interface SessionLimits {
  /** A session that is unused for this long is ended, in milliseconds. Default 1 800 000 (half an hour). */
  readonly idleMs?: number
  /**
   * How many may be open at once. Beyond that the caller that holds the most, if it is at least two more than the newcomer,
   * loses the session that has been idle for longest; else the one goes that nobody has used for longest, if that is a
   * minute or more; else the newcomer gets 503. A caller is a principal, or else an address. Default 1 000.
   */
  readonly max?: number
}

/** What the servers of both eras are made from. */
export interface EraSettings {
  readonly host: McpHost
  readonly info: ServerInfo
  readonly instructions?: string
  /** `undefined`: requests over HTTP stand alone. */
  readonly sessions?: Required<SessionLimits> | undefined
  /** `undefined`: what is sent to a session's client that has lost its connection is lost. */
  readonly resumability?: Resumability | undefined
  /** How long an event stream may be silent, in milliseconds. */
  readonly keepAliveMs: number
}
