import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BridgedRuntime } from './bridged-runtime.js'
import { EraSwitch } from './era-switch.js'
import { Eras } from './eras.js'
import { type FastifyOptions, type FastifyPlugin, fastifyPlugin } from './fastify-plugin.js'
import type { HttpArrival } from './http-arrival.js'
import { HttpHost } from './http-host.js'
import { McpHost } from './mcp-host.js'
import type { McpPeer } from './mcp-peer.js'
import {
  type ConnectOptions,
  exposedBy,
  type McpToolBridgeOptions,
  type StdioOptions,
} from './mcp-tool-bridge-options.js'
import type { McpConnection, McpTransport } from './mcp-transport.js'
import { NodeArrival, type NodeHandler, type NodeHandlerOptions, writeAnswer } from './node-http.js'
import { RequestStates } from './request-state.js'
import { resumabilityOf } from './resumability.js'
import { type AttachOptions, type AttachTarget, attach } from './sdk-v1/attach.js'
import { StdioTransport } from './stdio-transport.js'
import { claimStdout } from './stdout-guard.js'
import { type FetchOptions, WebArrival } from './web-http.js'
import { wholeNumber } from './whole-number.js'

/**
 * Serves the tools, resources and prompts of a runtime over MCP: over stdio, over HTTP and over any transport of the SDKs,
 * to clients of both eras at once. It follows the registries: clients hear of what comes and goes.
 *
 * A request goes from its transport or HTTP host to the SDK server of its era (`Eras`), and from there to `McpHost`, whose
 * methods (`callTool`, `readResource`, …) run it by way of `McpCalls`.
 */
export class McpToolBridge implements AsyncDisposable {
  readonly #runtime: BridgedRuntime
  readonly #host: McpHost
  readonly #eras: Eras
  readonly #http: HttpHost
  readonly #drainMs: number
  readonly #open = new Set<McpConnection>()
  readonly #attached = new Set<Disposable>()
  #closing: Promise<void> | undefined
  #hasWarned = false

