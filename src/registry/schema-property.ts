import { isPlain, type JsonObject } from './json-value.js'
import { BuiltProperty } from './schema-built-property.js'
import type {
  InputOf,
  ObjectInput,
  ObjectOutput,
  OutputOf,
  PropertyShape,
  PropertyTypes,
  Typed,
} from './schema-inference.js'
import { nestedDocument, type ObjectOptions, objectDocument } from './schema-object.js'

/**
 * One parameter's schema with the types it stands for. Immutable: each step returns a new property, so one can be
 * reused for several parameters. Steps that make no sense throw a `SchemaError` at once.
 */
export interface SchemaProperty<Input = unknown, Output = Input, Default = unknown>
  extends Typed<PropertyTypes<Input, Output, Default>> {
  /** The JSON Schema, deeply frozen. */
  readonly document: JsonObject
  withTitle(title: string): this
  /** What the model reads to fill the parameter. */
  withDescription(description: string): this
  withDeprecated(): this
  withWriteOnly(): this
}

/** A string; with `withEnum`, one of the strings listed. */
export interface StringProperty<Value extends string | null = string, Default = never>
  extends SchemaProperty<Value, Value, Default> {
  withEnum<const Item extends Value>(
    this: Keeps<Default, Item | Extract<Value, null>>,
    ...items: readonly Item[]
  ): StringProperty<Item | Extract<Value, null>, Default>
  withConst<const Constant extends NonNullable<Value>>(
    this: Keeps<Default, Constant | Extract<Value, null>>,
    constant: Constant,
  ): StringProperty<Constant | Extract<Value, null>, Default>
  /** The value that executors see when the caller sends none. */
  withDefault<const Chosen extends Value>(value: Chosen): StringProperty<Value, Chosen>
  withExamples(...examples: readonly Value[]): this
  /** Shortest length, in Unicode code points. */
  withMinLength(length: number): this
  /** Longest length, in Unicode code points. */
  withMaxLength(length: number): this
  /** An ECMAScript regular expression, not anchored. */
  withPattern(pattern: string): this
  withFormat(format: StringFormat): this
  /** Lets null through as well. A parameter that may be left out need not be nullable. */
  nullable(): StringProperty<Value | null, Default>
}

/** A number or an integer. */
export interface NumberProperty<Value extends number | null = number, Default = never>
  extends SchemaProperty<Value, Value, Default> {
  withEnum<const Item extends Value>(
    this: Keeps<Default, Item | Extract<Value, null>>,
    ...items: readonly Item[]
  ): NumberProperty<Item | Extract<Value, null>, Default>
  withConst<const Constant extends NonNullable<Value>>(
    this: Keeps<Default, Constant | Extract<Value, null>>,
    constant: Constant,
  ): NumberProperty<Constant | Extract<Value, null>, Default>
  /** The value that executors see when the caller sends none. */
  withDefault<const Chosen extends Value>(value: Chosen): NumberProperty<Value, Chosen>
  withExamples(...examples: readonly Value[]): this
  withMinimum(minimum: number): this
  withMaximum(maximum: number): this
  withExclusiveMinimum(minimum: number): this
  withExclusiveMaximum(maximum: number): this
  withMultipleOf(factor: number): this
  /** Lets null through as well. A parameter that may be left out need not be nullable. */
  nullable(): NumberProperty<Value | null, Default>
}

/** True or false. */
export interface BooleanProperty<Value extends boolean | null = boolean, Default = never>
  extends SchemaProperty<Value, Value, Default> {
  withConst<const Constant extends NonNullable<Value>>(
    this: Keeps<Default, Constant | Extract<Value, null>>,
    constant: Constant,
  ): BooleanProperty<Constant | Extract<Value, null>, Default>
  /** The value that executors see when the caller sends none. */
  withDefault<const Chosen extends Value>(value: Chosen): BooleanProperty<Value, Chosen>
  withExamples(...examples: readonly Value[]): this
  /** Lets null through as well. A parameter that may be left out need not be nullable. */
  nullable(): BooleanProperty<Value | null, Default>
}

/** A list. */
export interface ArrayProperty<Input extends readonly unknown[] | null, Output, Default = never>
  extends SchemaProperty<Input, Output, Default> {
  withItems<Items extends SchemaProperty>(
    items: Items,
  ): ArrayProperty<
    readonly InputOf<Items>[] | Extract<Input, null>,
    readonly OutputOf<Items>[] | Extract<Output, null>,
    Default
  >
  withMinItems(count: number): this
  withMaxItems(count: number): this
  withUniqueItems(): this
  /** The value that executors see when the caller sends none. */
  withDefault(value: Input): ArrayProperty<Input, Output, Input>
  withExamples(...examples: readonly Input[]): this
  /** Lets null through as well. A parameter that may be left out need not be nullable. */
  nullable(): ArrayProperty<Input | null, Output | null, Default>
}

