import type { ResourceContents } from '../registry/resource-contents.js'
import type { ResourceDescriptor } from '../registry/resource-descriptor.js'
import { ResourceNotFoundError } from '../registry/tool-error.js'
import { MAX_URI_LENGTH } from '../registry/uri-template.js'
import { MalformedUriError } from '../registry/uri-template-error.js'
import { type InputRequired, isInputRequired } from './call-rounds.js'
import { INVALID_PARAMS, JsonRpcError, membersOf } from './json-rpc.js'
import type { McpCalls } from './mcp-calls.js'
import type { McpRequest } from './mcp-request.js'
import { protocolError } from './protocol-error.js'

/** `resources/read`. Throws a {@link JsonRpcError} for whatever keeps it from being read. */
export async function readResource(
  calls: McpCalls,
  params: unknown,
  request: McpRequest,
): Promise<{ readonly contents: readonly ResourceContents[] } | InputRequired> {
  const uri = uriOf(params, 'resources/read')
  const result = await calls.run({ kind: 'resource', uri }, params, request)
  if (isInputRequired(result)) return result
  if (!result.ok) throw protocolError(result.error, request.era)
  const contents = result.value as readonly ResourceContents[] // what a resource definition gives
  // A hook may have answered in its place: what has no contents is not there (SEP-2164).
  if (contents.length === 0) throw protocolError(new ResourceNotFoundError(uri), request.era)
  return { contents }
}

/**
 * The URI that a client wants to follow. Throws a {@link JsonRpcError} for one that it could not read: whether a resource
 * changes is a secret as well.
 */
export function subscribedUri(calls: McpCalls, params: unknown, request: McpRequest): string {
  const uri = uriOf(params, 'A subscription')
  if (canRead(calls, uri, request)) return uri
  throw protocolError(new ResourceNotFoundError(uri), request.era)
}

/** Whether there is a resource of this URI that the client may see. */
export function canRead(calls: McpCalls, uri: string, request: Pick<McpRequest, 'principal'>): boolean {
  try {
    return calls.runtime.catalog.resource(uri, calls.viewer(request)) !== undefined
  } catch (thrown) {
    if (thrown instanceof MalformedUriError) return false
    throw thrown
  }
}

function uriOf(params: unknown, subject: string): string {
  const { uri } = membersOf(params)
  // Also a refusal names the URI.
  if (typeof uri === 'string' && uri.length <= MAX_URI_LENGTH) return uri
  const wanted = `the URI of a resource, of up to ${MAX_URI_LENGTH} characters`
  throw new JsonRpcError(INVALID_PARAMS, `${subject} needs params.uri, ${wanted}`)
}

/** A resource in `resources/list`, or a template in `resources/templates/list`. */
export function resourceJson(resource: ResourceDescriptor): Readonly<Record<string, unknown>> {
  const { uri, uriTemplate, name, title, description, mimeType, size, annotations, icons, meta } = resource
  return {
    ...(uri === undefined ? { uriTemplate } : { uri }),
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
    ...(annotations !== undefined && { annotations }),
    ...(icons !== undefined && { icons }),
    ...(meta !== undefined && { _meta: meta }),
  }
}