  constructor(runtime: BridgedRuntime, options: McpToolBridgeOptions) {
    const {
      instructions,
      pageSize = 1_000,
      listTtlMs = 30_000,
      drainMs = 10_000,
      expose,
      requestState,
      http = {},
      ...info
    } = options
    for (const field of ['name', 'version'] as const) {
      if (!info[field])
        throw new TypeError(
          `McpToolBridge: ${field} must say what the server is (got ${JSON.stringify(info[field])})`,
        )
    }
    const { sessions = true, resumability = false, keepAliveMs = 15_000, ...httpOptions } = http
    this.#runtime = runtime
    this.#host = new McpHost(runtime, {
      pageSize,
      listTtlMs,
      exposes: exposedBy(expose),
      states: new RequestStates(requestState),
    })
    this.#eras = new Eras({
      host: this.#host,
      info,
      keepAliveMs: wholeNumber(keepAliveMs, 'http.keepAliveMs', 0),
      sessions:
        sessions === false
          ? undefined
          : { idleMs: 1_800_000, max: 1_000, ...(sessions !== true && sessions) },
      resumability: resumabilityOf(resumability, { sessions: sessions !== false }),
      ...(instructions !== undefined && { instructions }),
    })
    this.#http = new HttpHost(httpOptions, {
      host: this.#host,
      eras: this.#eras,
      hasSessions: sessions !== false,
    })
    this.#drainMs = drainMs
  }

  /** HTTP sessions that are open. */
  get sessionCount(): number {
    return this.#eras.sessionCount
  }

  /**
   * Serves stdin and stdout, and resolves when that is over: the client has closed stdin and its running calls are
   * answered, or the bridge is closed. Meanwhile whatever else is printed to stdout goes to stderr. That is why it starts
   * the runtime, if nobody has: a provider may print too.
   */
  async serveStdio({ principal }: StdioOptions = {}): Promise<void> {
    this.#requireOpen()
    using stdout = claimStdout()
    if (!this.#runtime.isStarted) await this.#runtime.start()
    const transport = new StdioTransport({
      input: process.stdin,
      output: stdout.output,
      drainMs: this.#drainMs,
      logger: this.#host.logger,
    })
    await this.#serve(transport, { address: 'stdio', principal })
    await transport.closed
  }

  /**
   * For Express and node:http: `app.all('/mcp', bridge.nodeHandler())`, with or without a body parser in front. Where it is
   * mounted is the host's affair: `createServer(bridge.nodeHandler())` serves every path. With `http.auth` clients look for
   * its metadata at `/.well-known/oauth-protected-resource`, so Express needs the handler there, too.
   */
  nodeHandler(options: NodeHandlerOptions = {}): NodeHandler {
    if (options.principal !== undefined) this.#requireNoTokens()
    return (req, res) => void this.#handle(req, res, options.principal && (() => options.principal?.(req)))
  }

  /**
   * For Hono and every fetch host: `app.all('/mcp', (c) => bridge.fetch(c.req.raw))`. A web request does not say who sent
   * it: without an address all callers that have no principal share one quota. With Hono on Node:
   *
   *     bridge.fetch(c.req.raw, { address: getConnInfo(c).remote.address })
   */
  async fetch(request: Request, options: FetchOptions = {}): Promise<Response> {
    if (options.principal !== undefined) this.#requireNoTokens()
    else if (options.address === undefined && !this.#http.verifiesTokens) this.#warnOfSharedQuota()
    const arrival = new WebArrival(request, options)
    return arrival.respond(await this.#http.answer(arrival))
  }

  /** `app.register(bridge.fastify(), { prefix: '/mcp' })` */
  fastify(options: FastifyOptions = {}): FastifyPlugin {
    if (options.principal !== undefined) this.#requireNoTokens()
    return fastifyPlugin((req, res, identify) => void this.#handle(req, res, identify), options)
  }

  /** Serves one end of a transport, such as the SDK's in-memory pair, until either side closes it. */
  async connect(
    transport: McpTransport,
    { era, address = 'unknown', principal }: ConnectOptions = {},
  ): Promise<McpConnection> {
    this.#requireOpen()
    if (era !== undefined) return (await this.#eras.serverOf(era)).connect(transport, { address, principal })
    return this.#serve(transport, { address, principal })
  }

  /**
   * Adds the tools to an SDK 1.x `Server` or `McpServer` that its owner connects; its other handlers stay. Call it before
   * the server is connected, unless the server has declared the `tools` capability. Throws if it has tools of its own.
   * Dispose of what it returns to take the tools away again.
   */
  attachTo(server: AttachTarget, options?: AttachOptions): Disposable {
    this.#requireOpen()
    const attached = attach(this.#host, server, options)
    this.#attached.add(attached)
    return {
      [Symbol.dispose]: () => {
        if (this.#attached.delete(attached)) attached[Symbol.dispose]()
      },
    }
  }

  /**
   * Takes no new clients, waits for running calls, then ends every session, stream and connection and lets go of the
   * registry. The runtime goes on.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#http.drain()
    await this.#host.whenIdle(this.#drainMs)
    // The SDKs send an answer a few turns after they have it.
    await new Promise(setImmediate)
    this.#http.close()
    for (const attached of this.#attached) attached[Symbol.dispose]()
    this.#attached.clear()
    await Promise.all([...this.#open].map((connection) => connection.close()))
    await this.#eras.close()
  }

  async #serve(transport: McpTransport, peer: McpPeer): Promise<McpConnection> {
    const connection = new EraSwitch(transport, {
      logger: this.#host.logger,
      connect: async (era, line) => (await this.#eras.serverOf(era)).connect(line, peer),
      onClosed: () => this.#open.delete(connection),
    })
    this.#open.add(connection)
    await connection.start()
    return connection
  }

  async #handle(req: IncomingMessage, res: ServerResponse, identify: HttpArrival['identify']): Promise<void> {
    try {
      await writeAnswer(res, await this.#http.answer(new NodeArrival(req, res, identify)))
    } catch (thrown) {
      this.#host.logger.error({ err: thrown }, 'MCP answer over HTTP failed')
      res.destroy()
    }
  }

  /** Once: it is how the bridge was mounted, not what a client does. */
  #warnOfSharedQuota(): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#host.logger.warn(
      {},
      'bridge.fetch() was given no address: all callers without a principal count as one in quotas',
    )
  }

  #requireNoTokens(): void {
    if (!this.#http.verifiesTokens) return
    throw new TypeError('With http.auth the token says who is calling: leave the principal out')
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new Error('The bridge is closed')
  }
}
