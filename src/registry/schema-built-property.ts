import { copyJson, describe, isObject, type JsonObject, type JsonValue } from './json-value.js'
import { contradiction, defaultViolation } from './schema-contradiction.js'
import { SchemaError } from './schema-error.js'
import { count, finite, positive, regexSource, text } from './schema-keyword.js'
import { countFits, isSameJson, violation } from './schema-violation.js'

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'
type Kind = JsonType | 'union' | 'raw'

const NUMERIC: readonly Kind[] = ['number', 'integer']
const SCALAR: readonly Kind[] = ['string', 'number', 'integer', 'boolean']
const VALUED: readonly Kind[] = [...SCALAR, 'array', 'object', 'union', 'raw']
const ANNOTATIONS = ['title', 'description', 'deprecated', 'writeOnly', 'default', 'examples']

/**
 * What every `SchemaProperty` is at run time: all steps, each of which refuses the types it does not fit, so that
 * JavaScript gets the same answer that the interfaces give TypeScript at compile time.
 */
export class BuiltProperty {
  readonly document: JsonObject
  readonly #kind: Kind

  private constructor(kind: Kind, document: JsonObject) {
    this.document = document
    this.#kind = kind
    Object.freeze(this)
  }

  static ofType(type: JsonType): BuiltProperty {
    return new BuiltProperty(type, Object.freeze({ type }))
  }

  static ofObject(document: JsonObject): BuiltProperty {
    return new BuiltProperty('object', copyDocument(document, 'object'))
  }

  static ofUnion(keyword: 'anyOf' | 'oneOf', branches: readonly unknown[]): BuiltProperty {
    if (branches.length === 0) throw new SchemaError(`${keyword} needs at least one schema`)
    const documents = branches.map((branch, index) => propertyDocument(branch, `/${keyword}/${index}`))
    return new BuiltProperty('union', copyDocument({ [keyword]: documents }, keyword))
  }

  static ofRaw(source: unknown): BuiltProperty {
    const document = copyDocument(source, 'raw')
    const problem = defaultViolation(document)
    if (problem !== undefined) throw new SchemaError(`raw: ${problem}`, '/default')
    return new BuiltProperty('raw', document)
  }

  withTitle(title: unknown): BuiltProperty {
    return this.#with('withTitle', { title: text(title, 'withTitle') })
  }

  withDescription(description: unknown): BuiltProperty {
    return this.#with('withDescription', { description: text(description, 'withDescription') })
  }

  withDeprecated(): BuiltProperty {
    return this.#with('withDeprecated', { deprecated: true })
  }

  withWriteOnly(): BuiltProperty {
    return this.#with('withWriteOnly', { writeOnly: true })
  }

  withEnum(...items: readonly unknown[]): BuiltProperty {
    this.#mustBe('withEnum', ['string', ...NUMERIC])
    if (items.length === 0) throw new SchemaError('withEnum: at least one value is needed')
    return this.#narrowed('withEnum', items)
  }

