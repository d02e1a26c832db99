import type { ArgumentStep, ArgumentStepName, MutableArguments } from '../../registry/argument-steps.js'
import { type Awaitable, andThen, isPromise } from '../../registry/awaitable.js'
import { CallSuspension } from '../../registry/call-suspension.js'
import type { CallableDefinition } from '../../registry/callable-definition.js'
import { describe, isObject, isPlain } from '../../registry/json-value.js'
import { InvalidArgumentsError, ToolError, ToolExecutionError } from '../../registry/tool-error.js'
import type { ToolExecutionContext } from '../../registry/tool-execution-context.js'
import type { DefinitionValidators } from '../definition-validators.js'
import { aliasStage } from './alias-stage.js'
import type { ArgumentPlan, PlannedStep } from './argument-plan.js'
import { type ArgumentStage, ownStage } from './argument-stage.js'
import { ArgumentsCheck } from './arguments-check.js'
import { ArgumentsCopy } from './arguments-copy.js'
import { boundStage } from './bound-stage.js'

/**
 * Makes of what a caller sent what an executor gets: parse → repair → aliases → bound parameters → coercion → defaults →
 * validation → deep freeze. The caller's own objects are neither changed nor kept. Rejects, or throws, with
 * `INVALID_ARGUMENTS`.
 *
 * The built-in repair and coercion happen where validation finds the wrong type, after aliases and bound parameters have
 * their place: arguments that are valid as they are pass untouched, and unsearched.
 */
export class ArgumentsPipeline {
  /** What each step does here, in their order. */
  readonly steps: readonly PlannedStep[]
  readonly #toolName: string
  readonly #takesNull: boolean
  /** What comes before the check: nothing, for most definitions. */
  readonly #stages: readonly ArgumentStage[]
  readonly #check: ArgumentsCheck

  constructor(definition: CallableDefinition, validators: DefinitionValidators, plan: ArgumentPlan) {
    this.steps = plan.steps
    this.#toolName = definition.name
    this.#takesNull = definition.kind === 'tool'
    this.#stages = stagesOf(definition, plan)
    this.#check = new ArgumentsCheck(definition, validators, plan)
  }

  prepare(ctx: ToolExecutionContext): Awaitable<unknown> {
    try {
      const prepared = this.#prepare(ctx)
      return isPromise(prepared) ? prepared.catch(fail) : prepared
    } catch (thrown) {
      return fail(thrown)
    }
  }

  #prepare(ctx: ToolExecutionContext): Awaitable<unknown> {
    const preparation = { ctx, copy: new ArgumentsCopy(this.#toolName) }
    const parsed = this.#parse(ctx.args, preparation.copy)
    if (this.#stages.length === 0) return this.#check.run(parsed, preparation)
    const staged = this.#stages.reduce<Awaitable<MutableArguments>>(
      (args, stage) => unlessOver(ctx, args, (ready) => stage(ready, preparation)),
      parsed,
    )
    return unlessOver(ctx, staged, (args) => this.#check.run(args, preparation))
  }

  /** Nothing sent is `{}`, and so is null for a tool: some clients write it. The copy is ours to change. */
  #parse(sent: unknown, copy: ArgumentsCopy): MutableArguments {
    if (sent === undefined || (sent === null && this.#takesNull)) return {}
    if (isObject(sent) && isPlain(sent)) return copy.object(sent, '', 0)
    const message = `arguments must be an object of named arguments (got ${describe(sent)})`
    throw new InvalidArgumentsError(this.#toolName, [{ path: '', keyword: 'type', message }])
  }
}

/** The call may be over when what a step has waited for is there. */
function unlessOver<T>(
  ctx: ToolExecutionContext,
  args: Awaitable<MutableArguments>,
  next: (args: MutableArguments) => Awaitable<T>,
): Awaitable<T> {
  if (!isPromise(args)) return next(args)
  return andThen(args, (ready) => {
    ctx.signal.throwIfAborted()
    return next(ready)
  })
}

/** Whatever fails here, also code of the user's, fails before the executor has begun. */
function fail(thrown: unknown): never {
  if (ToolError.is(thrown) || CallSuspension.is(thrown)) throw thrown
  throw new ToolExecutionError(undefined, { cause: thrown, outcome: 'not-started' })
}

function stagesOf(definition: CallableDefinition, { uses }: ArgumentPlan): readonly ArgumentStage[] {
  const { aliases, boundParameters } = definition
  const builtIn: Partial<Record<ArgumentStepName, ArgumentStage | undefined>> = {
    aliases: aliases && aliasStage(definition, aliases),
    bound: boundParameters && boundStage(definition, boundParameters, { setsNone: uses.bound === false }),
  }
  const names = ['repair', 'aliases', 'bound', 'coercion', 'defaults'] as const
  return names.flatMap((name) => {
    const use: boolean | ArgumentStep = uses[name]
    const stage =
      typeof use === 'function' ? ownStage(use, name, definition) : (use || name === 'bound') && builtIn[name]
    return stage ? [stage] : []
  })
}
