import type { ArgumentAliases, ArgumentName } from './argument-aliases.js'
import type { ArgumentSteps } from './argument-steps.js'
import {
  type BoundParameters,
  type ParameterSource,
  publishedDocument,
  type Unbound,
} from './bound-parameters.js'
import { hasBrand } from './brand.js'
import type { CallableDefinition } from './callable-definition.js'
import { DefinitionBuilder, type Unnamed } from './definition-builder.js'
import type { ToolIcon } from './descriptor.js'
import {
  JsonSchema,
  type JsonSchemaDocument,
  type JsonSchemaSource,
  type SchemaInput,
  type SchemaOutput,
} from './json-schema.js'
import { describe } from './json-value.js'
import type { NoArguments } from './schema-inference.js'
import type { StandardJsonSchema } from './schema-standard.js'
import { type DefinitionFault, requireSound, type ToolDefinitionError } from './tool-definition-error.js'
import {
  argumentFaults,
  argumentParts,
  definitionFaults,
  frozenChanges,
  protocolParts,
  type ToolDefinitionChanges,
  type ToolDefinitionInit,
} from './tool-definition-init.js'
import type { ToolDescriptor } from './tool-descriptor.js'
import type { ToolExecutionContext } from './tool-execution-context.js'
import type { Returned, ReturnedValue, ToolExecutor } from './tool-executor.js'
import type { ToolInterceptor } from './tool-interceptor.js'
import { type ToolAnnotations, type ToolMetadata, toolMetadata } from './tool-metadata.js'

/** What executors return under an output schema; a plain JSON Schema carries no types. */
type SchemaValue<Source> = Source extends JsonSchema | StandardJsonSchema ? SchemaInput<Source> : unknown

/** What an output schema promised, or what the executor turns out to return. */
type PromisedValue<Value, R> = unknown extends Value ? ReturnedValue<R> : Value

const BRAND = Symbol.for('toolwire.ToolDefinition')

/**
 * One tool: what it says about itself, the interceptors that are its own, and its executor. Immutable. `Input` is what
 * callers pass, `Args` what the executor sees, `Value` what it returns.
 *
 * As a class it is an identifier too: a definition bound under it in the container is registered at start.
 */
export abstract class ToolDefinition<Input = unknown, Args = unknown, Value = unknown>
  implements ToolDescriptor, CallableDefinition
{
  readonly kind = 'tool'
  readonly name: string
  declare readonly title?: string
  declare readonly description?: string
  /** What arguments are held against, also what the server sets. */
  readonly parameters: JsonSchema<Input, Args>
  declare readonly aliases?: ArgumentAliases
  declare readonly boundParameters?: BoundParameters
  declare readonly argumentSteps?: ArgumentSteps
  declare readonly output?: JsonSchema
  declare readonly annotations?: ToolAnnotations
  declare readonly icons?: readonly ToolIcon[]
  declare readonly meta?: Readonly<Record<string, unknown>>
  readonly metadata: ToolMetadata
  readonly interceptors: readonly ToolInterceptor[]
  readonly #published: JsonSchemaDocument

  /** Throws a {@link ToolDefinitionError} that lists every fault. */
  constructor(init: ToolDefinitionInit) {
    requireSound('tool', init.name, definitionFaults(init))
    Object.assign(this, protocolParts(init), argumentParts(init))
    this.name = init.name
    // The builder ties the schema of `init` to `Input` and `Args`.
    this.parameters = init.parameters as JsonSchema<Input, Args>
    this.#published = publishedDocument(init.parameters.document, init.boundParameters)
    if (init.output !== undefined) this.output = init.output
    this.metadata = toolMetadata(init.metadata, init.annotations)
    this.interceptors = Object.freeze([...init.interceptors])
  }

  /** Holds for a definition of another copy of this package too, but not for a look-alike object. */
  static is(value: unknown): value is ToolDefinition {
    return hasBrand(value, BRAND)
  }

  get [BRAND](): true {
    return true
  }

  /** What callers see of the schema of the arguments: all but what the server sets. */
  get inputSchema(): JsonSchemaDocument {
    return this.#published
  }

  get outputSchema() {
    return this.output?.document
  }

  /** Runs the work itself, with nothing around it. The router calls this; callers use `runtime.call`. */
  abstract execute(ctx: ToolExecutionContext<Args>): Returned<Value>

  /** The same tool with some parts changed, such as its name. Everything else is kept, also of the metadata. */
  abstract with(changes: ToolDefinitionChanges): ToolDefinition<Input, Args, Value>

  static builder(): ToolDefinitionBuilder {
    return new ToolDefinitionBuilder({ parameters: JsonSchema.empty(), interceptors: [] })
  }
}

class BuiltToolDefinition<Input, Args, Value> extends ToolDefinition<Input, Args, Value> {
  readonly #init: ToolDefinitionInit
  readonly #executor: ToolExecutor<Args, Value>

  constructor(init: ToolDefinitionInit, executor: ToolExecutor<Args, Value>) {
    super(init)
    this.#init = init
    this.#executor = executor
    Object.freeze(this)
  }

  override execute(ctx: ToolExecutionContext<Args>): Returned<Value> {
    return this.#executor(ctx)
  }