  withConst(constant: unknown): BuiltProperty {
    this.#mustBe('withConst', SCALAR)
    if (constant === null) throw new SchemaError('withConst: for null alone use SchemaProperty.NULL')
    // A constant beside null is an enum of two: `const` would keep null out.
    if (this.#isNullable) return this.#narrowed('withConst', [constant])
    return this.#with('withConst', { const: constant }, SCALAR)
  }

  withDefault(value: unknown): BuiltProperty {
    if (value === undefined)
      throw new SchemaError('withDefault: undefined is no JSON value; leave the step out')
    return this.#with('withDefault', { default: value }, VALUED)
  }

  withExamples(...examples: readonly unknown[]): BuiltProperty {
    return this.#with('withExamples', { examples }, VALUED)
  }

  withMinLength(length: unknown): BuiltProperty {
    return this.#with('withMinLength', { minLength: count(length, 'withMinLength') }, ['string'])
  }

  withMaxLength(length: unknown): BuiltProperty {
    return this.#with('withMaxLength', { maxLength: count(length, 'withMaxLength') }, ['string'])
  }

  withPattern(pattern: unknown): BuiltProperty {
    return this.#with('withPattern', { pattern: regexSource(pattern, 'withPattern') }, ['string'])
  }

  withFormat(format: unknown): BuiltProperty {
    return this.#with('withFormat', { format: text(format, 'withFormat') }, ['string'])
  }

  withMinimum(minimum: unknown): BuiltProperty {
    return this.#with('withMinimum', { minimum: finite(minimum, 'withMinimum') }, NUMERIC)
  }

  withMaximum(maximum: unknown): BuiltProperty {
    return this.#with('withMaximum', { maximum: finite(maximum, 'withMaximum') }, NUMERIC)
  }

  withExclusiveMinimum(minimum: unknown): BuiltProperty {
    const exclusiveMinimum = finite(minimum, 'withExclusiveMinimum')
    return this.#with('withExclusiveMinimum', { exclusiveMinimum }, NUMERIC)
  }

  withExclusiveMaximum(maximum: unknown): BuiltProperty {
    const exclusiveMaximum = finite(maximum, 'withExclusiveMaximum')
    return this.#with('withExclusiveMaximum', { exclusiveMaximum }, NUMERIC)
  }

  withMultipleOf(factor: unknown): BuiltProperty {
    return this.#with('withMultipleOf', { multipleOf: positive(factor, 'withMultipleOf') }, NUMERIC)
  }

  withItems(items: unknown): BuiltProperty {
    return this.#with('withItems', { items: propertyDocument(items, '/items') }, ['array'])
  }

  withMinItems(items: unknown): BuiltProperty {
    return this.#with('withMinItems', { minItems: count(items, 'withMinItems') }, ['array'])
  }

  withMaxItems(items: unknown): BuiltProperty {
    return this.#with('withMaxItems', { maxItems: count(items, 'withMaxItems') }, ['array'])
  }

  withUniqueItems(): BuiltProperty {
    return this.#with('withUniqueItems', { uniqueItems: true }, ['array'])
  }

  nullable(): BuiltProperty {
    this.#mustBe('nullable', VALUED)
    if (this.#kind === 'union') return this.#nullableUnion()
    if (this.#kind === 'raw') return this.#nullableRaw()
    if (this.#isNullable) return this
    const { type: _, const: constant, enum: items, ...rest } = this.document
    const allowed = constant === undefined ? items : [constant]
    return this.#replaced('nullable', {
      type: [this.#kind, 'null'],
      ...(Array.isArray(allowed) && { enum: [...allowed, null] }),
      ...rest,
    })
  }

  get #isNullable(): boolean {
    return Array.isArray(this.document.type)
  }

  #nullableUnion(): BuiltProperty {
    const keyword = Array.isArray(this.document.anyOf) ? 'anyOf' : 'oneOf'
    const branches = this.document[keyword] as readonly JsonValue[]
    const accepting = countFits(null, branches)
    if (keyword === 'oneOf' && accepting > 1)
      throw new SchemaError('nullable: several schemas of oneOf take null')
    if (accepting > 0) return this
    return this.#replaced('nullable', { ...this.document, [keyword]: [...branches, { type: 'null' }] })
  }

  // What the raw schema says is not taken apart; annotations, the default above all, work at the top only.
  #nullableRaw(): BuiltProperty {
    const members = Object.entries(this.document)
    const annotations = members.filter(([name]) => ANNOTATIONS.includes(name))
    const rest = Object.fromEntries(members.filter(([name]) => !ANNOTATIONS.includes(name)))
    return this.#replaced('nullable', { anyOf: [rest, { type: 'null' }], ...Object.fromEntries(annotations) })
  }

  /** Narrows to `items`, each of which must have been allowed before; null stays allowed where it was. */
  #narrowed(step: string, source: readonly unknown[]): BuiltProperty {
    const items = copyJson(source, step) as readonly JsonValue[]
    for (const item of items) {
      const problem = violation(item, this.document)
      if (problem !== undefined) throw new SchemaError(`${step}: ${JSON.stringify(item)} ${problem}`)
    }
    const all = this.#isNullable ? [...items, null] : items
    return this.#with(step, {
      enum: all.filter((item, index) => all.findIndex((each) => isSameJson(each, item)) === index),
    })
  }

  #with(step: string, keywords: Readonly<Record<string, unknown>>, kinds?: readonly Kind[]): BuiltProperty {
    if (kinds !== undefined) this.#mustBe(step, kinds)
    return this.#replaced(step, { ...this.document, ...keywords })
  }

  #replaced(step: string, source: Readonly<Record<string, unknown>>): BuiltProperty {
    const document = copyDocument(source, step)
    const problem = this.#kind === 'raw' ? defaultViolation(document) : contradiction(document)
    if (problem !== undefined) throw new SchemaError(`${step}: ${problem}`)
    return new BuiltProperty(this.#kind, document)
  }

  #mustBe(step: string, kinds: readonly Kind[]): void {
    if (kinds.includes(this.#kind)) return
    throw new SchemaError(
      `${step} does not fit a property of type ${this.#kind}; it fits ${kinds.join(', ')}`,
    )
  }
}

/** The schema of a property. Throws a `SchemaError` at `pointer` if `property` is not a `SchemaProperty`. */
export function propertyDocument(property: unknown, pointer: string): JsonObject {
  if (property instanceof BuiltProperty) return property.document
  throw new SchemaError(`A SchemaProperty is needed here (got ${describe(property)})`, pointer)
}

function copyDocument(source: unknown, step: string): JsonObject {
  const document = copyJson(source, step)
  if (isObject(document)) return document
  throw new SchemaError(`${step}: a JSON Schema object is needed (got ${describe(document)})`)
}
