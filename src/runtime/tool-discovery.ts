import type { Logger } from '../interceptors/logger.js'
import { describe } from '../registry/json-value.js'
import type { ToolSource } from '../registry/registered-tool.js'
import type { ToolDefinition } from '../registry/tool-definition.js'
import type { ToolDefinitionProvider } from '../registry/tool-definition-provider.js'
import type { ToolInterceptor } from '../registry/tool-interceptor.js'
import type { ToolRegistry } from '../registry/tool-registry.js'

/** Where the runtime finds what the application has bound. Asked at every start, so that late bindings count. */
export interface ToolDiscovery {
  interceptors(): Promise<readonly ToolInterceptor[]>
  providers(): Promise<readonly ToolDefinitionProvider[]>
  /** Definitions that no provider brings. */
  definitions(): Promise<readonly ToolDefinition[]>
}

/** A tool, or all tools of a provider, that could not be registered. */
export interface StartProblem {
  /** The provider, or `container` for a definition that is bound itself. */
  readonly source: string
  readonly toolName?: string
  readonly error: unknown
}

/** What a start brought. */
export interface StartReport {
  readonly tools: number
  readonly providers: number
  readonly problems: readonly StartProblem[]
}

export interface RegistrationOptions {
  readonly logger: Logger
  readonly provideTimeoutMs: number
  /** What was found wrong before. */
  readonly earlier: readonly StartProblem[]
}

/**
 * Registers all that `discovery` finds, in the order of the bindings, however long each provider takes. What fails is
 * logged, reported and left out; the rest is registered.
 */
export async function registerDiscovered(
  discovery: ToolDiscovery,
  registry: ToolRegistry,
  { logger, provideTimeoutMs, earlier }: RegistrationOptions,
): Promise<StartReport> {
  const providers = await discovery.providers()
  const asked = providers.map(async (provider) => {
    let source: ToolSource = { name: provider.constructor?.name ?? 'provider' }
    try {
      source = { name: provider.name ?? source.name, interceptors: provider.interceptors ?? [] }
      return { source, tools: await provided(provider, provideTimeoutMs) }
    } catch (error) {
      return { source, error }
    }
  })
  const bound = { source: { name: 'container' }, tools: await discovery.definitions() }
  const problems = [...earlier]
  let tools = 0
  for (const answer of [bound, ...(await Promise.all(asked))]) {
    if ('error' in answer) problems.push({ source: answer.source.name, error: answer.error })
    else tools += registerEach(registry, answer.tools, answer.source, problems)
  }
  for (const { source, toolName, error } of problems)
    logger.error({ source, toolName, err: error }, 'left out')
  logger.info({ tools, providers: providers.length }, `${tools} tools from ${providers.length} providers`)
  return Object.freeze({ tools, providers: providers.length, problems: Object.freeze(problems) })
}

function registerEach(
  registry: ToolRegistry,
  tools: readonly ToolDefinition[],
  source: ToolSource,
  problems: StartProblem[],
): number {
  let registered = 0
  for (const tool of tools) {
    try {
      registry.register(tool, source)
      registered++
    } catch (error) {
      // A provider written in JavaScript may have brought anything.
      const toolName: unknown = tool?.name
      problems.push({ source: source.name, error, ...(typeof toolName === 'string' && { toolName }) })
    }
  }
  return registered
}

/** All that `provide()` brings. Rejects when it throws, brings nothing iterable, or takes longer than `timeoutMs`. */
async function provided(
  provider: ToolDefinitionProvider,
  timeoutMs: number,
): Promise<readonly ToolDefinition[]> {
  const tooLate = () => new Error(`provide() did not finish within ${timeoutMs} ms`)
  const expiresAt = performance.now() + timeoutMs
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), timeoutMs)
  })
  const collect = async () => {
    const collected: ToolDefinition[] = []
    for await (const definition of await iterableOf(provider)) {
      // One that never ends is stopped; if it never waits either, no timer would get its turn.
      if (performance.now() > expiresAt) throw tooLate()
      collected.push(definition)
    }
    return collected
  }
  try {
    return await Promise.race([collect(), late])
  } finally {
    clearTimeout(timer)
  }
}

async function iterableOf(
  provider: ToolDefinitionProvider,
): Promise<Iterable<ToolDefinition> | AsyncIterable<ToolDefinition>> {
  const definitions: unknown = await provider.provide()
  if (isIterable(definitions)) return definitions
  throw new TypeError(
    `provide() must return tool definitions, as an array or an iterable (got ${describe(definitions)})`,
  )
}

function isIterable(value: unknown): value is Iterable<ToolDefinition> | AsyncIterable<ToolDefinition> {
  return (
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
  )
}
