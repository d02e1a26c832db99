import type { Logger } from '../interceptors/logger.js'
import { IdleWait } from '../registry/idle-wait.js'
import type { JsonSchemaDocument } from '../registry/json-schema.js'
import { isObject } from '../registry/json-value.js'
import type { BridgedRuntime } from './bridged-runtime.js'
import { INTERNAL_ERROR, JsonRpcError, METHOD_NOT_FOUND } from './json-rpc.js'
import type { McpRequest } from './mcp-request.js'
import { callTool } from './tool-call.js'
import { ToolList } from './tool-list.js'

type Method = (params: unknown, request: McpRequest) => object | Promise<object>

/**
 * Answers MCP requests, whatever era and transport they came by. Plain JSON in and out: no SDK object comes in here, and
 * only a `JsonRpcError` comes out.
 */
export class McpHost {
  readonly #runtime: BridgedRuntime
  readonly #methods: ReadonlyMap<string, Method>
  readonly #idle = new IdleWait()
  #running = 0
  #hasWarned = false

  constructor(runtime: BridgedRuntime, { pageSize }: { readonly pageSize: number }) {
    this.#runtime = runtime
    const list = new ToolList(runtime.registry, pageSize)
    this.#methods = new Map<string, Method>([
      [
        'tools/list',
        (params, { era }) => {
          this.#warnUnlessStarted()
          return list.page(isObject(params) ? params.cursor : undefined, era)
        },
      ],
      ['tools/call', (params, request) => callTool(runtime, params, request)],
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
    this.#running++
    try {
      return await answer(params, request)
    } catch (thrown) {
      if (thrown instanceof JsonRpcError) throw thrown
      this.logger.error({ method, err: thrown }, 'MCP request failed')
      throw new JsonRpcError(INTERNAL_ERROR, 'Internal error')
    } finally {
      this.#running--
      this.#idle.wake()
    }
  }

  /** The published schema of a tool's arguments. */
  toolSchema(name: string): JsonSchemaDocument | undefined {
    return this.#runtime.registry.lookup(name)?.inputSchema
  }

  /** Calls `listener` once for each burst of changes. Dispose of what it returns to stop. */
  onToolsChanged(listener: () => void): Disposable {
    return this.#runtime.registry.addListener({ onChanged: () => listener() })
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
