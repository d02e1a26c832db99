import type { CallableDefinition } from '../registry/callable-definition.js'
import type { DefinitionProvider } from '../registry/definition-provider.js'
import type { DefinitionRegistry } from '../registry/definition-registry.js'
import { LONGEST_TIMER_MS } from '../registry/idle-wait.js'
import { describe } from '../registry/json-value.js'
import type { PromptDefinition } from '../registry/prompt-definition.js'
import type { DefinitionSource } from '../registry/registered-definition.js'
import type { ResourceDefinition } from '../registry/resource-definition.js'
import type { ToolDefinition } from '../registry/tool-definition.js'
import type { ToolInterceptor } from '../registry/tool-interceptor.js'

/** Where the definitions of one kind are found. Asked at every start, so that late bindings count. */
export interface Findings<D> {
  providers(): Promise<readonly DefinitionProvider<D>[]>
  /** Definitions that no provider brings. */
  definitions(): Promise<readonly D[]>
}

/** Where the runtime finds what the application has bound. */
export interface Discovery {
  interceptors(): Promise<readonly ToolInterceptor[]>
  readonly tools: Findings<ToolDefinition>
  readonly resources: Findings<ResourceDefinition>
  readonly prompts: Findings<PromptDefinition>
}

/** A definition, or all of a provider, that could not be registered. */
export interface StartProblem {
  /** The provider, or `container` for a definition that is bound itself. */
  readonly source: string
  /** Of the tool, the resource or the prompt. */
  readonly toolName?: string
  readonly error: unknown
}

/** What was found of one kind. */
export interface Registered {
  readonly count: number
  readonly providers: number
  readonly problems: readonly StartProblem[]
}

/** What is bound of one kind, constructed. */
export interface Found<D> {
  readonly providers: readonly DefinitionProvider<D>[]
  readonly definitions: readonly D[]
}

/** Constructs all that is bound. Rejects if one cannot be constructed. */
export async function find<D>(findings: Findings<D>): Promise<Found<D>> {
  return { providers: await findings.providers(), definitions: await findings.definitions() }
}

/**
 * Registers all that is found, in the order of the bindings, however long each provider takes. What fails is reported and
 * left out; the rest is registered. Never rejects.
 */
export async function registerFound<D extends CallableDefinition>(
  { providers, definitions }: Found<D>,
  registry: DefinitionRegistry<D>,
  provideTimeoutMs: number,
): Promise<Registered> {
  const asked = providers.map(async (provider) => {
    let source: DefinitionSource = { name: provider?.constructor?.name ?? 'provider' }
    try {
      source = { name: provider.name ?? source.name, interceptors: provider.interceptors ?? [] }
      return { source, definitions: await provided(provider, provideTimeoutMs) }
    } catch (error) {
      return { source, error }
    }
  })
  const bound = { source: { name: 'container' }, definitions }
  const problems: StartProblem[] = []
  let count = 0
  for (const answer of [bound, ...(await Promise.all(asked))]) {
    if ('error' in answer) problems.push({ source: answer.source.name, error: answer.error })
    else count += registerEach(registry, answer.definitions, answer.source, problems)
  }
  return { count, providers: providers.length, problems }
}

function registerEach<D extends CallableDefinition>(
  registry: DefinitionRegistry<D>,
  definitions: readonly D[],
  source: DefinitionSource,
  problems: StartProblem[],
): number {
  let registered = 0
  for (const definition of definitions) {
    try {
      registry.register(definition, source)
      registered++
    } catch (error) {
      // A provider written in JavaScript may have brought anything.
      const toolName: unknown = definition?.name
      problems.push({ source: source.name, error, ...(typeof toolName === 'string' && { toolName }) })
    }
  }
  return registered
}

/** All that `provide()` brings. Rejects when it throws, brings nothing iterable, or takes longer than `timeoutMs`. */
async function provided<D>(provider: DefinitionProvider<D>, timeoutMs: number): Promise<readonly D[]> {
  const tooLate = () => new Error(`provide() did not finish within ${timeoutMs} ms`)
  const expiresAt = performance.now() + timeoutMs
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), Math.min(timeoutMs, LONGEST_TIMER_MS))
  })
  const collect = async () => {
    const collected: D[] = []
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

async function iterableOf<D>(provider: DefinitionProvider<D>): Promise<Iterable<D> | AsyncIterable<D>> {
  const definitions: unknown = await provider.provide()
  if (isIterable<D>(definitions)) return definitions
  throw new TypeError(
    `provide() must return definitions, as an array or an iterable (got ${describe(definitions)})`,
  )
}

function isIterable<D>(value: unknown): value is Iterable<D> | AsyncIterable<D> {
  return (
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
  )
}
