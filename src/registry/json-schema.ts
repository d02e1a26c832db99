import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { pointerTo } from './json-pointer.js'
import { copyJson, describe, isObject, type JsonObject, type JsonValue, thawJson } from './json-value.js'
import { SchemaError } from './schema-error.js'
import type {
  InputOf,
  NoArguments,
  ObjectInput,
  ObjectOutput,
  OutputOf,
  PropertyShape,
  PropertyTypes,
  Typed,
  UntypedArguments,
} from './schema-inference.js'
import {
  assembleObject,
  type ObjectOptions,
  objectDocument,
  propertyOf,
  requireKnown,
} from './schema-object.js'
import {
  isStandard,
  type StandardJsonSchema,
  standardDocument,
  standardValidator,
} from './schema-standard.js'

/** A JSON Schema as it is published: plain JSON, deeply frozen. */
export interface JsonSchemaDocument {
  readonly [keyword: string]: JsonValue
}

/** A JSON Schema written by hand or received: any plain object. */
export type RawJsonSchema =
  | { readonly [keyword: string]: unknown }
  | { readonly type?: unknown; readonly properties?: unknown; readonly '~standard'?: never }

/** What can be a parameter schema. */
export type JsonSchemaSource = JsonSchema | StandardJsonSchema | RawJsonSchema

/** What callers pass under a schema. */
export type SchemaInput<Source> = Source extends Typed
  ? InputOf<Source>
  : Source extends StandardJSONSchemaV1
    ? StandardJSONSchemaV1.InferInput<Source>
    : UntypedArguments

/** What executors see under a schema: a describing schema that cannot validate changes nothing on the way. */
export type SchemaOutput<Source> = Source extends Typed
  ? OutputOf<Source>
  : Source extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<Source>
    : SchemaInput<Source>

/**
 * The one value that all parameter schemas become. `Input` is what callers pass, `Output` what executors see: with the
 * defaults filled in.
 */
export class JsonSchema<Input = unknown, Output = unknown>
  implements Typed<PropertyTypes<Input, Output, never>>
{
  declare readonly '~types': PropertyTypes<Input, Output, never>
  /** The schema to publish, word for word: a deeply frozen private copy. */
  readonly document: JsonSchemaDocument
  /** The schema of another library that this one was made from: its `validate()` is then the validation. */
  readonly standard?: StandardSchemaV1<Input, Output>

  private constructor(source: unknown, standard?: StandardSchemaV1<Input, Output>) {
    this.document = copyDocument(source)
    if (standard !== undefined) this.standard = standard
    Object.freeze(this)
  }

  /** A fresh, mutable JSON Schema each time. */
  toMap(): Record<string, unknown> {
    return thawJson(this.document as JsonObject) as Record<string, unknown>
  }

  /** Begins an object schema, to be written property by property. */
  static builder(): JsonSchemaBuilder {
    return new JsonSchemaBuilder()
  }

  /** The record form of `builder()`: the same schema, cheaper for the compiler when it is large. */
  static object<
    Shape extends PropertyShape,
    const Required extends keyof Shape & string = never,
    Open extends boolean = false,
  >(
    properties: Shape,
    options?: ObjectOptions<Required, Open>,
  ): JsonSchema<ObjectInput<Shape, Required, Open>, ObjectOutput<Shape, Required, Open>> {
    return new JsonSchema(objectDocument(properties, options))
  }

  /** The schema of a tool without parameters. */
  static empty(): JsonSchema<NoArguments, NoArguments> {
    return new JsonSchema({ type: 'object', additionalProperties: false })
  }

  /**
   * The schema that `source` is or describes: JSON Schema 2020-12 or draft-07, or a Standard JSON Schema. Copies it: what
   * the owner does to it later changes nothing here. Throws a `SchemaError` with the place where it is not plain JSON.
   */
  static from<const Source extends JsonSchemaSource>(
    source: Source,
  ): JsonSchema<SchemaInput<Source>, SchemaOutput<Source>>
  /** For plain JSON Schema whose types are known: `JsonSchema.from<Order>(schema)`. */
  static from<Input, Output = Input>(source: RawJsonSchema): JsonSchema<Input, Output>
  static from(source: unknown): JsonSchema {
    if (source instanceof JsonSchema) return source
    if (isStandard(source)) return new JsonSchema(standardDocument(source), standardValidator(source))
    return new JsonSchema(source)
  }
}

/**
 * Writes an object schema property by property; each step returns a new builder. `Shape` grows by intersection and is
 * written out once, in `build()`.
 */
export class JsonSchemaBuilder<
  Shape = unknown,
  Required extends string = never,
  Open extends boolean = false,
> {
  readonly #properties: ReadonlyMap<string, JsonObject>
  readonly #required: readonly string[]
  readonly #open: boolean

  /** Begins with the parts of another schema, or with none. */
  constructor(
    properties: ReadonlyMap<string, JsonObject> = new Map(),
    required: readonly string[] = [],
    open = false,
  ) {
    this.#properties = properties
    this.#required = required
    this.#open = open
  }

  /** Adds a property behind the others; its name must be new. It may be left out unless it is required. */
  addProperty<const Name extends string, Property extends Typed>(
    name: NewName<Name, Shape>,
    property: Property,
  ): JsonSchemaBuilder<Shape & { readonly [Each in Name]: Property }, Required, Open> {
    if (typeof name !== 'string')
      throw new SchemaError(`A property name must be a string (got ${describe(name)})`)
    if (this.#properties.has(name)) {
      throw new SchemaError(`Property ${JSON.stringify(name)} exists already`, pointerTo('/properties', name))
    }
    const properties = new Map(this.#properties).set(name, propertyOf(name, property))
    return new JsonSchemaBuilder(properties, this.#required, this.#open)
  }

  /** Makes properties that were added before required. */
  addRequired<const Name extends keyof Shape & string>(
    ...names: readonly Name[]
  ): JsonSchemaBuilder<Shape, Required | Name, Open> {
    for (const name of names) requireKnown(name, this.#properties)
    return new JsonSchemaBuilder(this.#properties, [...this.#required, ...names], this.#open)
  }

  /** Lets names through that the schema does not list; without it they are refused. */
  allowAdditionalProperties(): JsonSchemaBuilder<Shape, Required, true> {
    return new JsonSchemaBuilder(this.#properties, this.#required, true)
  }

  build(): JsonSchema<ObjectInput<Shape, Required, Open>, ObjectOutput<Shape, Required, Open>> {
    const document = assembleObject(this.#properties, this.#required, this.#open)
    return JsonSchema.from<ObjectInput<Shape, Required, Open>, ObjectOutput<Shape, Required, Open>>(document)
  }
}

/** A name that the shape does not hold yet; any string while the names are not known to the compiler. */
type NewName<Name extends string, Shape> = string extends keyof Shape
  ? Name
  : Name extends keyof Shape
    ? { readonly 'exists already': Name }
    : Name

function copyDocument(source: unknown): JsonSchemaDocument {
  const document = copyJson(source, 'A JSON Schema')
  if (!isObject(document)) {
    throw new SchemaError(`A JSON Schema of parameters must be an object (got ${describe(document)})`)
  }
  for (const keyword of ['$schema', '$id']) {
    if (!['string', 'undefined'].includes(typeof document[keyword])) {
      throw new SchemaError(
        `${keyword} must be a string (got ${describe(document[keyword])})`,
        pointerTo('', keyword),
      )
    }
  }
  return document
}
