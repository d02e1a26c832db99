import type { Awaitable } from '../registry/awaitable.js'
import type { Principal } from '../registry/principal.js'

/** A request as a server hands it over, before anything is known to be right about it. */
export interface HttpArrival {
  readonly method: string
  /** What the client asked for, before a router took a prefix away: path and query, or the whole URL. */
  readonly url: string
  readonly address: string
  /** Aborts when the client is gone before it has its answer. */
  readonly signal: AbortSignal
  /** All values of a header, joined with ", ": a second one cannot hide behind the first. `name` is in lower case. */
  header(name: string): string | undefined
  /** Names in lower case, each once. */
  headers(): Iterable<readonly [name: string, value: string]>
  /** Calls `listener` when the answer is written, or the client is gone. */
  onEnd(listener: () => void): void
  /** The parsed body, if something in front of us has parsed it. */
  readonly parsedBody?: unknown
  /** Resolves to `undefined` once the body is larger than `maxBytes`. */
  readBody(maxBytes: number): Promise<string | undefined>
  /** Set where the service around the bridge knows who calls. `undefined` is nobody in particular. */
  readonly identify?: (() => Awaitable<Principal | undefined>) | undefined
}

/** The path that a client asked for. */
export function pathOf({ url }: HttpArrival): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] || '/'
}
