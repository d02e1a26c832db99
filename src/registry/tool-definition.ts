import { hasBrand } from './brand.js'
import type { CallableDefinition } from './callable-definition.js'
import type { ToolIcon } from './descriptor.js'
import { JsonSchema, type JsonSchemaSource, type SchemaInput, type SchemaOutput } from './json-schema.js'
import { describe } from './json-value.js'
import type { NoArguments } from './schema-inference.js'
import type { StandardJsonSchema } from './schema-standard.js'
import { type DefinitionFault, requireSound, type ToolDefinitionError } from './tool-definition-error.js'
import {
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
import {
  type ToolAnnotations,
  type ToolMetadata,
  type ToolMetadataInit,
  toolMetadata,
} from './tool-metadata.js'

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
  readonly parameters: JsonSchema<Input, Args>
  declare readonly output?: JsonSchema
  declare readonly annotations?: ToolAnnotations
  declare readonly icons?: readonly ToolIcon[]
  declare readonly meta?: Readonly<Record<string, unknown>>
  readonly metadata: ToolMetadata
  readonly interceptors: readonly ToolInterceptor[]

  /** Throws a {@link ToolDefinitionError} that lists every fault. */
  constructor(init: ToolDefinitionInit) {
    requireSound('tool', init.name, definitionFaults(init))
    Object.assign(this, protocolParts(init))
    this.name = init.name
    // The builder ties the schema of `init` to `Input` and `Args`.
    this.parameters = init.parameters as JsonSchema<Input, Args>
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

  get inputSchema() {
    return this.parameters.document
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
> {
  readonly #init: Omit<ToolDefinitionInit, 'name'> & { readonly name?: string }
  readonly #executor: ToolExecutor<Args, Value> | undefined
  /** Carries `S` for the compiler alone. */
  declare readonly stage: S

  /** Start with `ToolDefinition.builder()`. */
  constructor(
    init: Omit<ToolDefinitionInit, 'name'> & { readonly name?: string },
    executor?: ToolExecutor<Args, Value>,
  ) {
    this.#init = init
    this.#executor = executor
  }

  /** 1 to 128 of `A-Z a-z 0-9 _ - .` (MCP "Tool Names"); the registry may allow fewer. */
  name(name: string) {
    return this.#step({ name })
  }

  /** What a person is shown; the name by default. */
  title(title: string) {
    return this.#step({ title })
  }

  /** What the model reads to choose the tool. */
  description(description: string) {
    return this.#step({ description })
  }

  /** The arguments: a `JsonSchema`, a plain JSON Schema, or any Standard JSON Schema (zod 4, valibot, arktype). */
  parameterSchema<Source extends JsonSchemaSource>(
    this: ToolDefinitionBuilder<Input, Args, Value, 'open'>,
    schema: Source,
  ): ToolDefinitionBuilder<SchemaInput<Source>, SchemaOutput<Source>, Value, 'open'> {
    this.#requireOpen('parameterSchema')
    // No executor is set yet, so nothing depends on the types that change here.
    return new ToolDefinitionBuilder({ ...this.#init, parameters: JsonSchema.from(schema) })
  }

  /** What the value looks like. It is checked before a caller gets it; over MCP it becomes `structuredContent`. */
  outputSchema<Source extends JsonSchemaSource>(
    this: ToolDefinitionBuilder<Input, Args, Value, 'open'>,
    schema: Source,
  ): ToolDefinitionBuilder<Input, Args, SchemaValue<Source>, 'open'> {
    this.#requireOpen('outputSchema')
    return new ToolDefinitionBuilder({ ...this.#init, output: JsonSchema.from(schema) })
  }

  annotations(annotations: ToolAnnotations) {
    return this.#step({ annotations })
  }

  icons(...icons: readonly ToolIcon[]) {
    return this.#step({ icons })
  }

  /** MCP's `_meta` of the tool; prefix your keys with a domain. */
  meta(meta: Readonly<Record<string, unknown>>) {
    return this.#step({ meta })
  }

  /** Adds to what was said of it before. */
  metadata(metadata: ToolMetadataInit) {
    return this.#step({ metadata })
  }

  /** Adds interceptors of this tool alone, inside those of its provider. */
  withInterceptor(...interceptors: readonly ToolInterceptor[]) {
    return this.#step({ interceptors: [...this.#init.interceptors, ...interceptors] })
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
    return new ToolDefinitionBuilder(this.#init, executor as ToolExecutor<Args, PromisedValue<Value, R>>)
  }

  /** Throws a {@link ToolDefinitionError} that lists everything missing or wrong. */
  build(this: ToolDefinitionBuilder<Input, Args, Value, 'closed'>): ToolDefinition<Input, Args, Value> {
    const executor = this.#executor
    requireSound('tool', this.#init.name, [
      ...definitionFaults(this.#init),
      ...(executor === undefined ? [MISSING_EXECUTOR] : []),
    ])
    // Both are there: nothing was found missing.
    return new BuiltToolDefinition(this.#init as ToolDefinitionInit, executor as ToolExecutor<Args, Value>)
  }

  #step(change: ToolDefinitionChanges): ToolDefinitionBuilder<Input, Args, Value, S> {
    return new ToolDefinitionBuilder<Input, Args, Value, S>(
      { ...this.#init, ...frozenChanges(change, this.#init) },
      this.#executor,
    )
  }

  #requireOpen(step: string): void {
    if (this.#executor !== undefined) throw new TypeError(`${step}() must come before executor()`)
  }
}

const MISSING_EXECUTOR: DefinitionFault = {
  path: 'executor',
  message: 'is missing: add .executor((ctx) => …)',
}
