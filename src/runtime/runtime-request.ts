import { isObject } from '../registry/json-value.js'
import type { PromptDefinition } from '../registry/prompt-definition.js'
import type { ResourceDefinition } from '../registry/resource-definition.js'
import { InvalidArgumentsError } from '../registry/tool-error.js'
import type { ToolExecutionContext } from '../registry/tool-execution-context.js'
import { MalformedUriError } from '../registry/uri-template-error.js'
import type { CallRequest } from './call-request.js'
import type { CallTask } from './call-task.js'
import type { Catalog, FoundResource, Viewer } from './catalog.js'

/** An argument that is being written, to be completed. */
export interface CompletionRequest {
  /** A prompt by its name, or a resource template by its text. */
  readonly of: { readonly prompt: string } | { readonly resourceTemplate: string }
  readonly argument: { readonly name: string; readonly value: string }
  /** Other arguments that are known already. */
  readonly context?: Readonly<Record<string, string>>
}

/** What a caller asks of the runtime, whatever door it comes through. */
export type RuntimeRequest =
  | {
      readonly kind: 'tool'
      readonly name: string
      readonly input: unknown
      /** The call may go on as this task. */
      readonly task?: CallTask
    }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'prompt'; readonly name: string; readonly input: unknown }
  | ({ readonly kind: 'completion' } & CompletionRequest)

/** What a request asks for, as it was asked for: a name, or a URI. */
export function nameOf(request: RuntimeRequest): string {
  if (request.kind === 'resource') return request.uri
  if (request.kind !== 'completion') return request.name
  const of: unknown = request.of
  return isObject(of) ? String(of.prompt ?? of.resourceTemplate) : request.kind
}

/** Finds what is asked for, as the caller sees it. */
export function resolve(request: RuntimeRequest, catalog: Catalog, viewer: Viewer): CallRequest {
  switch (request.kind) {
    case 'tool': {
      // Without a spread, which costs as much as a third of the call.
      const { kind, name, input, task } = request
      return { kind, name, input, task, registered: catalog.tool(name, viewer) }
    }
    case 'prompt': {
      const { kind, name, input } = request
      return { kind, name, input, registered: catalog.prompt(name, viewer) }
    }
    case 'resource':
      return resourceRequest(request.uri, catalog, viewer)
    case 'completion':
      return completionRequest(request, catalog, viewer)
  }
}

function resourceRequest(uri: string, catalog: Catalog, viewer: Viewer): CallRequest {
  const base = { kind: 'resource', name: uri, uri } as const
  let found: FoundResource | undefined
  try {
    found = catalog.resource(uri, viewer)
  } catch (thrown) {
    if (!(thrown instanceof MalformedUriError)) throw thrown
    const issue = { path: '/uri', keyword: 'format', message: thrown.message }
    return { ...base, registered: undefined, input: {}, fault: new InvalidArgumentsError(uri, [issue]) }
  }
  return { ...base, registered: found?.registered, input: found?.variables ?? {} }
}

function completionRequest(
  { of, argument, context = {} }: CompletionRequest,
  catalog: Catalog,
  viewer: Viewer,
): CallRequest {
  const input = Object.freeze({ ...context })
  const base = { kind: 'completion', input } as const
  if ('prompt' in of) {
    const registered = catalog.prompt(of.prompt, viewer)
    return { ...base, name: of.prompt, registered, execute: completing(registered?.definition, argument) }
  }
  const registered = catalog.template(of.resourceTemplate, viewer)
  const execute = completing(registered?.definition, argument)
  return { ...base, name: of.resourceTemplate, uri: of.resourceTemplate, registered, execute }
}

function completing(
  definition: PromptDefinition | ResourceDefinition | undefined,
  { name, value }: CompletionRequest['argument'],
): (ctx: ToolExecutionContext) => unknown {
  return (ctx) => definition?.complete(name, value, ctx)
}
