import type { Logger } from '../interceptors/logger.js'
import { checksSchemas, guard, requires, tellsOfDisorder } from './admissions.js'
import type { Catalog } from './catalog.js'
import { type Discovery, find, registerFound, type StartProblem } from './discovery.js'
import { ExecutorRouter, type ExecutorRouterOptions } from './executor-router.js'
import { keepHouse } from './housekeeping.js'
import type { Registries } from './registries.js'
import { type RuntimeSettings, satisfies } from './runtime-settings.js'
import type { SchemaValidator } from './schema/schema-validator.js'
import type { SpilledResults } from './spilled-results.js'

/** What a start brought. */
export interface StartReport {
  readonly tools: number
  readonly resources: number
  readonly prompts: number
  readonly providers: number
  readonly problems: readonly StartProblem[]
}

export interface StartParts extends Registries {
  readonly discovery: Discovery
  readonly settings: RuntimeSettings
}

export interface StartOptions {
  readonly validator: SchemaValidator
  readonly logger: Logger
  readonly catalog: Catalog
  readonly spilled: SpilledResults
  readonly callTool: ExecutorRouterOptions['callTool']
  /** Takes what has to be let go of at the end, also when the start fails half-way. */
  readonly hooks: Disposable[]
}

/** Builds the router from the interceptors that are bound, guards the registries, and registers all that is found. */
export async function startRuntime(
  { discovery, settings, ...registries }: StartParts,
  { validator, logger, catalog, spilled, callTool, hooks }: StartOptions,
): Promise<{ readonly router: ExecutorRouter; readonly report: StartReport }> {
  const { mandatoryInterceptors, provideTimeoutMs } = settings
  const router = new ExecutorRouter({
    logger,
    validator,
    callTool,
    mayAct: (toolName) => registries.tools.lookup(toolName)?.metadata.readOnly !== true,
    interceptors: await discovery.interceptors(),
    isMandatory: (interceptor) =>
      mandatoryInterceptors.some((mandatory) => satisfies(interceptor, mandatory)),
    argumentSteps: settings.arguments,
    defaultTimeoutMs: settings.defaultTimeoutMs,
    askTimeoutMs: settings.askTimeoutMs,
    maxResultSize: settings.maxResultSize,
    // One that its caller could not read would be lost.
    spill: (call, definition, result) =>
      catalog.template(spilled.template, call)?.definition === spilled.resource
        ? spilled.spill(call, definition, result)
        : undefined,
  })
  const { tools, resources, prompts } = registries
  // All that can make the start reject, before anything is registered.
  const bound = {
    tools: await find(discovery.tools),
    resources: await find(discovery.resources),
    prompts: await find(discovery.prompts),
  }
  const earlier = guard(
    registries,
    [checksSchemas(validator), requires(mandatoryInterceptors, router), tellsOfDisorder(router, logger)],
    hooks,
  )
  hooks.push(...keepHouse(registries, { router, validator, logger }))
  hooks.push(tools.addListener({ onToolRegistered: serveSpilled, onToolReplaced: serveSpilled }))
  for (const tool of tools.list()) serveSpilled(tool)
  const found = await Promise.all([
    registerFound(bound.tools, tools, provideTimeoutMs),
    registerFound(bound.resources, resources, provideTimeoutMs),
    registerFound(bound.prompts, prompts, provideTimeoutMs),
  ])
  const report = reportOf(earlier, found)
  for (const { source, toolName, error } of report.problems)
    logger.error({ source, toolName, err: error }, 'left out')
  logger.info({ ...report, problems: report.problems.length }, summaryOf(report))
  return { router, report }

  /** Where to read large results is told only where there can be some. */
  function serveSpilled({ metadata }: { readonly metadata: { readonly largeResult?: string } }): void {
    const { resource } = spilled
    if (metadata.largeResult === 'spill' && !isServed()) resources.register(resource, { name: 'the runtime' })
  }

  /** It may have been refused, for the lack of a mandatory interceptor: then nothing could read what it keeps. */
  function isServed(): boolean {
    return resources.contains(resources.keyOf(spilled.resource))
  }
}

/** `5 tools, 2 prompts from 3 providers`: tools are named also where there are none. */
function summaryOf({ tools, resources, prompts, providers }: StartReport): string {
  const others = [
    ...(resources > 0 ? [`${resources} resources`] : []),
    ...(prompts > 0 ? [`${prompts} prompts`] : []),
  ]
  return `${[`${tools} tools`, ...others].join(', ')} from ${providers} providers`
}

function reportOf(
  earlier: readonly StartProblem[],
  found: readonly Awaited<ReturnType<typeof registerFound>>[],
): StartReport {
  const [tools = 0, resources = 0, prompts = 0] = found.map(({ count }) => count)
  const providers = found.reduce((sum, one) => sum + one.providers, 0)
  const problems = Object.freeze([...earlier, ...found.flatMap((one) => one.problems)])
  return Object.freeze({ tools, resources, prompts, providers, problems })
}
