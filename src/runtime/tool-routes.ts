import type { CallableDefinition, DefinitionAlternative } from '../registry/callable-definition.js'
import { describe, isObject } from '../registry/json-value.js'
import { ToolDefinition } from '../registry/tool-definition.js'
import {
  frozenChanges,
  type ToolDefinitionChanges,
  type ToolDefinitionInit,
} from '../registry/tool-definition-init.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import type { Returned } from '../registry/tool-executor.js'
import type { ToolMetadataInit } from '../registry/tool-metadata.js'

/** A tool as one of the alternatives of {@link toolRoutes}. */
export type ToolRoute<Tool extends ToolDefinition = ToolDefinition> =
  | Tool
  | {
      readonly tool: Tool
      /**
       * Passed over while it says `false`, if another can be tried. Asked at each call, so it must be quick; throwing counts
       * as `false`.
       */
      readonly isHealthy?: () => boolean
    }

/**
 * One tool of several that do the same, best first: a server's tool, and an HTTP mapping for when the server is away. It
 * presents itself as the first one does, and what any of them returns is checked against the output schema of the first.
 *
 * Each alternative has its own schema, aliases and arguments pipeline, which makes its arguments of what the caller sent,
 * and its own interceptors of the execution ring, inside those of the provider, which with the shared ones run anew for
 * each. Their interceptors of the request ring run once, around all. A fallback stands in once the last one has failed.
 *
 * The next one is tried after a failure of health (see `FallbackInterceptor`) if nothing was started, or if all of them are
 * idempotent: a call that may have acted is not run a second time. Bad arguments are the caller's, whoever refuses them;
 * but if one was tried before, its failure is what is answered. There is one deadline and one count of attempts. It
 * is read-only, idempotent, and forwards the idempotency key, only if all are, and destructive if any is; all other
 * metadata is that of the first. A caller who may not see an alternative (`metadata.visibility`) is not served by it.
 *
 * @example toolRoutes({ tool: serverTool, isHealthy: () => server.isConnected }, httpTool)
 */
export function toolRoutes<Input, Args, Value>(
  primary: ToolRoute<ToolDefinition<Input, Args, Value>>,
  ...others: readonly ToolRoute[]
): ToolDefinition<Input, Args, Value> {
  const { tool: first } = routed(primary)
  const routes = [primary as ToolRoute, ...others].map((route) => routed(route))
  const tools = routes.map(({ tool }) => tool)
  const init: ToolDefinitionInit = {
    ...initOf(first),
    metadata: { ...first.metadata, ...cautious(tools) },
    interceptors: ofRequestRing(tools),
  }
  return new RoutedToolDefinition(init, first, labelled(routes.flatMap(waysOf)))
}

class RoutedToolDefinition<Input, Args, Value> extends ToolDefinition<Input, Args, Value> {
  readonly alternatives: readonly DefinitionAlternative[]
  readonly #init: ToolDefinitionInit
  readonly #first: ToolDefinition<Input, Args, Value>

  constructor(
    init: ToolDefinitionInit,
    first: ToolDefinition<Input, Args, Value>,
    alternatives: readonly DefinitionAlternative[],
  ) {
    super(init)
    this.#init = init
    this.#first = first
    this.alternatives = Object.freeze(
      alternatives.map((one) => Object.freeze(changed(one, { name: init.name }))),
    )
    Object.freeze(this)
  }

  /** The first alternative: which one is tried when, is the router's. */
  override execute(ctx: ToolExecutionContext<Args>): Returned<Value> {
    return this.#first.execute(ctx)
  }

  override with(changes: ToolDefinitionChanges): ToolDefinition<Input, Args, Value> {
    const { aliases, argumentSteps } = changes
    const ofArguments = { ...(aliases && { aliases }), ...(argumentSteps && { argumentSteps }) }
    const alternatives = this.alternatives.map((one, index) =>
      index === 0 ? changed(one, ofArguments) : one,
    )
    const init = { ...this.#init, ...frozenChanges(changes, this.#init) }
    return new RoutedToolDefinition(init, this.#first, alternatives)
  }
}

/** All have the name of the one tool, so that errors speak of what was called. */
function changed(alternative: DefinitionAlternative, changes: ToolDefinitionChanges): DefinitionAlternative {
  return { ...alternative, definition: (alternative.definition as ToolDefinition).with(changes) }
}

interface Routed<Tool> {
  readonly tool: Tool
  readonly isHealthy?: (() => boolean) | undefined
}

function routed<Tool extends ToolDefinition>(route: ToolRoute<Tool>): Routed<Tool> {
  const { tool, isHealthy }: Routed<Tool> =
    ToolDefinition.is(route) || !isObject(route) ? { tool: route as Tool } : (route as Routed<Tool>)
  if (!ToolDefinition.is(tool)) {
    throw new TypeError(
      `toolRoutes needs ToolDefinitions, or { tool, isHealthy } of one (got ${describe(tool)})`,
    )
  }
  if (isHealthy === undefined || typeof isHealthy === 'function') return { tool, isHealthy }
  throw new TypeError(
    `isHealthy of the alternative ${JSON.stringify(tool.name)} must be a function (got ${describe(isHealthy)})`,
  )
}

/** Alternatives of an alternative are as many alternatives, each as healthy as both say. */
function waysOf({ tool, isHealthy }: Routed<ToolDefinition>): readonly DefinitionAlternative[] {
  const { alternatives }: CallableDefinition = tool
  if (alternatives === undefined) return [{ label: tool.name, definition: tool, isHealthy }]
  return alternatives.map((inner) => ({
    ...inner,
    isHealthy: () => (isHealthy?.() ?? true) && (inner.isHealthy?.() ?? true),
  }))
}

/** Each by its name, and by a number too where two have the same. */
function labelled(alternatives: readonly DefinitionAlternative[]): DefinitionAlternative[] {
  const used = new Set<string>()
  return alternatives.map((alternative) => {
    let label = alternative.label
    for (let number = 2; used.has(label); number++) label = `${alternative.label}#${number}`
    used.add(label)
    return { ...alternative, label }
  })
}

/** What holds whichever of them runs. */
function cautious(tools: readonly ToolDefinition[]): ToolMetadataInit {
  return {
    readOnly: tools.every(({ metadata }) => metadata.readOnly),
    destructive: tools.some(({ metadata }) => metadata.destructive),
    idempotent: tools.every(({ metadata }) => metadata.idempotent),
    forwardsIdempotencyKey: tools.every(({ metadata }) => metadata.forwardsIdempotencyKey === true),
  }
}

/** An interceptor that several of them have runs once. */
function ofRequestRing(tools: readonly ToolDefinition[]): ToolDefinitionInit['interceptors'] {
  return [
    ...new Set(tools.flatMap(({ interceptors }) => interceptors.filter(({ ring }) => ring === 'request'))),
  ]
}

/** What a definition was made from, but for what is for the runtime. */
function initOf(tool: ToolDefinition): Omit<ToolDefinitionInit, 'interceptors'> {
  const { name, title, description, annotations, icons, meta } = tool
  const { parameters, output, aliases, boundParameters, argumentSteps } = tool
  return {
    name,
    parameters,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(annotations !== undefined && { annotations }),
    ...(icons !== undefined && { icons }),
    ...(meta !== undefined && { meta }),
    ...(output !== undefined && { output }),
    ...(aliases !== undefined && { aliases }),
    ...(boundParameters !== undefined && { boundParameters }),
    ...(argumentSteps !== undefined && { argumentSteps }),
  }
}
