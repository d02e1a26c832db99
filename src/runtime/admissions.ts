import type { CallableDefinition } from '../registry/callable-definition.js'
import type { Admission } from '../registry/definition-registry.js'
import type { JsonSchemaDocument } from '../registry/json-schema.js'
import { type DefinitionFault, ToolDefinitionError } from '../registry/tool-definition-error.js'
import type { ExecutorRouter } from './executor-router.js'
import { type MandatoryInterceptor, satisfies } from './runtime-settings.js'
import type { SchemaValidator } from './schema/schema-validator.js'

/** Refuses definitions whose schemas break the rules. */
export function checksSchemas(validator: SchemaValidator): Admission<CallableDefinition> {
  const faultsOf = (field: string, schema: JsonSchemaDocument | undefined): DefinitionFault[] =>
    schema === undefined
      ? []
      : validator.check(schema).map(({ path, message }) => ({ path: `${field}${path}`, message }))
  return ({ kind, name, inputSchema, outputSchema }) => {
    const faults = [...faultsOf('inputSchema', inputSchema), ...faultsOf('outputSchema', outputSchema)]
    if (faults.length > 0) throw new ToolDefinitionError(name, faults, kind)
  }
}

/** Refuses definitions that would run without a mandatory interceptor. */
export function requires(
  mandatory: readonly MandatoryInterceptor[],
  router: ExecutorRouter,
): Admission<CallableDefinition> {
  return (definition, source) => {
    const arranged = router.arrange(definition, source.interceptors)
    const faults = mandatory
      .filter((one) => !arranged.some(({ interceptor }) => satisfies(interceptor, one)))
      .map((one) => ({
        path: 'interceptors',
        message: `the mandatory ${typeof one === 'string' ? one : one.name} is missing`,
      }))
    if (faults.length > 0) throw new ToolDefinitionError(definition.name, faults, definition.kind)
  }
}
