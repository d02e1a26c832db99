import type { ArgumentStep, MutableArguments } from '../../registry/argument-steps.js'
import { type Awaitable, andThen } from '../../registry/awaitable.js'
import type { CallableDefinition } from '../../registry/callable-definition.js'
import { describe, isObject, isPlain } from '../../registry/json-value.js'
import { ToolError } from '../../registry/tool-error.js'
import type { ToolExecutionContext } from '../../registry/tool-execution-context.js'
import { ArgumentsCopy } from './arguments-copy.js'

/** The call whose arguments are prepared. */
export interface Preparation {
  readonly ctx: ToolExecutionContext
  /** Counts all that is copied for this call. */
  readonly copy: ArgumentsCopy
}

/** A step that is not left to the check against the schema. Changes, or replaces, our copy. */
export type ArgumentStage = (args: MutableArguments, preparation: Preparation) => Awaitable<MutableArguments>

/** A step of the user's own. What it returns is copied: it may be shared, and what passes here will be frozen. */
export function ownStage(step: ArgumentStep, name: string, definition: CallableDefinition): ArgumentStage {
  return (args, { ctx }) =>
    andThen(step(args, { ctx, schema: definition.parameters.document }), (returned: unknown) => {
      const fault = `The arguments step ${JSON.stringify(name)} of ${JSON.stringify(definition.name)} must return the arguments`
      if (!isObject(returned) || !isPlain(returned))
        throw new TypeError(`${fault}, an object (got ${describe(returned)})`)
      try {
        return new ArgumentsCopy(definition.name).object(returned, '', 0)
      } catch (cause) {
        // Its caller has not sent what is wrong here.
        if (ToolError.is(cause)) throw new TypeError(`${fault} as plain JSON: ${cause.message}`, { cause })
        throw cause
      }
    })
}
