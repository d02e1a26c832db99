import { pointerTo, segmentsOf } from '../../registry/json-pointer.js'
import { isObject } from '../../registry/json-value.js'
import { shortened } from '../../registry/shortened.js'
import type { SchemaDialect } from './schema-dialect.js'

/** A schema that is not `true` or `false`. */
export type SchemaObject = { readonly [keyword: string]: unknown }

/** Where the `$ref` and the `$dynamicRef` of a schema lead. */
export interface ReferenceTargets {
  readonly $ref?: SchemaObject | boolean
  readonly $dynamicRef?: SchemaObject | boolean
}

/** The targets of every schema that refers to another, by that schema's identity. */
export type ResolvedReferences = ReadonlyMap<object, ReferenceTargets>

/** A schema with an `$id` of its own, or the root: what `#` means inside it. */
export interface SchemaResource {
  readonly id: string
  readonly root: SchemaObject
}

interface Reference {
  readonly from: SchemaObject
  readonly keyword: '$ref' | '$dynamicRef'
  readonly value: string
  readonly path: string
  readonly resource: SchemaResource
}

/** What `$id`s are relative to while the document has no absolute one. */
const NO_BASE = 'document:/'
const ANCHOR = /^[A-Za-z_][-A-Za-z0-9._]*$/

/**
 * The references of one document: told of each schema as it is read, it resolves all of them afterwards (JSON Schema
 * core 2020-12, section 8). Nothing outside the document is ever looked up.
 */
export class SchemaReferences {
  /** The resource of the root, before its own `$id` counts. */
  readonly outermost: SchemaResource
  readonly #dialect: SchemaDialect
  readonly #fault: (path: string, message: string) => void
  readonly #resources = new Map<string, SchemaResource>()
  readonly #anchors = new Map<string, SchemaObject>()
  readonly #dynamicAnchors = new Map<string, number>()
  readonly #noted = new Set<unknown>()
  readonly #references: Reference[] = []

  constructor(
    document: SchemaObject,
    dialect: SchemaDialect,
    fault: (path: string, message: string) => void,
  ) {
    this.outermost = { id: NO_BASE, root: document }
    this.#dialect = dialect
    this.#fault = fault
    this.#resources.set(NO_BASE, this.outermost)
  }

  /** Notes a schema that is about to be read inside `outer`; returns the resource of its own subschemas. */
  note(schema: SchemaObject, path: string, outer: SchemaResource): SchemaResource {
    this.#noted.add(schema)
    const { $id, $anchor, $dynamicAnchor, $ref, $dynamicRef } = schema
    // In draft-07 whatever stands beside a `$ref` is ignored.
    const hasId = typeof $id === 'string' && ($ref === undefined || this.#dialect.name !== 'draft-07')
    const resource = hasId ? this.#identify($id, schema, pointerTo(path, '$id'), outer) : outer
    if (this.#dialect.name === '2020-12') {
      if (typeof $anchor === 'string') this.#anchor($anchor, schema, pointerTo(path, '$anchor'), resource)
      if (typeof $dynamicAnchor === 'string') {
        this.#anchor($dynamicAnchor, schema, pointerTo(path, '$dynamicAnchor'), resource)
        this.#dynamicAnchors.set($dynamicAnchor, (this.#dynamicAnchors.get($dynamicAnchor) ?? 0) + 1)
      }
      if (typeof $dynamicRef === 'string') this.#refer(schema, '$dynamicRef', $dynamicRef, path, resource)
    }
    if (typeof $ref === 'string') this.#refer(schema, '$ref', $ref, path, resource)
    return resource
  }

  /**
   * Resolves everything noted. `read` is given what is referred to but has not been noted, such as
   * a place under a vendor keyword.
   */
  resolve(read: (target: unknown, path: string, resource: SchemaResource) => void): ResolvedReferences {
    const targets = new Map<object, ReferenceTargets>()
    // `read` may note more references, so the list can grow meanwhile.
    for (const reference of this.#references) {
      const target = this.#target(reference)
      if (target === undefined) continue
      targets.set(reference.from, { ...targets.get(reference.from), [reference.keyword]: target })
      if (isObject(target) && !this.#noted.has(target)) {
        read(
          target,
          reference.value.startsWith('#/') ? reference.value.slice(1) : reference.path,
          reference.resource,
        )
      }
    }
    return targets
  }

  #refer(
    from: SchemaObject,
    keyword: Reference['keyword'],
    value: string,
    path: string,
    resource: SchemaResource,
  ): void {
    this.#references.push({ from, keyword, value, path: pointerTo(path, keyword), resource })
  }

