import { isObject } from '../../registry/json-value.js'
import { DEFINITION_KEYWORDS, type SchemaDialect } from './schema-dialect.js'
import { subschemasOf } from './schema-keyword-shape.js'
import type { ResolvedReferences, SchemaObject } from './schema-references.js'

/**
 * A schema document as the compiler gets it: validation keywords only, no `$id` or anchor, and every reference as `#` or
 * `#/$defs/…`. So foreign ids cannot meet in the compiler, and it cannot resolve a reference differently from the rules.
 */
export interface SchemaForm {
  readonly document: SchemaObject
  /** It names a property that every object inherits, such as `toString`. */
  readonly namesInherited: boolean
  /**
   * It has an `unevaluated…` keyword. Then every branch of `anyOf` and `oneOf`, every `if` and every `contains` is a
   * reference or a boolean: whether a value matches it decides what it evaluates.
   */
  readonly usesUnevaluated: boolean
}

const LEFT_OUT: ReadonlySet<string> = new Set([
  ...DEFINITION_KEYWORDS,
  ...['$id', '$schema', '$anchor', '$dynamicAnchor', '$comment', '$ref', '$dynamicRef', '$vocabulary'],
  ...['title', 'description', 'examples', 'deprecated', 'readOnly', 'contentMediaType', 'contentEncoding'],
])
const NAMING: ReadonlySet<string> = new Set([
  'properties',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
])

/** Properties that one schema of the form checks. */
const PROPERTIES_TOGETHER = 100
/** Keywords inside which a default must not be written: the value need not match what stands there. */
const TENTATIVE: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'not', 'if', 'contains', 'propertyNames'])

/** Keywords whose schema meets any number of members. */
const MEMBER_KEYWORDS: ReadonlySet<string> = new Set([
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'propertyNames'],
])

/** Keywords of which `unevaluated…` must know whether their schemas match. */
const TESTED_KEYWORDS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'if', 'contains'])
const UNEVALUATED: ReadonlySet<string> = new Set(['unevaluatedProperties', 'unevaluatedItems'])

/** What the form is made for. */
export interface SchemaFormOptions {
  readonly dialect: SchemaDialect
  readonly references: ResolvedReferences
  /** The formats that are validated; any other is an annotation. */
  readonly formats: object
  /** Whether defaults are kept, where they may be applied. */
  readonly keepDefaults: boolean
  /**
   * Whether the schema of the members of a list or an object is always a function of its
   * own, whose calls can be counted.
   */
  readonly countsMembers: boolean
}

/** The form of a document that has no fault. */
export function schemaForm(document: SchemaObject, options: SchemaFormOptions): SchemaForm {
  return new FormWriter(document, options).write()
}

/** What a reference of a form (`#` or `#/$defs/…`) leads to. */
export function formTarget(form: SchemaObject, reference: string): unknown {
  if (reference === '#') return form
  return isObject(form.$defs) ? form.$defs[reference.slice('#/$defs/'.length)] : undefined
}

class FormWriter {
  readonly #document: SchemaObject
  readonly #options: SchemaFormOptions
  readonly #targets: ReadonlySet<unknown>
  /** The definitions of each target: one that keeps its defaults and one that does not. */
  readonly #names = { kept: new Map<unknown, string>(), dropped: new Map<unknown, string>() }
  readonly #pending: (() => void)[] = []
  readonly #definitions: Record<string, SchemaObject> = {}
  readonly #usesUnevaluated: boolean
  #count = 0
  #namesInherited = false

