import 'reflect-metadata'
import { Container } from 'inversify'
import { Logger } from '../../src/interceptors/logger.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import type { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import type { RuntimeOptions } from '../../src/runtime/runtime-settings.js'
import { ToolRuntime } from '../../src/runtime/tool-runtime.js'
import { toolRuntimeModule } from '../../src/runtime/tool-runtime-module.js'
import { recordingLogger } from '../interceptors/recording-logger.js'

/** A tool that takes anything. */
export function tool(
  name: string,
  executor: (ctx: ToolExecutionContext<Readonly<Record<string, unknown>>>) => unknown = () => 'done',
  { metadata = {}, interceptors = [] }: ToolParts = {},
): ToolDefinition {
  return ToolDefinition.builder()
    .name(name)
    .description(`Runs ${name}`)
    .parameterSchema({ type: 'object' })
    .metadata(metadata)
    .withInterceptor(...interceptors)
    .executor(executor)
    .build()
}

interface ToolParts {
  readonly metadata?: ToolMetadataInit
  readonly interceptors?: readonly ToolInterceptor[]
}

/** A container with the module loaded, a recording logger, and what is given bound. */
export function containerWith({
  tools = [],
  interceptors = [],
  options,
  logger = recordingLogger(),
}: {
  readonly tools?: readonly ToolDefinition[]
  readonly interceptors?: readonly ToolInterceptor[]
  readonly options?: RuntimeOptions
  readonly logger?: ReturnType<typeof recordingLogger>
}) {
  const container = new Container()
  container.load(toolRuntimeModule(options))
  container.bind(Logger).toConstantValue(logger)
  for (const definition of tools) container.bind(ToolDefinition).toConstantValue(definition)
  for (const interceptor of interceptors) container.bind(ToolInterceptor).toConstantValue(interceptor)
  return { container, logger, runtime: container.get(ToolRuntime) }
}

/** The same, started. */
export async function started(parts: Parameters<typeof containerWith>[0]) {
  const made = containerWith(parts)
  const report = await made.runtime.start()
  return { ...made, report }
}

/** A promise with its handles outside. */
export function deferred<T = void>() {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** What a result is about, for whole-value comparison. */
export function gist(result: ToolExecutionResult) {
  return result.ok ? { value: result.value } : { code: result.error.code, outcome: result.error.outcome }
}