/** An object, a union or a raw schema: has only the steps that fit any value. */
export interface ValueProperty<Input, Output = Input, Default = never>
  extends SchemaProperty<Input, Output, Default> {
  /** The value that executors see when the caller sends none. */
  withDefault(value: Input): ValueProperty<Input, Output, Input>
  withExamples(...examples: readonly Input[]): this
  /** Lets null through as well. A parameter that may be left out need not be nullable. */
  nullable(): ValueProperty<Input | null, Output | null, Default>
}

/** The formats that JSON Schema 2020-12 names, and any other as an annotation. */
export type StringFormat =
  | 'date-time'
  | 'date'
  | 'time'
  | 'duration'
  | 'email'
  | 'hostname'
  | 'ipv4'
  | 'ipv6'
  | 'uri'
  | 'uri-reference'
  | 'uuid'
  | 'regex'
  | (string & {})

/** Makes `withEnum` and `withConst` a compile error when they exclude a default given before. */
type Keeps<Default, Value> = [Default] extends [Value]
  ? unknown
  : { readonly 'excludes the default': Default }

/** What `SchemaProperty.object` also takes: a whole `JsonSchema`. */
interface ObjectSchema<Input, Output> extends Typed<PropertyTypes<Input, Output, never>> {
  readonly document: JsonObject
  readonly standard?: unknown
}

/** Where every property begins: constants for the JSON types, functions for what is made of other schemas. */
export interface SchemaProperties {
  readonly STRING: StringProperty
  readonly NUMBER: NumberProperty
  readonly INTEGER: NumberProperty
  readonly BOOLEAN: BooleanProperty
  readonly NULL: SchemaProperty<null, null, never>
  /** A list of anything, until `withItems`. */
  readonly ARRAY: ArrayProperty<readonly unknown[], readonly unknown[]>
  array<Items extends SchemaProperty>(
    items: Items,
  ): ArrayProperty<readonly InputOf<Items>[], readonly OutputOf<Items>[]>
  /** A nested object: other names are refused unless `additionalProperties` is true. */
  object<
    Shape extends PropertyShape,
    const Required extends keyof Shape & string = never,
    Open extends boolean = false,
  >(
    properties: Shape,
    options?: ObjectOptions<Required, Open>,
  ): ValueProperty<ObjectInput<Shape, Required, Open>, ObjectOutput<Shape, Required, Open>>
  /** The object that a whole schema describes; not one with references or with a library's own validation. */
  object<Input, Output>(schema: ObjectSchema<Input, Output>): ValueProperty<Input, Output>
  /** At least one of the schemas. Defaults inside them are not filled in: which one is meant is not known. */
  anyOf<Branches extends readonly [SchemaProperty, ...SchemaProperty[]]>(
    ...branches: Branches
  ): ValueProperty<InputOf<Branches[number]>>
  /** Exactly one of the schemas. Defaults inside them are not filled in. */
  oneOf<Branches extends readonly [SchemaProperty, ...SchemaProperty[]]>(
    ...branches: Branches
  ): ValueProperty<InputOf<Branches[number]>>
  /** Any JSON Schema as it stands, copied; `$ref`s are resolved from the root of the finished schema. */
  raw<Value = unknown>(document: object): ValueProperty<Value>
}

// The steps of `BuiltProperty` are untyped, hence the cast: each interface above is the part that fits its JSON type.
export const SchemaProperty = Object.freeze({
  STRING: BuiltProperty.ofType('string'),
  NUMBER: BuiltProperty.ofType('number'),
  INTEGER: BuiltProperty.ofType('integer'),
  BOOLEAN: BuiltProperty.ofType('boolean'),
  NULL: BuiltProperty.ofType('null'),
  ARRAY: BuiltProperty.ofType('array'),
  array: (items: unknown) => BuiltProperty.ofType('array').withItems(items),
  object: (source: object, options?: ObjectOptions) =>
    BuiltProperty.ofObject(isPlain(source) ? objectDocument(source, options) : nestedDocument(source)),
  anyOf: (...branches: readonly unknown[]) => BuiltProperty.ofUnion('anyOf', branches),
  oneOf: (...branches: readonly unknown[]) => BuiltProperty.ofUnion('oneOf', branches),
  raw: (document: object) => BuiltProperty.ofRaw(document),
}) as unknown as SchemaProperties
