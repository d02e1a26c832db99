import { type Awaitable, andThen } from './awaitable.js'
import { hasBrand } from './brand.js'
import type { CallableDefinition } from './callable-definition.js'
import { type Completer, type Completers, type Completion, complete, withCompleter } from './completion.js'
import type { ContentAnnotations } from './content-annotations.js'
import { DefinitionBuilder, type Unnamed } from './definition-builder.js'
import { metadataOfReading } from './definition-init.js'
import type { ToolIcon } from './descriptor.js'
import { JsonSchema, type JsonSchemaSource, type SchemaInput, type SchemaOutput } from './json-schema.js'
import { describe } from './json-value.js'
import { contentsOf } from './resource-answer.js'
import type { ResourceContents } from './resource-contents.js'
import {
  frozenResourceChanges,
  parametersOf,
  type ResourceDefinitionChanges,
  type ResourceDefinitionInit,
  resourceFaults,
  resourceParts,
} from './resource-definition-init.js'
import type { ResourceDescriptor } from './resource-descriptor.js'
import type { NoArguments } from './schema-inference.js'
import { type DefinitionFault, requireSound, type ToolDefinitionError } from './tool-definition-error.js'
import type { ToolExecutionContext } from './tool-execution-context.js'
import type { ToolInterceptor } from './tool-interceptor.js'
import type { ToolMetadata } from './tool-metadata.js'
import { UriTemplate } from './uri-template.js'
import type { UriTemplateVariables } from './uri-template-variables.js'

/**
 * Reads a resource, whose URI is `uri`. What it returns becomes contents: a string as text, a `Uint8Array` as a blob, what
 * `ResourceContents` made (or a list of that) as it says, `undefined` as "no such resource", any other value as JSON.
 */
export type ResourceReader<Args = unknown> = (ctx: ToolExecutionContext<Args>, uri: string) => unknown

const BRAND = Symbol.for('toolwire.ResourceDefinition')

/**
 * One resource, or a template for many: what it says about itself, the interceptors that are its own, and its reader.
 * Immutable. `Input` is what the variables of its template are given, `Args` what the reader sees of them. Nothing changes
 * by reading, unless its metadata says so.
 *
 * As a class it is an identifier too: a definition bound under it in the container is registered at start.
 */
export abstract class ResourceDefinition<Input = unknown, Args = unknown>
  implements ResourceDescriptor, CallableDefinition
{
  readonly kind = 'resource'
  readonly name: string
  declare readonly title?: string
  declare readonly description?: string
  declare readonly uri?: string
  declare readonly uriTemplate?: string
  declare readonly template?: UriTemplate
  declare readonly mimeType?: string
  declare readonly size?: number
  declare readonly annotations?: ContentAnnotations
  declare readonly icons?: readonly ToolIcon[]
  declare readonly meta?: Readonly<Record<string, unknown>>
  /** Of the variables of the template; a single resource has none. */
  readonly parameters: JsonSchema<Input, Args>
  readonly metadata: ToolMetadata
  readonly interceptors: readonly ToolInterceptor[]
  readonly completers: Completers

  /** Throws a {@link ToolDefinitionError} that lists every fault. */
  constructor(init: ResourceDefinitionInit) {
    requireSound('resource', init.name, resourceFaults(init))
    Object.assign(this, resourceParts(init))
    this.name = init.name
    if (init.uriTemplate !== undefined) {
      this.template = UriTemplate.parse(init.uriTemplate)
      this.uriTemplate = init.uriTemplate
    }
    // The builder ties the schema and the template of `init` to `Input` and `Args`.
    this.parameters = (init.parameters ?? parametersOf(this.template)) as JsonSchema<Input, Args>
    this.metadata = metadataOfReading(init.metadata)
    this.interceptors = Object.freeze([...init.interceptors])
    this.completers = Object.freeze({ ...init.completers })
  }

  /** Holds for a definition of another copy of this package too, but not for a look-alike object. */
  static is(value: unknown): value is ResourceDefinition {
    return hasBrand(value, BRAND)
  }

  get [BRAND](): true {
    return true
  }

  get inputSchema() {
    return this.parameters.document
  }

  /** Contents are of no schema. */
  get outputSchema() {
    return undefined
  }

  /** Runs the reader, with nothing around it. The router calls this; callers use `runtime.read`. */
  abstract execute(ctx: ToolExecutionContext<Args>): Awaitable<readonly ResourceContents[]>

  /** What a variable of the template may be, where `value` is typed so far. */
  complete(variable: string, value: string, ctx: ToolExecutionContext): Awaitable<Completion> {
    return complete(this, variable, value, ctx)
  }

  /** The same resource with some parts changed, such as its name. Everything else is kept, also of the metadata. */
  abstract with(changes: ResourceDefinitionChanges): ResourceDefinition<Input, Args>

  static builder(): ResourceDefinitionBuilder {
    return new ResourceDefinitionBuilder({ interceptors: [] })
  }
}

class BuiltResourceDefinition<Input, Args> extends ResourceDefinition<Input, Args> {
  readonly #init: ResourceDefinitionInit
  readonly #reader: ResourceReader<Args>

  constructor(init: ResourceDefinitionInit, reader: ResourceReader<Args>) {
    super(init)
    this.#init = init
    this.#reader = reader
    Object.freeze(this)
  }

