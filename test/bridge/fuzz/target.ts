import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpToolBridge } from '../../../src/bridge/index.js'
import { LoggingInterceptor } from '../../../src/interceptors/logging.js'
import { PromptDefinition } from '../../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../../src/registry/resource-definition.js'
import { ToolDefinition } from '../../../src/registry/tool-definition.js'
import { recordingLogger } from '../../interceptors/recording-logger.js'
import { started, tool } from '../../runtime/runtime-fixture.js'
import { fixtureTools } from '../fixtures/tools.js'
import { secretsIn } from './secrets.js'

/** Small, so that a body over it costs little. */
export const MAX_BODY_BYTES = 100_000

/** Long enough for the slowest machine; whoever needs longer hangs. */
export const BOUND_MS = 10_000

const routed = ToolDefinition.builder()
  .name('routed')
  .description('Goes to a region')
  .parameterSchema({ type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } })
  .executor(({ args }) => args)
  .build()

const readme = ResourceDefinition.builder()
  .name('readme')
  .uri('docs://readme')
  .reader(() => 'Read me')
  .build()

const pages = ResourceDefinition.builder()
  .name('pages')
  .uriTemplate('docs://pages/{page}')
  .complete('page', (typed) => ['intro', 'end'].filter((page) => page.startsWith(typed)))
  .reader(({ args }) => (args.page === 'gone' ? undefined : { page: args.page }))
  .build()

const review = PromptDefinition.builder()
  .name('review')
  .parameterSchema({
    type: 'object',
    properties: { style: { type: 'string', enum: ['short', 'long'] }, language: { type: 'string' } },
    required: ['style'],
  })
  .template(({ args }) => `Review it, in ${args.language ?? 'any language'}, ${args.style}`)
  .build()

/** Calls of its tool wait until they are let go, by the `key` among their arguments or the id of the call. */
export class Gate {
  readonly #waiting = new Map<string | number, () => void>()
  readonly aborted: (string | number)[] = []

  get size(): number {
    return this.#waiting.size
  }

  has(callId: string | number): boolean {
    return this.#waiting.has(callId)
  }

  open(callId: string | number): void {
    this.#waiting.get(callId)?.()
  }

  readonly tool = tool('hold', ({ callId, args, signal }) => {
    const key = (args.key as string | number | undefined) ?? callId
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(key)
        this.aborted.push(key)
        reject(signal.reason)
      }
      this.#waiting.set(key, () => {
        this.#waiting.delete(key)
        signal.removeEventListener('abort', onAbort)
        resolve(`held ${key}`)
      })
      signal.addEventListener('abort', onAbort, { once: true })
    })
  })
}

/** A server as its users run it, with all that goes on in it in view. */
export async function fuzzTarget(sessions: boolean, maxBodyBytes = MAX_BODY_BYTES) {
  const logger = recordingLogger()
  const gate = new Gate()
  const { runtime } = await started({
    logger,
    interceptors: [new LoggingInterceptor({ logger })],
    tools: [
      ...fixtureTools().filter(({ name }) => name !== 'print'),
      tool('echo', ({ args }) => args),
      routed,
      gate.tool,
    ],
  })
  runtime.resources.registerAll([readme, pages])
  runtime.prompts.register(review)
  const bridge = new McpToolBridge(runtime, {
    name: 'fuzzed',
    version: '1',
    // Whoever waits for a request that never ends does not get to the end of its test.
    drainMs: 600_000,
    http: { sessions: sessions && { max: 100_000 }, maxBodyBytes },
  })
  const server: Server = createServer(bridge.nodeHandler())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    runtime,
    bridge,
    gate,
    logger,
    port: (server.address() as AddressInfo).port,
    /** What has been logged since the last time and should not have been. */
    leaks: () => secretsIn(logger.lines.splice(0)),
    [Symbol.asyncDispose]: async () => {
      await bridge.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await runtime.close()
    },
  }
}

export type FuzzTarget = Awaited<ReturnType<typeof fuzzTarget>>
