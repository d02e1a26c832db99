import { absoluteUriFault, hasScheme } from './absolute-uri.js'
import type { Completers } from './completion.js'
import { type ContentAnnotations, contentAnnotationFaults } from './content-annotations.js'
import {
  commonFaults,
  type DefinitionInit,
  frozenRuntimeParts,
  lineFaults,
  mustBe,
  rootFaults,
} from './definition-init.js'
import { JsonSchema } from './json-schema.js'
import { frozenCopy, isObject, type JsonObject, setMember } from './json-value.js'
import { isMimeType } from './mime-type.js'
import { quoteName } from './quoted-name.js'
import type { DefinitionFault } from './tool-definition-error.js'
import { UriTemplate } from './uri-template.js'
import { UriTemplateError } from './uri-template-error.js'

/** What a resource definition is made from; the builder collects it. */
export interface ResourceDefinitionInit extends DefinitionInit {
  /** Either this or `uriTemplate`. */
  readonly uri?: string
  readonly uriTemplate?: string
  readonly mimeType?: string
  /** In bytes, before base64. */
  readonly size?: number
  readonly annotations?: ContentAnnotations
  /** Of the variables of the template. Default: all are strings. */
  readonly parameters?: JsonSchema
  readonly completers?: Completers
}

/** The parts that a derived definition may change. */
export type ResourceDefinitionChanges = Partial<
  Omit<ResourceDefinitionInit, 'uriTemplate' | 'parameters' | 'completers'>
>

type ProtocolParts = Omit<ResourceDefinitionChanges, 'metadata' | 'interceptors'>

/** A deeply frozen copy of what the resource says about itself. What is not there is left out, not set to `undefined`. */
export function resourceParts(init: ResourceDefinitionChanges): ProtocolParts {
  const { name, title, description, uri, mimeType, size, annotations, icons, meta } = init
  const parts = { name, title, description, uri, mimeType, size, annotations, icons, meta }
  return frozenCopy(parts, 'A resource definition') as ProtocolParts
}

/** A frozen copy of the changes to `init`: what their author does to an object later changes no definition. */
export function frozenResourceChanges(
  changes: ResourceDefinitionChanges,
  init: Partial<ResourceDefinitionInit>,
): ResourceDefinitionChanges {
  return { ...resourceParts(changes), ...frozenRuntimeParts(changes, init) }
}

/** The schema of the variables of a template: strings, of which those of the query may be missing. */
export function parametersOf(template: UriTemplate | undefined): JsonSchema {
  if (template === undefined) return JsonSchema.empty()
  const properties: Record<string, JsonObject> = {}
  for (const { name } of template.variables) setMember(properties, name, { type: 'string' })
  const required = template.variables.filter((variable) => variable.required).map(({ name }) => name)
  return JsonSchema.from({
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  })
}

/** All that keeps a resource from being listed and read. */
export function resourceFaults(init: Partial<ResourceDefinitionInit>): DefinitionFault[] {
  const template = parsed(init.uriTemplate)
  const variables = template instanceof UriTemplate ? template.variables.map(({ name }) => name) : []
  return [
    ...lineFaults(init.name),
    ...commonFaults(init),
    ...addressFaults(init, template),
    ...(init.mimeType === undefined || (typeof init.mimeType === 'string' && isMimeType(init.mimeType))
      ? []
      : [mustBe('mimeType', 'a MIME type such as text/plain', init.mimeType)]),
    ...sizeFaults(init),
    ...contentAnnotationFaults(init.annotations),
    ...(template instanceof UriTemplateError ? [] : variableFaults(init, variables)),
  ]
}

function parsed(text: string | undefined): UriTemplate | UriTemplateError | undefined {
  if (text === undefined) return undefined
  try {
    return UriTemplate.parse(text)
  } catch (error) {
    if (error instanceof UriTemplateError) return error
    throw error
  }
}

function addressFaults(
  { uri, uriTemplate }: Partial<ResourceDefinitionInit>,
  template: UriTemplate | UriTemplateError | undefined,
): DefinitionFault[] {
  if (uri === undefined && uriTemplate === undefined) {
    return [
      { path: 'uri', message: "is missing: add .uri('docs://readme') or .uriTemplate('docs://{name}')" },
    ]
  }
  const both = 'excludes uriTemplate: a resource has one address, or a template for many'
  return [
    ...(uri !== undefined && uriTemplate !== undefined ? [{ path: 'uri', message: both }] : []),
    ...(uri === undefined ? [] : uriFaults(uri)),
    ...(template === undefined ? [] : templateFaults(template)),
  ]
}

function uriFaults(uri: unknown): DefinitionFault[] {
  if (typeof uri !== 'string') return [mustBe('uri', 'a string', uri)]
  const message = absoluteUriFault(uri)
  return message === undefined ? [] : [{ path: 'uri', message: `${message} (got ${quoteName(uri)})` }]
}

function templateFaults(template: UriTemplate | UriTemplateError): DefinitionFault[] {
  if (template instanceof UriTemplateError) return [{ path: 'uriTemplate', message: template.message }]
  if (!hasScheme(template.text)) {
    return [{ path: 'uriTemplate', message: 'must begin with a scheme, such as docs://{name}' }]
  }
  if (template.variables.length > 0) return []
  return [
    { path: 'uriTemplate', message: 'has no variable, such as {name}; use .uri(…) for a single resource' },
  ]
}

function sizeFaults({ size, uriTemplate }: Partial<ResourceDefinitionInit>): DefinitionFault[] {
  if (size === undefined) return []
  if (uriTemplate !== undefined)
    return [{ path: 'size', message: 'is that of one resource: a template has none' }]
  return Number.isSafeInteger(size) && size >= 0 ? [] : [mustBe('size', 'a whole number of bytes', size)]
}

/** The arguments of a read are the variables of the template: no others can be given, and none may be refused unseen. */
function variableFaults(
  { parameters, completers = {} }: Partial<ResourceDefinitionInit>,
  variables: readonly string[],
): DefinitionFault[] {
  const known = `the variables are: ${variables.join(', ') || 'none'}`
  const unknownCompleters = Object.keys(completers).filter((name) => !variables.includes(name))
  return [
    ...unknownCompleters.map((name) => ({
      path: `complete/${name}`,
      message: `completes no variable; ${known}`,
    })),
    ...(parameters === undefined ? [] : schemaFaults(parameters, variables, known)),
  ]
}

function schemaFaults(
  parameters: JsonSchema,
  variables: readonly string[],
  known: string,
): DefinitionFault[] {
  const { properties = {} } = parameters.document
  const names = isObject(properties) ? Object.keys(properties) : []
  const extra = names.filter((name) => !variables.includes(name))
  const missing = variables.filter((name) => !names.includes(name))
  return [
    ...rootFaults(parameters, 'a resource'),
    ...extra.map((name) => ({ path: `inputSchema/properties/${name}`, message: `is no variable; ${known}` })),
    ...missing.map((name) => ({
      path: 'inputSchema/properties',
      message: `lacks the variable ${quoteName(name)}`,
    })),
  ]
}
