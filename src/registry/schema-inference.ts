/** What callers pass, what executors see, and the default's type (`never` without one) of a property. */
export interface PropertyTypes<Input, Output, Default> {
  readonly input: Input
  readonly output: Output
  readonly default: Default
}

/** Whatever carries the types of a property. `~types` exists for the compiler alone and is never set. */
export interface Typed<Types = PropertyTypes<unknown, unknown, unknown>> {
  readonly '~types': Types
}

/** Properties by name. */
export interface PropertyShape {
  readonly [name: string]: Typed
}

/** What callers pass for one property. */
export type InputOf<Property extends Typed> = Property['~types']['input']

/** What executors see of one property. */
export type OutputOf<Property extends Typed> = Property['~types']['output']

/** Arguments by name of which nothing is known. */
export interface UntypedArguments {
  readonly [name: string]: unknown
}

/** The arguments of a tool without parameters. */
export interface NoArguments {
  readonly [name: string]: never
}

/**
 * What callers pass for an object: a name may be left out unless it is required and has no default. `Open` adds names
 * that the schema does not know.
 */
export type ObjectInput<Shape, Required, Open extends boolean = false> = keyof Shape extends never
  ? Unlisted<Open>
  : Members<Shape, 'input', DemandedNames<Shape, Required>, Open> extends infer Object
    ? { [Name in keyof Object]: Object[Name] }
    : never

/** What executors see of an object: a name may be missing unless it is required or has a default. */
export type ObjectOutput<Shape, Required, Open extends boolean = false> = keyof Shape extends never
  ? Unlisted<Open>
  : Members<Shape, 'output', PresentNames<Shape, Required>, Open> extends infer Object
    ? { [Name in keyof Object]: Object[Name] }
    : never

// Intersections are written out once, above: flattening at each step of a chain costs exponentially (TS2589), and an
// alias for it would be what an editor shows in place of the object.
type Members<Shape, Part extends 'input' | 'output', Certain, Open extends boolean> = {
  readonly [Name in keyof Shape as Name extends Certain ? Name : never]: Member<Shape[Name], Part>
} & {
  readonly [Name in keyof Shape as Name extends Certain ? never : Name]?: Member<Shape[Name], Part>
} & (Open extends true ? UntypedArguments : unknown)

type Unlisted<Open extends boolean> = Open extends true ? UntypedArguments : NoArguments

type DemandedNames<Shape, Required> = {
  [Name in keyof Shape]: Name extends Required ? (HasDefault<Shape[Name]> extends true ? never : Name) : never
}[keyof Shape]

type PresentNames<Shape, Required> = {
  [Name in keyof Shape]: Name extends Required ? Name : HasDefault<Shape[Name]> extends true ? Name : never
}[keyof Shape]

// A property of which only `SchemaProperty` is known has the default type unknown: it cannot be counted on.
type HasDefault<Property> = [Member<Property, 'default'>] extends [never]
  ? false
  : unknown extends Member<Property, 'default'>
    ? false
    : true

type Member<Property, Part extends 'input' | 'output' | 'default'> = Property extends Typed
  ? Property['~types'][Part]
  : never
