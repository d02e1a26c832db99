import { type Awaitable, andThen } from './awaitable.js'
import { hasBrand } from './brand.js'
import type { CallableDefinition } from './callable-definition.js'
import { type Completer, type Completers, type Completion, complete, withCompleter } from './completion.js'
import { DefinitionBuilder, type Unnamed } from './definition-builder.js'
import { metadataOfReading } from './definition-init.js'
import type { ToolIcon } from './descriptor.js'
import { JsonSchema, type JsonSchemaSource, type SchemaInput, type SchemaOutput } from './json-schema.js'
import { describe } from './json-value.js'
import { type PromptAnswer, promptMessagesOf } from './prompt-answer.js'
import { promptArguments, type StringArguments } from './prompt-arguments.js'
import {
  frozenPromptChanges,
  type PromptDefinitionChanges,
  type PromptDefinitionInit,
  promptFaults,
  promptParts,
} from './prompt-definition-init.js'
import type { PromptArgument, PromptDescriptor } from './prompt-descriptor.js'
import type { PromptMessages } from './prompt-message.js'
import type { NoArguments } from './schema-inference.js'
import { type DefinitionFault, requireSound, type ToolDefinitionError } from './tool-definition-error.js'
import type { ToolExecutionContext } from './tool-execution-context.js'
import type { ToolInterceptor } from './tool-interceptor.js'
import type { ToolMetadata } from './tool-metadata.js'

/**
 * Writes a prompt: a string is one message of the user. An argument that need not be given is `undefined` where it is not,
 * and that is what a template string would print: `${args.tone ?? 'plain'}`. An empty one is there.
 */
export type PromptTemplate<Args = unknown> = (ctx: ToolExecutionContext<Args>) => Awaitable<PromptAnswer>

const BRAND = Symbol.for('toolwire.PromptDefinition')

/**
 * One prompt: what it says about itself, the interceptors that are its own, and its template. Immutable. `Input` is what
 * callers pass, `Args` what the template sees. Nothing changes by getting it, unless its metadata says so.
 *
 * As a class it is an identifier too: a definition bound under it in the container is registered at start.
 */
export abstract class PromptDefinition<Input = unknown, Args = unknown>
  implements PromptDescriptor, CallableDefinition
{
  readonly kind = 'prompt'
  readonly name: string
  declare readonly title?: string
  declare readonly description?: string
  declare readonly icons?: readonly ToolIcon[]
  declare readonly meta?: Readonly<Record<string, unknown>>
  readonly parameters: JsonSchema<Input, Args>
  readonly arguments: readonly PromptArgument[]
  readonly metadata: ToolMetadata
  readonly interceptors: readonly ToolInterceptor[]
  readonly completers: Completers

  /** Throws a {@link ToolDefinitionError} that lists every fault. */
  constructor(init: PromptDefinitionInit) {
    requireSound('prompt', init.name, promptFaults(init))
    Object.assign(this, promptParts(init))
    this.name = init.name
    // The builder ties the schema of `init` to `Input` and `Args`.
    this.parameters = init.parameters as JsonSchema<Input, Args>
    this.arguments = promptArguments(init.parameters)
    this.metadata = metadataOfReading(init.metadata)
    this.interceptors = Object.freeze([...init.interceptors])
    this.completers = Object.freeze({ ...init.completers })
  }

  /** Holds for a definition of another copy of this package too, but not for a look-alike object. */
  static is(value: unknown): value is PromptDefinition {
    return hasBrand(value, BRAND)
  }

  get [BRAND](): true {
    return true
  }

  get inputSchema() {
    return this.parameters.document
  }

  /** Messages are of no schema. */
  get outputSchema() {
    return undefined
  }

  /** Runs the template, with nothing around it. The router calls this; callers use `runtime.getPrompt`. */
  abstract execute(ctx: ToolExecutionContext<Args>): Awaitable<PromptMessages>

  /** What an argument may be, where `value` is typed so far. */
  complete(argument: string, value: string, ctx: ToolExecutionContext): Awaitable<Completion> {
    return complete(this, argument, value, ctx)
  }

  /** The same prompt with some parts changed, such as its name. Everything else is kept, also of the metadata. */
  abstract with(changes: PromptDefinitionChanges): PromptDefinition<Input, Args>

  static builder(): PromptDefinitionBuilder {
    return new PromptDefinitionBuilder({ parameters: JsonSchema.empty(), interceptors: [] })
  }
}

