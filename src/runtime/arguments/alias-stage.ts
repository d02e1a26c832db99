import type { ArgumentAliases } from '../../registry/argument-aliases.js'
import type { MutableArguments } from '../../registry/argument-steps.js'
import type { CallableDefinition } from '../../registry/callable-definition.js'
import { pointerTo } from '../../registry/json-pointer.js'
import { setMember } from '../../registry/json-value.js'
import { InvalidArgumentsError } from '../../registry/tool-error.js'
import type { ValidationIssue } from '../../registry/validation-issue.js'
import { issue } from '../schema/schema-messages.js'
import type { ArgumentStage } from './argument-stage.js'

/**
 * Gives arguments that were sent under another name their own. One that comes under two names is refused, also if both
 * have the same value. Those of what the server sets are left for that step to refuse.
 */
export function aliasStage(
  { name, boundParameters = {} }: CallableDefinition,
  aliases: ArgumentAliases,
): ArgumentStage {
  const renamed = Object.entries(aliases).filter(([argument]) => !Object.hasOwn(boundParameters, argument))
  return (args) => {
    const issues = renamed.flatMap(([argument, others]) => rename(args, argument, others))
    if (issues.length > 0) throw new InvalidArgumentsError(name, issues)
    return args
  }
}

function rename(
  args: MutableArguments,
  argument: string,
  others: readonly string[],
): readonly ValidationIssue[] {
  const [alias, ...more] = others.filter((other) => Object.hasOwn(args, other))
  if (alias === undefined) return []
  if (more.length > 0 || Object.hasOwn(args, argument)) {
    const sent = [...(Object.hasOwn(args, argument) ? [argument] : []), alias, ...more]
    const names = sent.map((each) => JSON.stringify(each)).join(' and ')
    const message = `${names} are names of one argument; send ${JSON.stringify(argument)} alone`
    return [issue(pointerTo('', alias), 'alias', message, { argument, sent })]
  }
  setMember(args, argument, args[alias])
  delete args[alias]
  return []
}
