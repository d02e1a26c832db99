import type { ArrangedInterceptor } from '../interceptors/arrangement.js'
import { InterceptorChain } from '../interceptors/chain.js'
import type { CallableDefinition } from '../registry/callable-definition.js'
import { ArgumentsPipeline } from './arguments.js'
import { DefinitionValidators } from './definition-validators.js'
import type { Executable } from './executor-run.js'
import type { SchemaValidator } from './schema/schema-validator.js'

/** A definition with all that stands around it, built once. */
export interface Route extends Executable {
  readonly validators: DefinitionValidators
  readonly args: ArgumentsPipeline
  readonly requestRing: InterceptorChain
  readonly executionRing: InterceptorChain
}

export function routeTo(
  definition: CallableDefinition,
  arranged: readonly ArrangedInterceptor[],
  validator: SchemaValidator,
): Route {
  const validators = new DefinitionValidators(definition, validator)
  return {
    definition,
    execute: (ctx) => definition.execute(ctx),
    validators,
    args: new ArgumentsPipeline(definition, validators),
    requestRing: ring('request', arranged),
    executionRing: ring('execution', arranged),
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
