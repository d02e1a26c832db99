import { types } from 'node:util'
import { describe, isPlain } from './json-value.js'
import { type ReadContents, ResourceContents } from './resource-contents.js'
import { returnedValue } from './returned-value.js'
import { InvalidResultError, ResourceNotFoundError } from './tool-error.js'

/** What is known of a resource when it is read. */
export interface ReadResource {
  readonly name: string
  /** The URI that was asked for. */
  readonly uri: string
  readonly mimeType: string | undefined
}

/**
 * What a reader returned, as MCP's list of contents. Throws a `ResourceNotFoundError` for `undefined`, and an
 * `InvalidResultError` for what is neither contents nor JSON.
 */
export function contentsOf(returned: unknown, resource: ReadResource): readonly ResourceContents[] {
  const value = returnedValue(returned)
  if (value === undefined) throw new ResourceNotFoundError(resource.uri, { outcome: 'completed' })
  return Object.freeze(partsOf(value, resource).map((part) => onTheWire(part, resource)))
}

function partsOf(value: unknown, { name, mimeType }: ReadResource): readonly ReadContents[] {
  if (ResourceContents.is(value)) return [value]
  if (typeof value === 'string') return [ResourceContents.text(value)]
  if (types.isUint8Array(value)) return [ResourceContents.blob(value)]
  if (Array.isArray(value) && value.some(ResourceContents.is)) return requireAll(value, name)
  return [ResourceContents.text(jsonOf(value, name), { mimeType: mimeType ?? 'application/json' })]
}

/** A list is either contents or JSON: of a mixed one half would come out in a way that nobody meant. */
function requireAll(list: readonly unknown[], name: string): readonly ReadContents[] {
  const wrong = list.findIndex((item) => !ResourceContents.is(item))
  if (wrong === -1) return list as readonly ReadContents[]
  const what = `${wrong} of a list of contents is ${describe(list[wrong])}; make all of them with ResourceContents`
  throw new InvalidResultError(name, what, { kind: 'resource' })
}

function onTheWire(part: ReadContents, resource: ReadResource): ResourceContents {
  const { text, blob, meta } = part
  const mimeType = part.mimeType ?? (part.uri === undefined ? resource.mimeType : undefined)
  return Object.freeze({
    uri: part.uri ?? resource.uri,
    ...(mimeType !== undefined && { mimeType }),
    ...(blob === undefined ? { text: text ?? '' } : { blob }),
    ...(meta !== undefined && { _meta: meta }),
  })
}

function jsonOf(value: unknown, name: string): string {
  let lost: string | undefined
  try {
    const json: string | undefined = JSON.stringify(value, (_key, member: unknown) => {
      if (isLostInJson(member)) lost ??= describe(member)
      return lost === undefined ? member : undefined
    })
    if (json !== undefined && lost === undefined) return json
  } catch (cause) {
    // Of a cycle, of too many levels, or of somebody's toJSON: not for clients.
    throw new InvalidResultError(name, 'it cannot be written as JSON', { kind: 'resource', cause })
  }
  throw new InvalidResultError(name, `it holds ${lost ?? describe(value)}, which JSON cannot carry`, {
    kind: 'resource',
  })
}

/** What `JSON.stringify` leaves out, or writes as `null` or `{}`: a function, NaN, a Map. Classes of users are fine. */
function isLostInJson(member: unknown): boolean {
  if (typeof member === 'number') return !Number.isFinite(member)
  if (typeof member !== 'object') return ['function', 'symbol', 'bigint'].includes(typeof member)
  if (member === null || isPlain(member)) return false
  return Object.prototype.toString.call(member) !== '[object Object]'
}
