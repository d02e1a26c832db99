import type { Principal } from '../../registry/principal.js'
import { INTERNAL_ERROR, JsonRpcError, type JsonRpcId, membersOf } from '../json-rpc.js'
import type { McpHost } from '../mcp-host.js'
import { type AskingExtra, askClient } from './ask-client.js'

/** The part of an SDK 1.x `Server` that is used, so that a host's own copy of the SDK fits. */
export interface AttachableServer {
  readonly transport?: unknown
  assertCanSetRequestHandler(method: string): void
  // biome-ignore-start lint/suspicious/noExplicitAny: generic over zod schemas in the SDK
  registerCapabilities(capabilities: any): void
  setRequestHandler(schema: any, handler: (request: any, extra: any) => any): void
  // biome-ignore-end lint/suspicious/noExplicitAny: see above
  removeRequestHandler(method: string): void
  getClientCapabilities?(): unknown
  sendToolListChanged(): Promise<void>
  sendLoggingMessage(params: { level: 'debug'; data: unknown }, sessionId?: string): Promise<void>
}

/** An SDK 1.x `Server`, or the `McpServer` around one. */
export type AttachTarget = AttachableServer | { readonly server: AttachableServer }

export interface AttachOptions {
  /** Who is calling: one for all, or what a function makes of the SDK's `authInfo` of a request. Default: nobody known. */
  readonly principal?: Principal | ((authInfo: unknown) => Principal | undefined)
}

interface Extra extends AskingExtra {
  readonly authInfo?: unknown
  readonly requestId: JsonRpcId
  readonly sessionId?: string
  readonly signal: AbortSignal
  sendNotification(notification: { method: string; params: unknown }): Promise<void>
}

/** Resources and prompts are left to the server's owner: its own would be hidden. */
const METHODS = ['tools/list', 'tools/call'] as const

/** Lets the host's registry answer `tools/list` and `tools/call` of a server that somebody else owns and connects. */
export function attach(host: McpHost, target: AttachTarget, { principal }: AttachOptions = {}): Disposable {
  const server = 'server' in target ? target.server : target
  requireFree(server)
  if (server.transport === undefined) server.registerCapabilities({ tools: { listChanged: true } })
  for (const method of METHODS) {
    server.setRequestHandler(anyRequest(method), (request: unknown, extra: Extra) =>
      host.request(method, membersOf(request).params, {
        era: 'legacy',
        id: extra.requestId,
        sessionId: extra.sessionId,
        address: 'unknown',
        principal: callerOf(extra),
        signal: extra.signal,
        logLevel: 'debug',
        ask: (question, signal) => askClient(server.getClientCapabilities?.(), extra, question, signal),
        notify: (name, params) => notify(server, extra, name, params),
      }),
    )
  }
  /** Fails closed: who cannot be named is not taken for nobody. */
  function callerOf({ authInfo }: Extra): Principal | undefined {
    if (typeof principal !== 'function') return principal
    try {
      return principal(authInfo)
    } catch (err) {
      host.logger.error({ err }, 'the principal of an attached server cannot be told')
      throw new JsonRpcError(INTERNAL_ERROR, 'Internal error')
    }
  }

  const changes = host.addListener({
    onListChanged: (kind) => {
      if (kind === 'tool' && server.transport !== undefined)
        server.sendToolListChanged().catch(() => undefined)
    },
  })
  return {
    [Symbol.dispose]: () => {
      changes[Symbol.dispose]()
      for (const method of METHODS) server.removeRequestHandler(method)
    },
  }
}

/** Two tool lists cannot be merged here: whoever answers first would hide the other's tools. */
function requireFree(server: AttachableServer): void {
  try {
    for (const method of METHODS) server.assertCanSetRequestHandler(method)
  } catch (cause) {
    throw new Error(
      'The server has tools of its own: attach to one without, and register them in the registry',
      { cause },
    )
  }
}

function notify(
  server: AttachableServer,
  extra: Extra,
  method: string,
  params: Readonly<Record<string, unknown>>,
): void {
  const sent =
    method === 'notifications/message'
      ? // The server knows the level that the client asked for, and whether it may log at all.
        server.sendLoggingMessage(params as { level: 'debug'; data: unknown }, extra.sessionId)
      : extra.sendNotification({ method, params })
  sent.catch(() => undefined)
}

/**
 * What the SDK needs of a zod schema to take a handler: the method, and a parser. This one lets everything through, and
 * comes without loading the SDK, or a second copy of it.
 */
function anyRequest(method: string): object {
  return { shape: { method: { value: method } }, safeParse: (data: unknown) => ({ success: true, data }) }
}
