import { absoluteUriFault } from './absolute-uri.js'
import { base64Fault } from './base64.js'
import { contentAnnotationFaults } from './content-annotations.js'
import { mustBe } from './definition-init.js'
import { isObject } from './json-value.js'
import { isMimeType } from './mime-type.js'
import type { DefinitionFault } from './tool-definition-error.js'

type Check = (value: unknown, path: string) => readonly DefinitionFault[]
type Fields = Readonly<Record<string, Check>>

/**
 * What is wrong with a block of MCP content that stands at the path `at`. One invalid block makes clients throw the whole
 * answer away.
 */
export function contentFaults(block: unknown, at = ''): readonly DefinitionFault[] {
  if (!isObject(block)) return [mustBe(at, 'a block of content, such as Content.text(…)', block)]
  const { type } = block
  const fields = typeof type === 'string' && Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined
  if (fields === undefined)
    return [mustBe(below(at, 'type'), `one of ${Object.keys(BLOCKS).join(', ')}`, type)]
  return fieldFaults({ ...fields, ...COMMON }, block, at)
}

/** What is wrong with the contents of a resource, as they stand in a block or in the answer of a reader. */
export function resourceContentsFaults(contents: unknown, at = ''): readonly DefinitionFault[] {
  if (!isObject(contents)) return [mustBe(at, 'an object with uri and text or blob', contents)]
  const has = ['text', 'blob'].filter((field) => contents[field] !== undefined)
  return [
    ...(has.length === 1 ? [] : [{ path: at, message: 'must have either text or blob' }]),
    ...fieldFaults(CONTENTS, contents, at),
  ]
}

/** Throws a `TypeError` that begins with `step` for the first fault. */
export function requireFaultless(step: string, [fault]: readonly DefinitionFault[]): void {
  if (fault === undefined) return
  throw new TypeError(`${step}: ${fault.path === '' ? '' : `${fault.path} `}${fault.message}`)
}

function fieldFaults(
  fields: Fields,
  object: Readonly<Record<string, unknown>>,
  at: string,
): readonly DefinitionFault[] {
  return Object.entries(fields).flatMap(([field, check]) => check(object[field], below(at, field)))
}

function below(at: string, field: string): string {
  return at === '' ? field : `${at}/${field}`
}

const text: Check = (value, path) => (typeof value === 'string' ? [] : [mustBe(path, 'a string', value)])

const filled: Check = (value, path) =>
  typeof value === 'string' && value !== '' ? [] : [mustBe(path, 'a string that is not empty', value)]

const object: Check = (value, path) => (isObject(value) ? [] : [mustBe(path, 'an object', value)])

const size: Check = (value, path) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? [] : [mustBe(path, 'a whole number of bytes', value)]

const list: Check = (value, path) => (Array.isArray(value) ? [] : [mustBe(path, 'a list', value)])

const base64: Check = (value, path) => sentence(path, value, base64Fault)

const uri: Check = (value, path) => sentence(path, value, absoluteUriFault)

function mimeType(example: string, top = ''): Check {
  return (value, path) => {
    if (typeof value !== 'string') return [mustBe(path, `a MIME type such as ${example}`, value)]
    if (isMimeType(value) && value.startsWith(top)) return []
    return [
      { path, message: `must be a MIME type such as ${example} (got ${JSON.stringify(value.slice(0, 80))})` },
    ]
  }
}

function optional(check: Check): Check {
  return (value, path) => (value === undefined ? [] : check(value, path))
}

function sentence(path: string, value: unknown, faultOf: (text: string) => string | undefined) {
  if (typeof value !== 'string') return [mustBe(path, 'a string', value)]
  const message = faultOf(value)
  return message === undefined ? [] : [{ path, message }]
}

const COMMON: Fields = { annotations: contentAnnotationFaults, _meta: optional(object) }

const CONTENTS: Fields = {
  uri,
  mimeType: optional(mimeType('text/plain')),
  text: optional(text),
  blob: optional(base64),
  _meta: optional(object),
}

/** By type; the fields of MCP's `ContentBlock`. */
const BLOCKS: Readonly<Record<string, Fields>> = {
  text: { text },
  image: { data: base64, mimeType: mimeType('image/png', 'image/') },
  audio: { data: base64, mimeType: mimeType('audio/wav', 'audio/') },
  resource_link: {
    uri,
    name: filled,
    title: optional(text),
    description: optional(text),
    mimeType: optional(mimeType('text/plain')),
    size: optional(size),
    icons: optional(list),
  },
  resource: { resource: resourceContentsFaults },
}
