import type { MutableArguments } from '../../registry/argument-steps.js'
import { type Awaitable, isPromise } from '../../registry/awaitable.js'
import type { BoundParameters } from '../../registry/bound-parameters.js'
import type { CallableDefinition } from '../../registry/callable-definition.js'
import { pointerTo, segmentsOf } from '../../registry/json-pointer.js'
import { setMember } from '../../registry/json-value.js'
import {
  type AnyToolError,
  ForbiddenError,
  InvalidArgumentsError,
  ToolError,
  ToolUnavailableError,
} from '../../registry/tool-error.js'
import type { ValidationIssue } from '../../registry/validation-issue.js'
import { issue } from '../schema/schema-messages.js'
import type { ArgumentStage, Preparation } from './argument-stage.js'

/**
 * Sets what the server sets, one after the other. Refuses a call that sends one of them, under whatever name, also with
 * `setsNone`: a step that is switched off must not hand callers what is hidden from them.
 */
export function boundStage(
  definition: CallableDefinition,
  bound: BoundParameters,
  { setsNone }: { readonly setsNone: boolean },
): ArgumentStage {
  const { aliases = {} } = definition
  const sources = Object.entries(bound)
  // A parameter may be called as something that every object has: constructor.
  const aliasesOf = (name: string) => (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? []
  const refused = sources.flatMap(([name]) => [name, ...aliasesOf(name)])

  function setFrom(
    first: number,
    args: MutableArguments,
    preparation: Preparation,
  ): Awaitable<MutableArguments> {
    for (const [index, [name, source]] of sources.entries()) {
      if (index < first) continue
      const value: unknown = source(preparation.ctx)
      if (isPromise(value)) {
        return Promise.resolve(value).then((later) => {
          preparation.ctx.signal.throwIfAborted()
          set(args, name, later, preparation)
          return setFrom(index + 1, args, preparation)
        })
      }
      set(args, name, value, preparation)
    }
    return args
  }

  /** A copy: what the source gave may be shared. */
  function set(args: MutableArguments, name: string, value: unknown, { copy }: Preparation): void {
    if (value === undefined) return
    try {
      setMember(args, name, copy.value(value, pointerTo('', name), 1))
    } catch (cause) {
      throw ToolError.is(cause) ? badSource(definition, cause) : cause
    }
  }

  return (args, preparation) => {
    const issues = refused.filter((name) => Object.hasOwn(args, name)).map(refusal)
    if (issues.length > 0) throw new InvalidArgumentsError(definition.name, issues)
    return setsNone ? args : setFrom(0, args, preparation)
  }
}

/**
 * What to tell of `issues` if one of them is about what the server sets: no caller can correct that. Its name is hidden from
 * them, so it stands in the cause alone. Undefined if all are the caller's.
 */
export function boundFailure(
  definition: CallableDefinition,
  issues: readonly ValidationIssue[],
  args: Readonly<Record<string, unknown>>,
): AnyToolError | undefined {
  const { boundParameters } = definition
  if (boundParameters === undefined) return undefined
  for (const { path, message } of issues) {
    const [name] = segmentsOf(path)
    if (name === undefined || !Object.hasOwn(boundParameters, name)) continue
    const cause = new Error(
      `What the server sets for ${JSON.stringify(definition.name)} is wrong: ${message}`,
    )
    if (Object.hasOwn(args, name)) return badSource(definition, cause)
    return new ForbiddenError(
      `Not allowed: ${JSON.stringify(definition.name)} needs something of its caller that this one does not have`,
      { cause },
    )
  }
  return undefined
}

function badSource({ name, kind }: CallableDefinition, cause: Error): ToolUnavailableError {
  return new ToolUnavailableError(name, 'a parameter that the server sets has a wrong value', { cause, kind })
}

function refusal(name: string): ValidationIssue {
  const message = `${JSON.stringify(name)} is set by the server and cannot be sent; leave it out`
  return issue(pointerTo('', name), 'bound', message)
}
