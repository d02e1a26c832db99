import type { CallableDefinition } from '../registry/callable-definition.js'
import type { DefinitionRegistry } from '../registry/definition-registry.js'
import { DefinitionPages } from './definition-pages.js'
import { membersOf } from './json-rpc.js'
import type { McpCalls } from './mcp-calls.js'
import type { McpRequest } from './mcp-request.js'
import { promptJson } from './prompt-methods.js'
import { resourceJson } from './resource-methods.js'
import { toolJson } from './tool-methods.js'

export interface McpListsOptions {
  readonly pageSize: number
  /** How long a client may keep a list, in milliseconds. */
  readonly ttlMs: number
}

type List = (params: unknown, request: McpRequest) => Readonly<Record<string, unknown>>

/** The methods that list what a client may see, by name. */
export function listMethods(calls: McpCalls, options: McpListsOptions): ReadonlyMap<string, List> {
  const { registry: tools, resources, prompts } = calls.runtime
  const { pageSize } = options

  /** `select`: which part of the registry is in this list; the same array for the same array. */
  function list<D extends CallableDefinition>(
    registry: DefinitionRegistry<D>,
    member: string,
    toJson: (definition: D, era: McpRequest['era']) => Readonly<Record<string, unknown>>,
    select: (all: readonly D[]) => readonly D[] = (all) => all,
  ): List {
    const pages = new DefinitionPages<D>({ pageSize, keyOf: (one) => registry.keyOf(one), toJson })
    return (params, request) => {
      const { catalog } = calls.runtime
      const seen = select(catalog.list(registry, calls.viewer(request)))
      const { items, ...page } = pages.page(seen, membersOf(params).cursor, request.era)
      const result = { [member]: items, ...page }
      if (request.era === 'legacy') return result
      const cacheScope = catalog.variesByPrincipal(registry) ? 'private' : 'public'
      return { ...result, ttlMs: options.ttlMs, cacheScope }
    }
  }

  return new Map([
    ['tools/list', list(tools, 'tools', toolJson)],
    ['resources/list', list(resources, 'resources', resourceJson, memoised(withUri))],
    ['resources/templates/list', list(resources, 'resourceTemplates', resourceJson, memoised(withTemplate))],
    ['prompts/list', list(prompts, 'prompts', promptJson)],
  ])
}

interface Addressed {
  readonly uri?: string
}

function withUri<D extends Addressed>(all: readonly D[]): readonly D[] {
  return all.filter(({ uri }) => uri !== undefined)
}

function withTemplate<D extends Addressed>(all: readonly D[]): readonly D[] {
  return all.filter(({ uri }) => uri === undefined)
}

/** The last answer again for the last argument. */
function memoised<T extends object, R>(fn: (argument: T) => R): (argument: T) => R {
  let last: { readonly argument: T; readonly result: R } | undefined
  return (argument) => {
    if (last?.argument !== argument) last = { argument, result: fn(argument) }
    return last.result
  }
}
