import { ContainerModule, type ResolutionContext, type ServiceIdentifier } from 'inversify'
import { Logger } from '../interceptors/logger.js'
import { RateLimitInterceptor } from '../interceptors/rate-limit.js'
import { stderrLogger } from '../interceptors/stderr-logger.js'
import { MemoryStore } from '../interceptors/stores/memory-store.js'
import { Store } from '../interceptors/stores/store.js'
import type { RegistryOptions } from '../registry/definition-registry.js'
import { PromptDefinition } from '../registry/prompt-definition.js'
import { PromptDefinitionProvider } from '../registry/prompt-definition-provider.js'
import { PromptRegistry } from '../registry/prompt-registry.js'
import { ResourceDefinition } from '../registry/resource-definition.js'
import { ResourceDefinitionProvider } from '../registry/resource-definition-provider.js'
import { ResourceRegistry } from '../registry/resource-registry.js'
import { ToolDefinition } from '../registry/tool-definition.js'
import { ToolDefinitionProvider } from '../registry/tool-definition-provider.js'
import { ToolInterceptor } from '../registry/tool-interceptor.js'
import { ToolRegistry } from '../registry/tool-registry.js'
import { ownLeases } from './call-scope.js'
import type { Discovery } from './discovery.js'
import { type RuntimeOptions, runtimeSettings } from './runtime-settings.js'
import { ToolRuntime } from './tool-runtime.js'

/**
 * Binds `ToolRuntime`, the registries and `RateLimitInterceptor` as singletons. The application binds its
 * `ToolDefinitionProvider`s, `ToolDefinition`s and shared `ToolInterceptor`s beside them, before or after, the same for
 * resources and prompts, and, if it has its own, a `Logger` and a `Store`.
 */
export function toolRuntimeModule(options: RuntimeOptions = {}): ContainerModule {
  return new ContainerModule(({ bind }) => {
    const settings = runtimeSettings(options)
    const ownLogger = stderrLogger({ level: settings.logLevel })
    const ownStore = new MemoryStore()
    const loggerOf = (ctx: ResolutionContext) => ctx.get(Logger, { optional: true }) ?? ownLogger
    const storeOf = (ctx: ResolutionContext) => ctx.get(Store, { optional: true }) ?? ownStore

    const registryOptions = (ctx: ResolutionContext): RegistryOptions => {
      const logger = loggerOf(ctx)
      return { ownLeases, onListenerError: (err) => logger.error({ err }, 'registry listener failed') }
    }

    bind(ToolRegistry)
      .toDynamicValue((ctx) => new ToolRegistry({ names: settings.names, ...registryOptions(ctx) }))
      .inSingletonScope()
    bind(ResourceRegistry)
      .toDynamicValue((ctx) => new ResourceRegistry(registryOptions(ctx)))
      .inSingletonScope()
    bind(PromptRegistry)
      .toDynamicValue((ctx) => new PromptRegistry(registryOptions(ctx)))
      .inSingletonScope()

    bind(RateLimitInterceptor)
      .toDynamicValue((ctx) => new RateLimitInterceptor({ store: storeOf(ctx), ...settings.rateLimit }))
      .inSingletonScope()

    bind(ToolRuntime)
      .toDynamicValue((ctx) => {
        const parts = {
          tools: ctx.get(ToolRegistry),
          resources: ctx.get(ResourceRegistry),
          prompts: ctx.get(PromptRegistry),
          logger: loggerOf(ctx),
          store: storeOf(ctx),
          discovery: discoveryIn(ctx),
          settings,
        }
        return new ToolRuntime(parts)
      })
      .inSingletonScope()
      // A safety net: inversify deactivates in parallel, so that what the tools need may be gone before they are.
      .onDeactivation((runtime) => runtime.close())
  })
}

function discoveryIn(ctx: ResolutionContext): Discovery {
  const all = <T>(what: string, id: ServiceIdentifier<T>) =>
    constructed(what, ctx.getAllAsync(id, { optional: true }))
  return {
    interceptors: () => all('a ToolInterceptor', ToolInterceptor),
    tools: {
      providers: () => all('a ToolDefinitionProvider', ToolDefinitionProvider),
      definitions: () => all('a ToolDefinition', ToolDefinition),
    },
    resources: {
      providers: () => all('a ResourceDefinitionProvider', ResourceDefinitionProvider),
      definitions: () => all('a ResourceDefinition', ResourceDefinition),
    },
    prompts: {
      providers: () => all('a PromptDefinitionProvider', PromptDefinitionProvider),
      definitions: () => all('a PromptDefinition', PromptDefinition),
    },
  }
}

/** The container passes on what a constructor threw as it is; which class it was stands in the stack alone. */
async function constructed<T>(what: string, services: Promise<T>): Promise<T> {
  try {
    return await services
  } catch (cause) {
    if (!(cause instanceof Error)) throw new Error(`Cannot construct ${what}: ${cause}`, { cause })
    const classes = [...(cause.stack ?? '').matchAll(/at new (\S+)/g)].map(([, name]) => name)
    const which = classes.length === 0 ? '' : ` (${classes.join(', in ')})`
    throw new Error(`Cannot construct ${what}${which}: ${cause.message}`, { cause })
  }
}
