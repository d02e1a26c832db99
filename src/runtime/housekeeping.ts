import type { Logger } from '../interceptors/logger.js'
import { RateLimitInterceptor } from '../interceptors/rate-limit.js'
import type { CallableDefinition } from '../registry/callable-definition.js'
import type { RegisteredDefinition } from '../registry/registered-definition.js'
import type { ExecutorRouter } from './executor-router.js'
import type { Registries } from './registries.js'
import type { SchemaValidator } from './schema/schema-validator.js'

export interface HousekeepingOptions {
  readonly router: ExecutorRouter
  readonly validator: SchemaValidator
  readonly logger: Logger
}

/** Warns of definitions that are of little use as they are, and forgets the validators of those that are gone. */
export function keepHouse(
  { tools, resources, prompts }: Registries,
  { router, validator, logger }: HousekeepingOptions,
): readonly Disposable[] {
  const warn = (registered: RegisteredDefinition | undefined) => {
    if (registered === undefined) return
    const { kind, name, description, metadata, outputSchema } = registered.definition
    if (!description)
      logger.warn({ toolName: name }, `${kind} has no description: a model cannot know when to use it`)
    if (metadata.largeResult === 'spill' && outputSchema !== undefined)
      logger.warn(
        { toolName: name },
        `metadata.largeResult has no effect: the ${kind} promises an output schema`,
      )
    if (metadata.rateLimit === undefined || isRateLimited(router, registered)) return
    const fault = `metadata.rateLimit has no effect: no RateLimitInterceptor guards the ${kind}`
    logger.warn({ toolName: name }, fault)
  }
  const forget = ({ parameters, outputSchema, alternatives = [] }: CallableDefinition) => {
    validator.release(parameters.document)
    if (outputSchema !== undefined) validator.release(outputSchema)
    for (const { definition } of alternatives) forget(definition)
  }
  return [
    tools.addListener({
      onToolRegistered: ({ name }) => warn(tools.registered(name)),
      onToolReplaced: ({ name }, previous) => {
        warn(tools.registered(name))
        forget(previous)
      },
      onToolRemoved: forget,
    }),
    resources.addListener({
      onResourceRegistered: (resource) => warn(resources.registered(resources.keyOf(resource))),
      onResourceReplaced: (resource, previous) => {
        warn(resources.registered(resources.keyOf(resource)))
        forget(previous)
      },
      onResourceRemoved: forget,
    }),
    prompts.addListener({
      onPromptRegistered: ({ name }) => warn(prompts.registered(name)),
      onPromptReplaced: ({ name }, previous) => {
        warn(prompts.registered(name))
        forget(previous)
      },
      onPromptRemoved: forget,
    }),
  ]
}

function isRateLimited(router: ExecutorRouter, { definition, source }: RegisteredDefinition): boolean {
  const arranged = router.routes.arrange(definition, source.interceptors)
  return arranged.some(({ interceptor }) => interceptor instanceof RateLimitInterceptor)
}
