import type { JsonSchema } from './json-schema.js'
import { describe, frozenCopy, isObject } from './json-value.js'
import { quoteName } from './quoted-name.js'
import type { DefinitionFault } from './tool-definition-error.js'
import type { ToolIcon } from './tool-descriptor.js'
import type { ToolInterceptor } from './tool-interceptor.js'
import { metadataInit, type ToolAnnotations, type ToolMetadataInit } from './tool-metadata.js'

/** What a definition is made from; the builder collects it. */
export interface ToolDefinitionInit {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly parameters: JsonSchema
  readonly output?: JsonSchema
  readonly annotations?: ToolAnnotations
  readonly icons?: readonly ToolIcon[]
  readonly meta?: Readonly<Record<string, unknown>>
  readonly metadata?: ToolMetadataInit
  readonly interceptors: readonly ToolInterceptor[]
}

/** The parts that a derived definition may change. */
export type ToolDefinitionChanges = Partial<Omit<ToolDefinitionInit, 'parameters' | 'output'>>

/** A deeply frozen copy of what the tool says about itself. What is not there is left out, not set to `undefined`. */
export function protocolParts(
  init: ToolDefinitionChanges,
): Omit<ToolDefinitionChanges, 'metadata' | 'interceptors'> {
  const { name, title, description, annotations, icons, meta } = init
  return frozenCopy(
    { name, title, description, annotations, icons, meta },
    'A tool definition',
  ) as ToolDefinitionChanges
}

/** A frozen copy of the changes: what their author does to an object later changes no definition. */
export function frozenChanges(changes: ToolDefinitionChanges): ToolDefinitionChanges {
  const { metadata, interceptors } = changes
  return {
    ...protocolParts(changes),
    ...(metadata !== undefined && { metadata: metadataInit(metadata) }),
    ...(interceptors !== undefined && { interceptors: Object.freeze([...interceptors]) }),
  }
}

/** All that keeps a tool from being listed and called. MCP clients drop a whole list for one field of the wrong type. */
export function definitionFaults(init: Partial<ToolDefinitionInit>): DefinitionFault[] {
  return [
    ...nameFaults(init.name),
    ...(['title', 'description'] as const).flatMap((field) => typeFaults(field, init[field], 'string')),
    ...annotationFaults(init.annotations),
    ...iconFaults(init.icons),
    ...(init.meta === undefined || isObject(init.meta) ? [] : [mustBe('meta', 'an object', init.meta)]),
    ...rootFaults(init.parameters),
    ...interceptorFaults(init.interceptors),
  ]
}

function nameFaults(name: unknown): DefinitionFault[] {
  if (typeof name === 'string' && /^[A-Za-z0-9_.-]{1,128}$/.test(name)) return []
  const given = typeof name === 'string' ? quoteName(name) : describe(name)
  return [{ path: 'name', message: `must be 1 to 128 of A-Z a-z 0-9 _ - . (got ${given})` }]
}

function annotationFaults(annotations: unknown = {}): DefinitionFault[] {
  if (!isObject(annotations)) return [mustBe('annotations', 'an object', annotations)]
  const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
  return [
    ...typeFaults('annotations/title', annotations.title, 'string'),
    ...hints.flatMap((hint) => typeFaults(`annotations/${hint}`, annotations[hint], 'boolean')),
  ]
}

function iconFaults(icons: unknown = []): DefinitionFault[] {
  if (!Array.isArray(icons)) return [mustBe('icons', 'a list', icons)]
  return icons.flatMap((icon: unknown, index) =>
    isObject(icon) && typeof icon.src === 'string'
      ? []
      : [mustBe(`icons/${index}`, 'an object with a string as src', icon)],
  )
}

/** MCP: `inputSchema` must be an object schema at its root. */
function rootFaults(parameters: JsonSchema | undefined): DefinitionFault[] {
  if (parameters?.document.type === 'object') return []
  return [{ path: 'inputSchema/type', message: 'must be "object": a tool takes named arguments' }]
}

/** An interceptor that was not injected, or a class in place of its instance, would leave the tool unguarded. */
function interceptorFaults(interceptors: readonly unknown[] = []): DefinitionFault[] {
  return interceptors.flatMap((interceptor, index) =>
    isObject(interceptor) ? [] : [mustBe(`interceptors/${index}`, 'an object with hooks', interceptor)],
  )
}

function typeFaults(path: string, value: unknown, type: 'string' | 'boolean'): DefinitionFault[] {
  return value === undefined || typeof value === type ? [] : [mustBe(path, `a ${type}`, value)]
}

function mustBe(path: string, what: string, value: unknown): DefinitionFault {
  return { path, message: `must be ${what} (got ${describe(value)})` }
}
