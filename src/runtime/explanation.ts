import type { ArrangedInterceptor, InterceptorScope } from '../interceptors/arrangement.js'
import type { DefinitionAlternative } from '../registry/callable-definition.js'
import type { Descriptor } from '../registry/descriptor.js'
import { frozenCopy, isObject, type JsonObject } from '../registry/json-value.js'
import type { RegisteredDefinition } from '../registry/registered-definition.js'
import type { ToolMetadata } from '../registry/tool-metadata.js'
import type { Visibility } from '../registry/visibility.js'
import type { PlannedStep } from './arguments/argument-plan.js'
import type { Routes } from './routes.js'

/** How a call of a tool runs, from the outside in. Plain JSON, deeply frozen. */
export interface ToolExplanation {
  readonly name: string
  /** Who brought it. */
  readonly source: string
  readonly metadata: ExplainedMetadata
  /** Outermost first. With alternatives, those of the request ring; the others are theirs. */
  readonly interceptors: readonly ExplainedInterceptor[]
  /** What arguments pass between the rings, in this order. With alternatives, each has its own. */
  readonly argumentSteps: readonly PlannedStep[]
  /** Best first; there only if it has some. */
  readonly alternatives?: readonly ExplainedAlternative[]
}

/** As it applies: the defaults of the runtime are filled in. */
export interface ExplainedMetadata extends Omit<ToolMetadata, 'visibility' | 'timeoutMs' | 'maxResultSize'> {
  readonly timeoutMs: number
  readonly maxResultSize: number
  /** A function has no JSON. */
  readonly visibility?: Exclude<Visibility, (...args: never) => unknown> | 'function'
}

export interface ExplainedInterceptor {
  readonly name: string
  readonly ring: 'request' | 'execution'
  readonly scope: InterceptorScope
  readonly order: number
  /** A tool that would run without it is refused. */
  readonly mandatory: boolean
  /** What its `explain` says: settings and state. */
  readonly details?: JsonObject
  /** Why it could not say anything. */
  readonly fault?: string
}

export interface ExplainedAlternative {
  readonly label: string
  /** Absent where nobody says. */
  readonly healthy?: boolean
  readonly interceptors: readonly ExplainedInterceptor[]
  readonly argumentSteps: readonly PlannedStep[]
}

export interface ExplanationParts {
  readonly routes: Routes
  readonly defaultTimeoutMs: number
  readonly maxResultSize: number
}

export function explain(
  registered: RegisteredDefinition,
  { routes, defaultTimeoutMs, maxResultSize }: ExplanationParts,
): ToolExplanation {
  const { definition, source } = registered
  const { visibility, ...metadata } = definition.metadata
  const route = routes.to(registered)
  const around = (alternative?: DefinitionAlternative) =>
    routes
      .arrange(definition, source.interceptors, alternative)
      .map((one) => explained(one, definition, routes.isMandatory(one.interceptor)))
  const own = around()
  const explanation: ToolExplanation = {
    name: definition.name,
    source: source.name,
    metadata: {
      timeoutMs: defaultTimeoutMs,
      maxResultSize,
      ...metadata,
      ...(visibility !== undefined && {
        visibility: typeof visibility === 'function' ? 'function' : visibility,
      }),
    },
    interceptors: route.alternatives === undefined ? own : own.filter(({ ring }) => ring === 'request'),
    argumentSteps: route.alternatives === undefined ? route.args.steps : [],
    ...(route.alternatives !== undefined && {
      alternatives: route.alternatives.map(({ alternative, args }) => ({
        label: alternative.label,
        ...saidHealth(alternative),
        interceptors: around(alternative).filter(({ ring }) => ring === 'execution'),
        argumentSteps: args.steps,
      })),
    }),
  }
  return frozenCopy(explanation, 'An explanation')
}

function explained(
  { interceptor, name, ring, scope, order }: ArrangedInterceptor,
  target: Descriptor,
  mandatory: boolean,
): ExplainedInterceptor {
  // JSON has no infinite number.
  const finite = Math.max(-Number.MAX_VALUE, Math.min(order, Number.MAX_VALUE))
  const place = { name, ring, scope, order: finite, mandatory }
  try {
    const said: unknown = interceptor.explain?.(target)
    if (said === undefined) return place
    const details: unknown = JSON.parse(JSON.stringify(said))
    if (isObject(details)) return { ...place, details: details as JsonObject }
    return { ...place, fault: 'explain() must return an object' }
  } catch (thrown) {
    return {
      ...place,
      fault: `explain() failed: ${thrown instanceof Error ? thrown.message : 'no Error was thrown'}`,
    }
  }
}

function saidHealth({ isHealthy }: DefinitionAlternative): { readonly healthy?: boolean } {
  if (isHealthy === undefined) return {}
  try {
    return { healthy: isHealthy() === true }
  } catch {
    return { healthy: false }
  }
}
