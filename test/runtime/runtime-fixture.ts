import 'reflect-metadata'
import { Container } from 'inversify'
import { Logger } from '../../src/interceptors/logger.js'
import type { PromptAnswer } from '../../src/registry/prompt-answer.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import type { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import type { RuntimeOptions } from '../../src/runtime/runtime-settings.js'
import { ToolRuntime } from '../../src/runtime/tool-runtime.js'
import { toolRuntimeModule } from '../../src/runtime/tool-runtime-module.js'
import { recordingLogger } from '../interceptors/recording-logger.js'

/** A resource, or a template for many if its address has variables. */
export function resource(
  name: string,
  address: string,
  reader: (ctx: ToolExecutionContext<Readonly<Record<string, string>>>, uri: string) => unknown = () => name,
  { metadata = {}, interceptors = [] }: ToolParts = {},
): ResourceDefinition {
  const builder = ResourceDefinition.builder()
    .name(name)
    .description(`Holds ${name}`)
    .metadata(metadata)
    .withInterceptor(...interceptors)
  return address.includes('{')
    ? builder.uriTemplate(address).reader(reader).build()
    : builder
        .uri(address)
        .reader((ctx, uri) => reader(ctx.with<Readonly<Record<string, string>>>({}), uri))
        .build()
}

/** A prompt whose arguments, all strings, are these; those with a question mark are optional. */
export function prompt(
  name: string,
  args: readonly string[] = [],
  template: (
    ctx: ToolExecutionContext<Readonly<Record<string, unknown>>>,
  ) => PromptAnswer | Promise<PromptAnswer> = () => name,
  { metadata = {}, interceptors = [] }: ToolParts = {},
): PromptDefinition {
  const names = args.map((arg) => arg.replace('?', ''))
  return PromptDefinition.builder()
    .name(name)
    .description(`Says ${name}`)
    .metadata(metadata)
    .withInterceptor(...interceptors)
    .parameterSchema({
      type: 'object',
      properties: Object.fromEntries(names.map((arg) => [arg, { type: 'string' as const }])),
      required: args.filter((arg) => !arg.endsWith('?')),
    })
    .template(template)
    .build()
}

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
  resources = [],
  prompts = [],
  interceptors = [],
  options,
  logger = recordingLogger(),
}: {
  readonly tools?: readonly ToolDefinition[]
  readonly resources?: readonly ResourceDefinition[]
  readonly prompts?: readonly PromptDefinition[]
  readonly interceptors?: readonly ToolInterceptor[]
  readonly options?: RuntimeOptions
  readonly logger?: ReturnType<typeof recordingLogger>
}) {
  const container = new Container()
  container.load(toolRuntimeModule(options))
  container.bind(Logger).toConstantValue(logger)
  for (const definition of tools) container.bind(ToolDefinition).toConstantValue(definition)
  for (const resource of resources) container.bind(ResourceDefinition).toConstantValue(resource)
  for (const prompt of prompts) container.bind(PromptDefinition).toConstantValue(prompt)
  for (const interceptor of interceptors) container.bind(ToolInterceptor).toConstantValue(interceptor)
  return { container, logger, runtime: container.get(ToolRuntime) }
}

/** The same, started. */
export async function started(parts: Parameters<typeof containerWith>[0]) {
  const made = containerWith(parts)
  const report = await made.runtime.start()
  return { ...made, report }
}

/** Notes of every call what the request ring sees of it. */
export function recordingInterceptor(ring: ToolInterceptor['ring'] = 'request') {
  const seen: Readonly<Record<string, unknown>>[] = []
  const interceptor: ToolInterceptor = {
    name: 'recorder',
    ring,
    beforeExecute({ kind, toolName, tool, target, uri, args }) {
      seen.push({ kind, toolName, tool: tool?.name, target: target?.name, uri, args })
    },
  }
  return { seen, interceptor }
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
