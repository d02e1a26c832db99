import { types } from 'node:util'
import { describe, isPlain } from './json-value.js'
import { type ReadContents, ResourceContents } from './resource-contents.js'
import { returnedValue } from './returned-value.js'
import { InvalidResultError, ResourceNotFoundError } from './tool-error.js'

/** More of them are more than 10 million characters of JSON, however short they are. */
const MAX_VALUES = 5_000_000

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
  let refusal: InvalidResultError | undefined
  let values = 0
  try {
    const json: string | undefined = JSON.stringify(value, (_key, member: unknown) => {
      values++
      // The length first: a list without items takes as long as one of nulls.
      if (values + (Array.isArray(member) ? member.length : 0) > MAX_VALUES) refusal = tooLarge(name)
      else if (isLostInJson(member)) refusal = lost(member, name)
      if (refusal !== undefined) throw refusal
      return member
    })
    if (json !== undefined) return json
  } catch (cause) {
    // Of a cycle, of too many levels, or of somebody's toJSON: not for clients.
    throw refusal ?? new InvalidResultError(name, 'it cannot be written as JSON', { kind: 'resource', cause })
  }
  throw lost(value, name)
}

function lost(member: unknown, name: string): InvalidResultError {
  const what = `it holds ${describe(member)}, which JSON cannot carry`
  return new InvalidResultError(name, what, { kind: 'resource' })
}

function tooLarge(name: string): InvalidResultError {
  const what = `it has more than ${MAX_VALUES} values`
  return new InvalidResultError(name, what, { code: 'RESULT_TOO_LARGE', kind: 'resource' })
}

/** What `JSON.stringify` leaves out, or writes as `null` or `{}`: a function, NaN, a Map. Classes of users are fine. */
function isLostInJson(member: unknown): boolean {
  if (typeof member === 'number') return !Number.isFinite(member)
  if (typeof member !== 'object') return ['function', 'symbol', 'bigint'].includes(typeof member)
  if (member === null || isPlain(member)) return false
  return Object.prototype.toString.call(member) !== '[object Object]'
}
