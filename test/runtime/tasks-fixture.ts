import 'reflect-metadata'
import { Container } from 'inversify'
import { Logger } from '../../src/interceptors/logger.js'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'
import { Store } from '../../src/interceptors/stores/store.js'
import { Principal } from '../../src/registry/principal.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { RuntimeOptions } from '../../src/runtime/runtime-settings.js'
import type { ToolTask } from '../../src/runtime/tasks/tool-task.js'
import { ToolRuntime } from '../../src/runtime/tool-runtime.js'
import { toolRuntimeModule } from '../../src/runtime/tool-runtime-module.js'
import { recordingLogger } from '../interceptors/recording-logger.js'
import { tool } from './runtime-fixture.js'

export const ada = { principal: new Principal({ subject: 'ada' }) }
export const bob = { principal: new Principal({ subject: 'bob' }) }

export const NAME_FORM = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
} as const

/** A tool that may be a task. */
export function taskTool(
  name: string,
  executor: Parameters<typeof tool>[1],
  parts: NonNullable<Parameters<typeof tool>[2]> = {},
): ToolDefinition {
  return tool(name, executor, { ...parts, metadata: { task: 'optional', ...parts.metadata } })
}

/** One process of several that share a store: a started runtime. */
export async function taskRuntime({
  tools,
  store = new MemoryStore(),
  interceptors = [],
  options = {},
}: {
  readonly tools: readonly ToolDefinition[]
  readonly store?: Store
  readonly interceptors?: readonly ToolInterceptor[]
  readonly options?: RuntimeOptions
}) {
  const container = new Container()
  const logger = recordingLogger()
  container.load(toolRuntimeModule(options))
  container.bind(Logger).toConstantValue(logger)
  container.bind(Store).toConstantValue(store)
  for (const definition of tools) container.bind(ToolDefinition).toConstantValue(definition)
  for (const interceptor of interceptors) container.bind(ToolInterceptor).toConstantValue(interceptor)
  const runtime = container.get(ToolRuntime)
  await runtime.start()
  return { runtime, tasks: runtime.tasks, logger, store }
}

/** How a task stands, for whole-value comparison. */
export async function standing(task: ToolTask) {
  const state = await task.state()
  if (state === undefined) return undefined
  const { status, statusMessage, questions, result } = state
  return {
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    ...(Object.keys(questions).length > 0 && { questions: Object.keys(questions) }),
    ...(result &&
      (result.ok ? { value: result.value } : { code: result.error.code, outcome: result.error.outcome })),
  }
}