  override with(changes: ToolDefinitionChanges): ToolDefinition<Input, Args, Value> {
    return new BuiltToolDefinition({ ...this.#init, ...frozenChanges(changes, this.#init) }, this.#executor)
  }
}

/** Whether the executor is still to come; after it the schemas are settled. */
type Stage = 'open' | 'closed'

/** Collects a {@link ToolDefinition}. Every step returns a new builder, so a half-built one can be shared. */
export class ToolDefinitionBuilder<
  Input = NoArguments,
  Args = NoArguments,
  Value = unknown,
  S extends Stage = 'open',
> extends DefinitionBuilder<ToolDefinitionInit> {
  readonly #executor: ToolExecutor<Args, Value> | undefined
  /** Carries `Input` and `S` for the compiler alone. */
  declare readonly types: { readonly input: Input; readonly stage: S }

  /** Start with `ToolDefinition.builder()`. */
  constructor(init: Unnamed<ToolDefinitionInit>, executor?: ToolExecutor<Args, Value>) {
    super(init)
    this.#executor = executor
  }

  /** 1 to 128 of `A-Z a-z 0-9 _ - .` (MCP "Tool Names"); the registry may allow fewer. */
  override name(name: string): this {
    return super.name(name)
  }

  /** The arguments: a `JsonSchema`, a plain JSON Schema, or any Standard JSON Schema (zod 4, valibot, arktype). */
  parameterSchema<Source extends JsonSchemaSource>(
    this: ToolDefinitionBuilder<Input, Args, Value, 'open'>,
    schema: Source,
  ): ToolDefinitionBuilder<SchemaInput<Source>, SchemaOutput<Source>, Value, 'open'> {
    this.#requireOpen('parameterSchema')
    const { aliases, boundParameters } = this.init
    if ((aliases ?? boundParameters) !== undefined)
      throw new TypeError('parameterSchema() must come before aliases() and bindParameters()')
    // No executor is set yet, so nothing depends on the types that change here.
    return new ToolDefinitionBuilder({ ...this.init, parameters: JsonSchema.from(schema) })
  }

  /** What the value looks like. It is checked before a caller gets it; over MCP it becomes `structuredContent`. */
  outputSchema<Source extends JsonSchemaSource>(
    this: ToolDefinitionBuilder<Input, Args, Value, 'open'>,
    schema: Source,
  ): ToolDefinitionBuilder<Input, Args, SchemaValue<Source>, 'open'> {
    this.#requireOpen('outputSchema')
    return new ToolDefinitionBuilder({ ...this.init, output: JsonSchema.from(schema) })
  }

  annotations(annotations: ToolAnnotations): this {
    return this.step({ annotations })
  }

  /** Other names of arguments, for callers and for extraction from text; not published. A name given again gets the new list. */
  aliases(aliases: { readonly [Name in ArgumentName<Input>]?: readonly string[] }): this {
    return this.step({ aliases: aliases as ArgumentAliases })
  }

  /**
   * Parameters that the server sets, from the context: not published, and refused where a caller sends them. A required one
   * that has no value for this caller ends the call with `FORBIDDEN`, a value that the schema refuses with `TOOL_UNAVAILABLE`.
   */
  bindParameters<const Name extends ArgumentName<Input>>(
    sources: {
      readonly [Each in Name]: ParameterSource<Input[Each]>
    },
  ): ToolDefinitionBuilder<Unbound<Input, Name>, Args, Value, S> {
    const boundParameters = Object.freeze({ ...this.init.boundParameters, ...sources })
    return this.#with<Unbound<Input, Name>>({ boundParameters })
  }

  /** What becomes of the steps of the arguments pipeline for this tool, whatever the runtime says of them. */
  argumentSteps(steps: ArgumentSteps): this {
    return this.step({ argumentSteps: steps })
  }

  /** The work. The schemas are settled from here on. */
  executor<R extends Returned<Value>>(
    this: ToolDefinitionBuilder<Input, Args, Value, 'open'>,
    executor: (ctx: ToolExecutionContext<Args>) => R,
  ): ToolDefinitionBuilder<Input, Args, PromisedValue<Value, R>, 'closed'> {
    this.#requireOpen('executor')
    if (typeof executor !== 'function')
      throw new TypeError(`executor must be a function (got ${describe(executor)})`)
    // `R` is what an executor of the promised value may return.
    return new ToolDefinitionBuilder(this.init, executor as ToolExecutor<Args, PromisedValue<Value, R>>)
  }

  /** Throws a {@link ToolDefinitionError} that lists everything missing or wrong. */
  build(this: ToolDefinitionBuilder<Input, Args, Value, 'closed'>): ToolDefinition<Input, Args, Value> {
    const executor = this.#executor
    requireSound('tool', this.init.name, [
      ...definitionFaults(this.init),
      ...(executor === undefined ? [MISSING_EXECUTOR] : []),
    ])
    // Both are there: nothing was found missing.
    return new BuiltToolDefinition(this.init as ToolDefinitionInit, executor as ToolExecutor<Args, Value>)
  }

  protected override step(change: ToolDefinitionChanges): this {
    return this.#with<Input>(frozenChanges(change, this.init)) as this // the class has no heirs
  }

  #with<NewInput>(change: Partial<ToolDefinitionInit>): ToolDefinitionBuilder<NewInput, Args, Value, S> {
    const init = { ...this.init, ...change }
    requireSound('tool', init.name, argumentFaults(init))
    return new ToolDefinitionBuilder<NewInput, Args, Value, S>(init, this.#executor)
  }

  #requireOpen(step: string): void {
    if (this.#executor !== undefined) throw new TypeError(`${step}() must come before executor()`)
  }
}

const MISSING_EXECUTOR: DefinitionFault = {
  path: 'executor',
  message: 'is missing: add .executor((ctx) => …)',
}
