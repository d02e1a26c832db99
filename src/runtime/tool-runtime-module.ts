import { ContainerModule, type ResolutionContext } from 'inversify'
import { Logger } from '../interceptors/logger.js'
import { RateLimitInterceptor } from '../interceptors/rate-limit.js'
import { stderrLogger } from '../interceptors/stderr-logger.js'
import { MemoryStore } from '../interceptors/stores/memory-store.js'
import { Store } from '../interceptors/stores/store.js'
import { ToolDefinition } from '../registry/tool-definition.js'
import { ToolDefinitionProvider } from '../registry/tool-definition-provider.js'
import { ToolInterceptor } from '../registry/tool-interceptor.js'
import { ToolRegistry } from '../registry/tool-registry.js'
import { ownLeases } from './call-scope.js'
import { type RuntimeOptions, runtimeSettings } from './runtime-settings.js'
import type { ToolDiscovery } from './tool-discovery.js'
import { ToolRuntime } from './tool-runtime.js'

/**
 * Binds `ToolRuntime`, `ToolRegistry` and `RateLimitInterceptor` as singletons. The application binds its
 * `ToolDefinitionProvider`s, `ToolDefinition`s and shared `ToolInterceptor`s beside them, before or after, and, if it has
 * its own, a `Logger` and a `Store`.
 */
export function toolRuntimeModule(options: RuntimeOptions = {}): ContainerModule {
  return new ContainerModule(({ bind }) => {
    const settings = runtimeSettings(options)
    const ownLogger = stderrLogger({ level: settings.logLevel })
    const ownStore = new MemoryStore()
    const loggerOf = (ctx: ResolutionContext) => ctx.get(Logger, { optional: true }) ?? ownLogger
    const storeOf = (ctx: ResolutionContext) => ctx.get(Store, { optional: true }) ?? ownStore

    bind(ToolRegistry)
      .toDynamicValue((ctx) => {
        const logger = loggerOf(ctx)
        const onListenerError = (err: unknown) => logger.error({ err }, 'tool registry listener failed')
        return new ToolRegistry({ names: settings.names, ownLeases, onListenerError })
      })
      .inSingletonScope()

    bind(RateLimitInterceptor)
      .toDynamicValue((ctx) => new RateLimitInterceptor({ store: storeOf(ctx), ...settings.rateLimit }))
      .inSingletonScope()

    bind(ToolRuntime)
      .toDynamicValue((ctx) => {
        const parts = {
          registry: ctx.get(ToolRegistry),
          logger: loggerOf(ctx),
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

function discoveryIn(ctx: ResolutionContext): ToolDiscovery {
  return {
    interceptors: () =>
      constructed('a ToolInterceptor', ctx.getAllAsync(ToolInterceptor, { optional: true })),
    providers: () =>
      constructed('a ToolDefinitionProvider', ctx.getAllAsync(ToolDefinitionProvider, { optional: true })),
    definitions: () => constructed('a ToolDefinition', ctx.getAllAsync(ToolDefinition, { optional: true })),
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
