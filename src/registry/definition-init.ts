import type { ToolIcon } from './descriptor.js'
import type { JsonSchema } from './json-schema.js'
import { describe, isObject } from './json-value.js'
import type { DefinitionFault } from './tool-definition-error.js'
import type { ToolInterceptor } from './tool-interceptor.js'
import { metadataInit, type ToolMetadata, type ToolMetadataInit, toolMetadata } from './tool-metadata.js'

/** What a definition of any kind is made from. */
export interface DefinitionInit {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly icons?: readonly ToolIcon[]
  readonly meta?: Readonly<Record<string, unknown>>
  readonly metadata?: ToolMetadataInit
  readonly interceptors: readonly ToolInterceptor[]
}

/**
 * A frozen copy of the parts that are for the runtime, as far as they are there. Metadata adds to what was said `before`:
 * who changes the owner of a definition must not open it to everybody.
 */
export function frozenRuntimeParts(
  { metadata, interceptors }: Partial<DefinitionInit>,
  before: Partial<DefinitionInit>,
): Pick<Partial<DefinitionInit>, 'metadata' | 'interceptors'> {
  return {
    ...(metadata !== undefined && {
      metadata: Object.freeze({ ...before.metadata, ...metadataInit(metadata) }),
    }),
    ...(interceptors !== undefined && { interceptors: Object.freeze([...interceptors]) }),
  }
}

/** The metadata of what is only looked at: it changes nothing, unless its author says so. */
export function metadataOfReading(init: ToolMetadataInit = {}): ToolMetadata {
  return toolMetadata({ ...init, readOnly: init.readOnly ?? true })
}

/** What is wrong with the parts that all kinds have, but for the name, for which each has a rule of its own. */
export function commonFaults(init: Partial<DefinitionInit>): DefinitionFault[] {
  return [
    ...(['title', 'description'] as const).flatMap((field) => typeFaults(field, init[field], 'string')),
    ...iconFaults(init.icons),
    ...(init.meta === undefined || isObject(init.meta) ? [] : [mustBe('meta', 'an object', init.meta)]),
    ...interceptorFaults(init.interceptors),
  ]
}

/** The rule for the names of resources and prompts, for which MCP has none: a line of text. */
export function lineFaults(name: unknown): DefinitionFault[] {
  if (typeof name === 'string' && /^(?!\s)[^\p{Cc}\p{Surrogate}]{1,128}(?<!\s)$/u.test(name)) return []
  const given = typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : describe(name)
  return [
    {
      path: 'name',
      message: `must be 1 to 128 characters on one line, without space around them (got ${given})`,
    },
  ]
}

/** MCP: `inputSchema` must be an object schema at its root. */
export function rootFaults(parameters: JsonSchema | undefined, what: string): DefinitionFault[] {
  if (parameters?.document.type === 'object') return []
  return [{ path: 'inputSchema/type', message: `must be "object": ${what} takes named arguments` }]
}

/** A missing value is none of a wrong type. */
export function typeFaults(path: string, value: unknown, type: 'string' | 'boolean'): DefinitionFault[] {
  return value === undefined || typeof value === type ? [] : [mustBe(path, `a ${type}`, value)]
}

export function mustBe(path: string, what: string, value: unknown): DefinitionFault {
  return { path, message: `must be ${what} (got ${describe(value)})` }
}

function iconFaults(icons: unknown = []): DefinitionFault[] {
  if (!Array.isArray(icons)) return [mustBe('icons', 'a list', icons)]
  return icons.flatMap((icon: unknown, index) =>
    isObject(icon) && typeof icon.src === 'string'
      ? []
      : [mustBe(`icons/${index}`, 'an object with a string as src', icon)],
  )
}

/** An interceptor that was not injected, or a class in place of its instance, would leave the definition unguarded. */
function interceptorFaults(interceptors: readonly unknown[] = []): DefinitionFault[] {
  return interceptors.flatMap((interceptor, index) =>
    isObject(interceptor) ? [] : [mustBe(`interceptors/${index}`, 'an object with hooks', interceptor)],
  )
}