class BuiltPromptDefinition<Input, Args> extends PromptDefinition<Input, Args> {
  readonly #init: PromptDefinitionInit
  readonly #template: PromptTemplate<Args>

  constructor(init: PromptDefinitionInit, template: PromptTemplate<Args>) {
    super(init)
    this.#init = init
    this.#template = template
    Object.freeze(this)
  }

  override execute(ctx: ToolExecutionContext<Args>): Awaitable<PromptMessages> {
    return andThen(this.#template(ctx), (returned) => promptMessagesOf(returned, this.name))
  }

  override with(changes: PromptDefinitionChanges): PromptDefinition<Input, Args> {
    return new BuiltPromptDefinition(
      { ...this.#init, ...frozenPromptChanges(changes, this.#init) },
      this.#template,
    )
  }
}

/** Whether the template is still to come; after it the schema is settled. */
type Stage = 'open' | 'closed'

/** Collects a {@link PromptDefinition}. Every step returns a new builder, so a half-built one can be shared. */
export class PromptDefinitionBuilder<
  Input = NoArguments,
  Args = NoArguments,
  S extends Stage = 'open',
> extends DefinitionBuilder<PromptDefinitionInit> {
  readonly #template: PromptTemplate<Args> | undefined
  /** Carries `Input` and `S` for the compiler alone. */
  declare readonly types: { readonly input: Input; readonly stage: S }

  /** Start with `PromptDefinition.builder()`. */
  constructor(init: Unnamed<PromptDefinitionInit>, template?: PromptTemplate<Args>) {
    super(init)
    this.#template = template
  }

  /** The arguments. MCP has no other than strings; patterns, lengths and enums are fine. */
  parameterSchema<Source extends JsonSchemaSource>(
    this: PromptDefinitionBuilder<Input, Args, 'open'>,
    schema: StringArguments<Source>,
  ): PromptDefinitionBuilder<SchemaInput<Source>, SchemaOutput<Source>, 'open'> {
    this.#requireOpen('parameterSchema')
    // No template is set yet, so nothing depends on the types that change here.
    return new PromptDefinitionBuilder({ ...this.init, parameters: JsonSchema.from(schema as Source) })
  }

  /** Says what an argument may be while a user types it. An enum in the schema does without. */
  complete(
    argument: keyof Args & string,
    completer: Completer<Args>,
  ): PromptDefinitionBuilder<Input, Args, S> {
    const completers = withCompleter(this.init.completers, argument, completer)
    return new PromptDefinitionBuilder<Input, Args, S>({ ...this.init, completers }, this.#template)
  }

  /** The work. The schema is settled from here on. */
  template(
    this: PromptDefinitionBuilder<Input, Args, 'open'>,
    template: PromptTemplate<Args>,
  ): PromptDefinitionBuilder<Input, Args, 'closed'> {
    this.#requireOpen('template')
    if (typeof template !== 'function')
      throw new TypeError(`template must be a function (got ${describe(template)})`)
    return new PromptDefinitionBuilder<Input, Args, 'closed'>(this.init, template)
  }

  /** Throws a {@link ToolDefinitionError} that lists everything missing or wrong. */
  build(this: PromptDefinitionBuilder<Input, Args, 'closed'>): PromptDefinition<Input, Args> {
    const template = this.#template
    requireSound('prompt', this.init.name, [
      ...promptFaults(this.init),
      ...(template === undefined ? [MISSING_TEMPLATE] : []),
    ])
    // Both are there: nothing was found missing.
    return new BuiltPromptDefinition(this.init as PromptDefinitionInit, template as PromptTemplate<Args>)
  }

  protected override step(change: PromptDefinitionChanges): this {
    const init = { ...this.init, ...frozenPromptChanges(change, this.init) }
    return new PromptDefinitionBuilder<Input, Args, S>(init, this.#template) as this // the class has no heirs
  }

  #requireOpen(step: string): void {
    if (this.#template !== undefined) throw new TypeError(`${step}() must come before template()`)
  }
}

const MISSING_TEMPLATE: DefinitionFault = {
  path: 'template',
  message: 'is missing: add .template((ctx) => …)',
}