  #identify(id: string, schema: SchemaObject, path: string, outer: SchemaResource): SchemaResource {
    const [address = '', fragment = ''] = id.split('#', 2)
    if (fragment !== '' && this.#dialect.name === '2020-12')
      this.#fault(path, '$id must not have a fragment; use $anchor')
    const resource = address === '' ? outer : this.#register(address, schema, path, outer)
    // Before `$anchor` there was `"$id": "#name"`; generators also write `"$id": "#/properties/x"`, which names nothing.
    if (ANCHOR.test(fragment)) this.#anchor(fragment, schema, path, resource)
    return resource
  }

  #register(address: string, schema: SchemaObject, path: string, outer: SchemaResource): SchemaResource {
    const id = absolute(address, outer.id)
    if (id === undefined) {
      this.#fault(path, `$id ${quoted(address)} must be a URI`)
      return outer
    }
    const known = this.#resources.get(id)
    if (known !== undefined && known.root !== schema)
      this.#fault(path, `$id ${quoted(address)} is used twice`)
    const resource = { id, root: schema }
    this.#resources.set(id, resource)
    return resource
  }

  #anchor(name: string, schema: SchemaObject, path: string, resource: SchemaResource): void {
    if (!ANCHOR.test(name)) {
      this.#fault(path, `an anchor must be letters, digits, "-", "_" and ".", and start with a letter or "_"`)
      return
    }
    const key = `${resource.id}#${name}`
    const known = this.#anchors.get(key)
    if (known !== undefined && known !== schema) this.#fault(path, `the anchor ${quoted(name)} is used twice`)
    this.#anchors.set(key, schema)
  }

  #target({ keyword, value, path, resource: from }: Reference): SchemaObject | boolean | undefined {
    const shown = `${keyword} ${quoted(value)}`
    const [address = '', encoded = ''] = value.split('#', 2)
    const id = address === '' ? from.id : absolute(address, from.id)
    const resource = id === undefined ? undefined : this.#resources.get(id)
    if (resource === undefined) {
      this.#fault(path, `${shown} leaves the schema; copy what it refers to under $defs`)
      return undefined
    }
    const fragment = decode(encoded)
    const isPointer = fragment === '' || fragment?.startsWith('/')
    const target =
      fragment === undefined || isPointer
        ? follow(resource.root, fragment)
        : this.#anchors.get(`${resource.id}#${fragment}`)
    if (keyword === '$dynamicRef' && !isPointer && (this.#dynamicAnchors.get(fragment ?? '') ?? 0) > 1) {
      this.#fault(path, `${shown} depends on the way it is reached, which is not supported; use $ref`)
    }
    if (target === undefined) this.#fault(path, `${shown} leads to nothing`)
    else if (!isObject(target) && typeof target !== 'boolean')
      this.#fault(path, `${shown} leads to something that is no schema`)
    else return target
    return undefined
  }
}

/** A reference or a name of a stranger in a message. */
function quoted(text: string): string {
  return JSON.stringify(shortened(text, 80))
}

function absolute(address: string, base: string): string | undefined {
  try {
    return new URL(address, base).href
  } catch {
    return undefined
  }
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return undefined
  }
}

/** What a JSON Pointer leads to; undefined when it leads to nothing. */
function follow(root: unknown, pointer: string | undefined): unknown {
  if (pointer === undefined) return undefined
  return segmentsOf(pointer).reduce<unknown>(
    (place, name) => (isContainer(place) && Object.hasOwn(place, name) ? place[name] : undefined),
    root,
  )
}

function isContainer(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null
}