  constructor(document: SchemaObject, options: SchemaFormOptions) {
    this.#document = document
    this.#options = options
    this.#usesUnevaluated = options.dialect.name === '2020-12' && namesUnevaluated(document)
    this.#targets = new Set(
      [...options.references.values()].flatMap(({ $ref, $dynamicRef }) => [$ref, $dynamicRef]),
    )
    this.#names[options.keepDefaults ? 'kept' : 'dropped'].set(document, '#')
  }

  write(): SchemaForm {
    const root = this.#copyObject(this.#document, this.#options.keepDefaults)
    for (const define of this.#pending) define()
    return {
      document: this.#count === 0 ? root : { ...root, $defs: this.#definitions },
      namesInherited: this.#namesInherited,
      usesUnevaluated: this.#usesUnevaluated,
    }
  }

  #copy(schema: unknown, keep: boolean, isOwnFunction = false): unknown {
    if (!isObject(schema)) return schema
    if (!isOwnFunction && !this.#targets.has(schema)) return this.#copyObject(schema, keep)
    return { $ref: this.#nameOf(schema, keep), ...defaultOf(schema, keep) }
  }

  #nameOf(target: SchemaObject, keep: boolean): string {
    const names = this.#names[keep ? 'kept' : 'dropped']
    const known = names.get(target)
    if (known !== undefined) return known
    const key = String(this.#count++)
    names.set(target, `#/$defs/${key}`)
    // Later, not here: a target may refer to itself.
    this.#pending.push(() => {
      this.#definitions[key] = this.#copyObject(target, keep)
    })
    return `#/$defs/${key}`
  }

  #copyObject(schema: SchemaObject, keep: boolean): SchemaObject {
    const { dialect, references } = this.#options
    const { $ref, $dynamicRef } = references.get(schema) ?? {}
    const reference = isObject($ref) ? { $ref: this.#nameOf($ref, keep) } : {}
    const referred = [isObject($ref) ? undefined : $ref, $dynamicRef]
    const parts = referred.filter((target) => target !== undefined).map((target) => this.#copy(target, keep))
    // In draft-07 whatever stands beside a `$ref` is ignored; a default is none of the target's business.
    if ($ref !== undefined && dialect.name === 'draft-07') {
      return { ...reference, ...(parts.length > 0 && { allOf: parts }), ...defaultOf(schema, keep) }
    }
    const copied: Record<string, unknown> = { ...reference }
    for (const [keyword, value] of Object.entries(schema)) {
      if (!this.#isKept(keyword, value, keep)) continue
      this.#note(keyword, value)
      copied[keyword] = this.#copyKeyword(keyword, value, keep && !TENTATIVE.has(keyword))
    }
    parts.push(...splitProperties(copied))
    if (parts.length > 0) copied.allOf = [...parts, ...((copied.allOf as unknown[] | undefined) ?? [])]
    return copied
  }

  #isKept(keyword: string, value: unknown, keep: boolean): boolean {
    if (LEFT_OUT.has(keyword) || !this.#options.dialect.keywords.has(keyword)) return false
    if (keyword === 'format') return Object.hasOwn(this.#options.formats, String(value))
    return keyword !== 'default' || keep
  }

  #copyKeyword(keyword: string, value: unknown, keep: boolean): unknown {
    const parts = subschemasOf(this.#options.dialect.keywords.get(keyword), value)
    const countsMembers = this.#options.countsMembers || this.#usesUnevaluated
    const isOwnFunction =
      (countsMembers && MEMBER_KEYWORDS.has(keyword)) ||
      (this.#usesUnevaluated && TESTED_KEYWORDS.has(keyword))
    const copies = parts.map(({ schema }) => this.#copy(schema, keep, isOwnFunction))
    if (parts[0]?.name === undefined) return parts.length === 0 ? value : copies[0]
    if (Array.isArray(value)) return copies
    return { ...Object(value), ...Object.fromEntries(parts.map(({ name }, index) => [name, copies[index]])) }
  }

  #note(keyword: string, value: unknown): void {
    if (keyword === 'required' || NAMING.has(keyword)) {
      const names = Array.isArray(value) ? value : Object.entries(Object(value)).flat(2)
      this.#namesInherited ||= names.some((name) => typeof name === 'string' && name in Object.prototype)
    }
  }
}

/** Whether one of the keywords stands anywhere; also as the name of something else, which costs some speed only. */
function namesUnevaluated(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, member]) => UNEVALUATED.has(name) || namesUnevaluated(member))
}

function defaultOf(schema: SchemaObject, keep: boolean): SchemaObject {
  return keep && 'default' in schema ? { default: schema.default } : {}
}

/** Ajv nests the check of each property in that of the one before: thousands of them would overflow the stack. */
function splitProperties(copied: Record<string, unknown>): readonly SchemaObject[] {
  const properties = Object.entries(Object(copied.properties))
  if (properties.length <= PROPERTIES_TOGETHER) return []
  // The names stay for `additionalProperties`, the defaults because they come before `required`.
  copied.properties = Object.fromEntries(
    properties.map(([name, schema]) => [
      name,
      isObject(schema) && 'default' in schema ? { default: schema.default } : true,
    ]),
  )
  return Array.from({ length: Math.ceil(properties.length / PROPERTIES_TOGETHER) }, (_, index) => ({
    properties: Object.fromEntries(
      properties.slice(index * PROPERTIES_TOGETHER, (index + 1) * PROPERTIES_TOGETHER),
    ),
  }))
}
