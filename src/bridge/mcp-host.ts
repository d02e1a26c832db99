import type { Logger } from '../interceptors/logger.js'
import type { Descriptor } from '../registry/descriptor.js'
import { IdleWait } from '../registry/idle-wait.js'
import type { JsonSchemaDocument } from '../registry/json-schema.js'
import { describe, isObject } from '../registry/json-value.js'
import type { BridgedRuntime } from './bridged-runtime.js'
import { completeArgument } from './completion-method.js'
import { INTERNAL_ERROR, JsonRpcError, METHOD_NOT_FOUND } from './json-rpc.js'
import { McpCalls } from './mcp-calls.js'
import { listMethods } from './mcp-lists.js'
import type { McpPeer } from './mcp-peer.js'
import type { McpRequest } from './mcp-request.js'
import { getPrompt } from './prompt-methods.js'
import type { RequestStates } from './request-state.js'
import { canRead, readResource, subscribedUri } from './resource-methods.js'
import { taskMethods } from './task-methods.js'
import { callTool } from './tool-methods.js'

type Method = (params: unknown, request: McpRequest) => object | Promise<object>

export interface McpHostOptions {
  readonly pageSize: number
  /** How long a client may keep a list, in milliseconds. */
  readonly listTtlMs: number
  /** The part of the runtime that is served. Default: all of it. */
  readonly exposes?: ((target: Descriptor) => boolean) | undefined
  readonly states: RequestStates
}

/** What clients are told of. */
export interface McpHostListener {
  onListChanged(kind: Descriptor['kind']): void
  onResourceUpdated?(uri: string): void
}

/**
 * Answers MCP requests, whatever era and transport they came by. Plain JSON in and out: no SDK object comes in here, and
 * only a `JsonRpcError` comes out.
 */
export class McpHost {
  readonly #runtime: BridgedRuntime
  readonly #calls: McpCalls
  readonly #methods: ReadonlyMap<string, Method>
  readonly #idle = new IdleWait()
  #running = 0
  #hasWarned = false

  constructor(runtime: BridgedRuntime, { pageSize, listTtlMs, exposes, states }: McpHostOptions) {
    this.#runtime = runtime
    const calls = new McpCalls(runtime, { exposes, states })
    this.#calls = calls
    this.#methods = new Map<string, Method>([
      ...listMethods(calls, { pageSize, ttlMs: listTtlMs }),
      ['tools/call', (params, request) => callTool(calls, params, request)],
      ['resources/read', (params, request) => readResource(calls, params, request)],
      ['prompts/get', (params, request) => getPrompt(calls, params, request)],
      ['completion/complete', (params, request) => completeArgument(calls, params, request)],
      ...taskMethods(calls),
    ])
  }

  get logger(): Logger {
    return this.#runtime.logger
  }

  /** The requests that {@link request} answers. */
  get methods(): readonly string[] {
    return [...this.#methods.keys()]
  }

  get isClosing(): boolean {
    return this.#runtime.isClosing
  }

  /** Resolves to the result of a method, or rejects with a {@link JsonRpcError}. */
  async request(method: string, params: unknown, request: McpRequest): Promise<object> {
    const answer = this.#methods.get(method)
    if (answer === undefined) throw new JsonRpcError(METHOD_NOT_FOUND, 'Method not found')
    if (method === 'tools/list') this.#warnUnlessStarted()
    this.#running++
    try {
      const result = await answer(params, request)
      if (isObject(result)) return result
      throw new TypeError(`The result of ${method} is no object (got ${describe(result)})`)
    } catch (thrown) {
      if (thrown instanceof JsonRpcError) throw thrown
      this.logger.error({ method, err: thrown }, 'MCP request failed')
      throw new JsonRpcError(INTERNAL_ERROR, 'Internal error')
    } finally {
      this.#running--
      this.#idle.wake()
    }
  }

  /** The published schema of a tool's arguments, if the peer may see the tool. */
  toolSchema(name: string, peer: McpPeer): JsonSchemaDocument | undefined {
    return this.#runtime.catalog.tool(name, this.#calls.viewer(peer))?.definition.inputSchema
  }

  /** The URI of a subscription. Throws a {@link JsonRpcError} for a resource that the client cannot read. */
  subscribedUri(params: unknown, request: McpRequest): string {
    return subscribedUri(this.#calls, params, request)
  }

  /** Whether there is a resource of this URI that the peer may see. */
  canRead(uri: string, peer: McpPeer): boolean {
    return canRead(this.#calls, uri, peer)
  }

  /** Tells `listener` once of each burst of changes. Dispose of what it returns to stop. */
  addListener(listener: McpHostListener): Disposable {
    const { registry, resources, prompts } = this.#runtime
    const added = [
      registry.addListener({ onChanged: () => listener.onListChanged('tool') }),
      prompts.addListener({ onChanged: () => listener.onListChanged('prompt') }),
      resources.addListener({
        onChanged: () => listener.onListChanged('resource'),
        onResourceUpdated: (uri) => listener.onResourceUpdated?.(uri),
      }),
    ]
    return {
      [Symbol.dispose]: () => {
        for (const one of added) one[Symbol.dispose]()
      },
    }
  }

  /** Resolves when no request is running, or after `boundMs`. */
  async whenIdle(boundMs: number): Promise<void> {
    await this.#idle.wait(() => this.#running === 0, boundMs)
  }

  /** Once: an empty list looks like a service without tools. */
  #warnUnlessStarted(): void {
    const { isStarted, isClosing } = this.#runtime
    if (isStarted || isClosing || this.#hasWarned) return
    this.#hasWarned = true
    this.logger.warn({}, 'tools/list was asked before the runtime was started: await runtime.start() first')
  }
}
