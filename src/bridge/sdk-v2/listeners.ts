import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { isObject } from '../../registry/json-value.js'
import { type JsonRpcError, type JsonRpcMessage, membersOf, metaOf } from '../json-rpc.js'
import type { McpHost } from '../mcp-host.js'
import type { McpPeer } from '../mcp-peer.js'
import { CAPABILITIES_META, declaresTasks, tasksRequired } from '../tasks-extension.js'

/** The request that opens a stream of changes. */
export const LISTEN = 'subscriptions/listen'

/**
 * A request to listen without the resources that its client cannot read. The client is told in the acknowledgement which it
 * will hear of (MCP 2026-07-28 "Subscriptions"), and a hidden one looks like an unknown one.
 */
export function readableOnly(request: JsonRpcMessage, host: McpHost, peer: McpPeer): JsonRpcMessage {
  const notifications = request.params?.notifications
  const uris = followedBy(request)
  if (uris === undefined || !isObject(notifications)) return request
  const resourceSubscriptions = uris.filter((uri) => host.canRead(uri, peer))
  return {
    ...request,
    params: { ...request.params, notifications: { ...notifications, resourceSubscriptions } },
  }
}

/** Why a request to listen is refused: it names tasks, and its client does not know tasks (tasks extension). */
export function listenFault({ params }: JsonRpcMessage): JsonRpcError | undefined {
  const { taskIds } = membersOf(params?.notifications)
  if (!Array.isArray(taskIds) || taskIds.length === 0) return undefined
  return declaresTasks(metaOf(params)[CAPABILITIES_META]) ? undefined : tasksRequired()
}

/** Tells the clients that listen over HTTP of changes: of a resource, as long as they can read it. */
export class Listeners implements ServerEventBus {
  readonly #host: McpHost
  /** Whose request the SDK is serving: it does not say so when it subscribes. */
  readonly #opening = new AsyncLocalStorage<Opening>()
  readonly #open = new Set<Opening & { readonly hear: (event: ServerEvent) => void }>()

  constructor(host: McpHost) {
    this.#host = host
  }

  /** Serves a request to listen with what remains of it for its client. */
  serve<T>(request: JsonRpcMessage, peer: McpPeer, work: (readable: JsonRpcMessage) => T): T {
    const readable = readableOnly(request, this.#host, peer)
    return this.#opening.run({ peer, uris: new Set(followedBy(readable)) }, () => work(readable))
  }

  subscribe(hear: (event: ServerEvent) => void): () => void {
    const opening = this.#opening.getStore()
    if (opening === undefined) throw new Error('Nobody is known to listen')
    const listener = { ...opening, hear }
    this.#open.add(listener)
    return () => void this.#open.delete(listener)
  }

  publish(event: ServerEvent): void {
    for (const { peer, uris, hear } of this.#open) {
      // What a client may see can have changed since it began to listen.
      const isFor =
        event.kind !== 'resource_updated' || (uris.has(event.uri) && this.#host.canRead(event.uri, peer))
      if (isFor) hear(event)
    }
  }
}

interface Opening {
  readonly peer: McpPeer
  readonly uris: ReadonlySet<string>
}

/** Undefined where nothing is named, or what is no list of URIs, which the SDK refuses. */
function followedBy({ params }: JsonRpcMessage): readonly string[] | undefined {
  const { resourceSubscriptions: uris } = isObject(params?.notifications) ? params.notifications : {}
  return Array.isArray(uris) && uris.every((uri) => typeof uri === 'string') ? uris : undefined
}
