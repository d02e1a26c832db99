import type { Logger } from '../interceptors/logger.js'
import type { CallableDefinition, DefinitionAlternative } from '../registry/callable-definition.js'
import type { Admission, DefinitionRegistry } from '../registry/definition-registry.js'
import type { JsonSchemaDocument } from '../registry/json-schema.js'
import type { ChangeListener } from '../registry/registry-listeners.js'
import { type DefinitionFault, requireSound } from '../registry/tool-definition-error.js'
import type { StartProblem } from './discovery.js'
import type { ExecutorRouter } from './executor-router.js'
import type { Registries } from './registries.js'
import { type MandatoryInterceptor, satisfies } from './runtime-settings.js'
import { defaultFaults } from './schema/schema-default-faults.js'
import type { SchemaValidator } from './schema/schema-validator.js'

/** Refuses definitions whose schemas break the rules. */
export function checksSchemas(validator: SchemaValidator): Admission<CallableDefinition> {
  const faultsOf = (field: string, schema: JsonSchemaDocument | undefined): DefinitionFault[] =>
    schema === undefined
      ? []
      : validator.check(schema).map(({ path, message }) => ({ path: `${field}${path}`, message }))
  const faultsIn = (
    place: string,
    { parameters, inputSchema, outputSchema }: CallableDefinition,
  ): DefinitionFault[] => [
    ...faultsOf(`${place}inputSchema`, parameters.document),
    // What is hidden from callers must leave a schema behind that holds by itself.
    ...(inputSchema === parameters.document ? [] : faultsOf(`${place}inputSchema`, inputSchema)),
    ...(parameters.standard === undefined ? defaultFaults(parameters.document) : []).map((fault) => ({
      path: `${place}inputSchema${fault.path}`,
      message: fault.message,
    })),
    ...faultsOf(`${place}outputSchema`, outputSchema),
  ]
  return (definition) => {
    const { kind, name, alternatives = [] } = definition
    const faults = alternatives.flatMap((one) => faultsIn(placeOf(one), one.definition))
    requireSound(kind, name, [...faultsIn('', definition), ...faults])
  }
}

/** Refuses definitions that would run without a mandatory interceptor. */
export function requires(
  mandatory: readonly MandatoryInterceptor[],
  router: ExecutorRouter,
): Admission<CallableDefinition> {
  return (definition, source) => {
    const faultsAround = (alternative?: DefinitionAlternative): DefinitionFault[] => {
      const arranged = router.routes.arrange(definition, source.interceptors, alternative)
      return mandatory
        .filter((one) => !arranged.some(({ interceptor }) => satisfies(interceptor, one)))
        .map((one) => ({
          path: `${alternative === undefined ? '' : placeOf(alternative)}interceptors`,
          message: `the mandatory ${typeof one === 'string' ? one : one.name} is missing`,
        }))
    }
    // What has alternatives runs one of them, and never without.
    const faults = definition.alternatives?.flatMap((one) => faultsAround(one)) ?? faultsAround()
    requireSound(definition.kind, definition.name, faults)
  }
}

/**
 * Tells of definitions around which the built-in interceptors are not in their order, since one of a narrower scope is
 * always inside: a tool's own fallback inside a shared attempt limit never sees a time-out. Refuses none.
 */
export function tellsOfDisorder(router: ExecutorRouter, logger: Logger): Admission<CallableDefinition> {
  return ({ kind, name, interceptors: own }, source) => {
    const arranged = router.routes.arrange({ interceptors: own }, source.interceptors)
    // Negative orders are those of the built-in ones.
    const ordered = arranged.filter(({ ring, order }) => ring === 'execution' && order < 0)
    const misplaced = ordered.filter(({ order }, index) => order < (ordered[index - 1]?.order ?? order))
    if (misplaced.length === 0) return
    const order = ordered.map(({ name, scope }) => `${name} (${scope})`)
    logger.warn({ kind, name, order }, 'interceptors are out of order: give them one scope')
  }
}

function placeOf({ label }: DefinitionAlternative): string {
  return `alternatives/${label}/`
}

/** Every definition has to pass from now on, whatever its kind. Those that are there and do not are removed and returned. */
export function guard(
  { tools, resources, prompts }: Registries,
  admissions: readonly Admission<CallableDefinition>[],
  hooks: Disposable[],
): readonly StartProblem[] {
  return [
    ...guardOne(tools, admissions, hooks),
    ...guardOne(resources, admissions, hooks),
    ...guardOne(prompts, admissions, hooks),
  ]
}

function guardOne<D extends CallableDefinition, L extends ChangeListener>(
  registry: DefinitionRegistry<D, L>,
  admissions: readonly Admission<CallableDefinition>[],
  hooks: Disposable[],
): readonly StartProblem[] {
  const problems = registry.all().flatMap(({ definition, source }) => {
    try {
      for (const admission of admissions) admission(definition, source)
      return []
    } catch (error) {
      // One that must not be there must not stop the others.
      void registry.unregister(registry.keyOf(definition), { drainMs: 0 })
      return [{ source: source.name, toolName: definition.name, error }]
    }
  })
  for (const admission of admissions) hooks.push(registry.addAdmission(admission))
  return problems
}