  override execute(ctx: ToolExecutionContext<Args>): Awaitable<readonly ResourceContents[]> {
    const uri = ctx.uri ?? this.uri
    if (uri === undefined) throw new TypeError('A resource template is read with a context that has a uri')
    const { name, mimeType } = this
    return andThen(this.#reader(ctx, uri), (returned) => contentsOf(returned, { name, uri, mimeType }))
  }

  override with(changes: ResourceDefinitionChanges): ResourceDefinition<Input, Args> {
    return new BuiltResourceDefinition(
      { ...this.#init, ...frozenResourceChanges(changes, this.#init) },
      this.#reader,
    )
  }
}

/** Whether the reader is still to come; after it the address and the schema are settled. */
type Stage = 'open' | 'closed'

/** Collects a {@link ResourceDefinition}. Every step returns a new builder, so a half-built one can be shared. */
export class ResourceDefinitionBuilder<
  Input = NoArguments,
  Args = NoArguments,
  S extends Stage = 'open',
> extends DefinitionBuilder<ResourceDefinitionInit> {
  readonly #reader: ResourceReader<Args> | undefined
  /** Carries `Input` and `S` for the compiler alone. */
  declare readonly types: { readonly input: Input; readonly stage: S }

  /** Start with `ResourceDefinition.builder()`. */
  constructor(init: Unnamed<ResourceDefinitionInit>, reader?: ResourceReader<Args>) {
    super(init)
    this.#reader = reader
  }

  /** The address of a single resource. */
  uri(this: ResourceDefinitionBuilder<Input, Args, 'open'>, uri: string) {
    this.#requireOpen('uri')
    return this.step({ uri })
  }

  /** The addresses of many, such as `docs://{name}`: see `UriTemplate`. Its variables are the arguments of the reader. */
  uriTemplate<const Text extends string>(
    this: ResourceDefinitionBuilder<Input, Args, 'open'>,
    uriTemplate: Text,
  ): ResourceDefinitionBuilder<UriTemplateVariables<Text>, UriTemplateVariables<Text>, 'open'> {
    this.#requireOpen('uriTemplate')
    if (this.init.parameters !== undefined)
      throw new TypeError('uriTemplate() must come before parameterSchema()')
    // No reader is set yet, so nothing depends on the types that change here.
    return new ResourceDefinitionBuilder({ ...this.init, uriTemplate })
  }

  /** What is known of the variables, beyond that they are strings. Its properties are the variables, no more and no less. */
  parameterSchema<Source extends JsonSchemaSource>(
    this: ResourceDefinitionBuilder<Input, Args, 'open'>,
    schema: Source,
  ): ResourceDefinitionBuilder<SchemaInput<Source>, SchemaOutput<Source>, 'open'> {
    this.#requireOpen('parameterSchema')
    return new ResourceDefinitionBuilder({ ...this.init, parameters: JsonSchema.from(schema) })
  }

  mimeType(mimeType: string) {
    return this.step({ mimeType })
  }

  /** In bytes, before base64; of a single resource. */
  size(size: number) {
    return this.step({ size })
  }

  annotations(annotations: ContentAnnotations) {
    return this.step({ annotations })
  }

  /** Says what a variable may be while a user types it. An enum in the schema does without. */
  complete(
    variable: keyof Args & string,
    completer: Completer<Args>,
  ): ResourceDefinitionBuilder<Input, Args, S> {
    const completers = withCompleter(this.init.completers, variable, completer)
    return new ResourceDefinitionBuilder<Input, Args, S>({ ...this.init, completers }, this.#reader)
  }

  /** The work. The address and the schema are settled from here on. */
  reader(
    this: ResourceDefinitionBuilder<Input, Args, 'open'>,
    reader: ResourceReader<Args>,
  ): ResourceDefinitionBuilder<Input, Args, 'closed'> {
    this.#requireOpen('reader')
    if (typeof reader !== 'function')
      throw new TypeError(`reader must be a function (got ${describe(reader)})`)
    return new ResourceDefinitionBuilder<Input, Args, 'closed'>(this.init, reader)
  }

  /** Throws a {@link ToolDefinitionError} that lists everything missing or wrong. */
  build(this: ResourceDefinitionBuilder<Input, Args, 'closed'>): ResourceDefinition<Input, Args> {
    const reader = this.#reader
    requireSound('resource', this.init.name, [
      ...resourceFaults(this.init),
      ...(reader === undefined ? [MISSING_READER] : []),
    ])
    // Both are there: nothing was found missing.
    return new BuiltResourceDefinition(this.init as ResourceDefinitionInit, reader as ResourceReader<Args>)
  }

  protected override step(change: ResourceDefinitionChanges): this {
    const init = { ...this.init, ...frozenResourceChanges(change, this.init) }
    return new ResourceDefinitionBuilder<Input, Args, S>(init, this.#reader) as this // the class has no heirs
  }

  #requireOpen(step: string): void {
    if (this.#reader !== undefined) throw new TypeError(`${step}() must come before reader()`)
  }
}

const MISSING_READER: DefinitionFault = { path: 'reader', message: 'is missing: add .reader((ctx) => …)' }
