import type { ArrangedInterceptor } from '../interceptors/arrangement.js'
import { InterceptorChain } from '../interceptors/chain.js'
import type { ArgumentSteps } from '../registry/argument-steps.js'
import type { CallableDefinition, DefinitionAlternative } from '../registry/callable-definition.js'
import { argumentPlan } from './arguments/argument-plan.js'
import { ArgumentsPipeline } from './arguments/arguments-pipeline.js'
import { DefinitionValidators } from './definition-validators.js'
import type { Executable } from './executor-run.js'
import type { SchemaValidator } from './schema/schema-validator.js'

/** A definition with all that stands around it, built once. */
export interface Route extends Executable {
  readonly validators: DefinitionValidators
  readonly args: ArgumentsPipeline
  readonly requestRing: InterceptorChain
  readonly executionRing: InterceptorChain
  /** Nothing stands around the executor. */
  readonly isBare: boolean
  /** One of these is run in its place. */
  readonly alternatives?: readonly AlternativeRoute[]
}

/** To one of the ways in which the work of a definition can be done. */
export interface AlternativeRoute extends Route {
  readonly alternative: DefinitionAlternative
}

/** What all routes are built with. */
export interface RouteOptions {
  readonly validator: SchemaValidator
  /** What becomes of the steps of arguments where a tool does not say. */
  readonly argumentSteps?: ArgumentSteps
}

/**
 * With an `alternative`, whose arguments it takes and whose executor it runs, what comes of it is still a result of
 * `definition`, which alone has promised something.
 */
export function routeTo(
  definition: CallableDefinition,
  arranged: readonly ArrangedInterceptor[],
  { validator, argumentSteps }: RouteOptions,
  alternative?: DefinitionAlternative,
): Route {
  const own = alternative?.definition ?? definition
  const plan = argumentPlan(own, argumentSteps)
  const validators = new DefinitionValidators(own, definition.outputSchema, validator, plan)
  return {
    definition,
    execute: (ctx) => own.execute(ctx),
    validators,
    args: new ArgumentsPipeline(own, validators, plan),
    requestRing: ring('request', arranged),
    executionRing: ring('execution', arranged),
    isBare: arranged.length === 0 && definition.alternatives === undefined,
  }
}

/** The interceptors of one ring, as they run. */
export function ring(
  name: ArrangedInterceptor['ring'],
  arranged: readonly ArrangedInterceptor[],
): InterceptorChain {
  const interceptors = arranged.filter((one) => one.ring === name).map(({ interceptor }) => interceptor)
  return new InterceptorChain(interceptors, { argumentsAreFinal: name === 'execution' })
}
