import type { ErrorObject } from 'ajv'
import type { ValidationIssue } from '../../registry/validation-issue.js'
import { ARGUMENTS, type IssueWording, issue, issueOf, nameIssue } from './schema-messages.js'
import { type Finding, type IssueContext, settleUnion, takeExplaining } from './schema-union-issue.js'

export type { IssueWording } from './schema-messages.js'

/** Issues that are reported for one value; a last one says how many more there are. */
export const MAX_ISSUES = 20
/** Characters of all their messages and paths, beyond which no further issue is told: a caller gets them as one text. */
export const MAX_TEXT_LENGTH = 5_000

/**
 * Characters of paths that are compared to see which error explains which, so much for each; of more, only the
 * last is told: an outermost one.
 */
const MAX_SETTLED = 1_000_000
const ERROR_COST = 10

/**
 * The errors of Ajv as issues for a model, in Ajv's order: what is wrong with an object itself, then its
 * properties in the order of the schema.
 */
export function issuesOf(
  errors: readonly ErrorObject[],
  context: IssueContext,
  wording: IssueWording = ARGUMENTS,
): readonly ValidationIssue[] {
  const findings = settle(isTooMuch(errors) ? errors.slice(-1) : errors, context)
  const issues = new Map<string, ValidationIssue>()
  let told = 0
  let length = 0
  for (const { error, tell } of findings) {
    if (issues.size === MAX_ISSUES || length >= MAX_TEXT_LENGTH) break
    const found = tell?.() ?? issueOf(error, context.isSecret(error.instancePath), wording)
    // Two parts of a schema may ask the same.
    const key = `${found.path} ${found.message}`
    if (!issues.has(key)) length += key.length
    issues.set(key, found)
    told++
  }
  return Object.freeze([...issues.values(), ...moreIssue(findings.length - told)])
}

/** That there are more issues than are told, if there are. */
export function moreIssue(count: number): readonly ValidationIssue[] {
  return count === 0 ? [] : [issue('', 'more', `and ${count} more`, { count })]
}

/** Settles the errors that others explain: those of unions, of `contains`, of `if` and of property names. */
function settle(errors: readonly ErrorObject[], { parts, isSecret }: IssueContext): readonly Finding[] {
  const findings: Finding[] = []
  for (const error of errors) {
    if (error.keyword === 'anyOf' || (error.keyword === 'oneOf' && error.params.passingSchemas === null)) {
      settleUnion(error, findings, { parts, isSecret })
    } else if (error.keyword === 'propertyNames') settleName(error, findings, parts)
    else if (error.keyword === 'contains') {
      takeExplaining(error, findings, parts)
      findings.push({ error })
    }
    // The failed `then` or `else` has said it already.
    else if (error.keyword !== 'if' || findings.length === 0) findings.push({ error })
  }
  return findings
}

function isTooMuch(errors: readonly ErrorObject[]): boolean {
  let left = MAX_SETTLED
  return errors.some(({ instancePath }) => {
    left -= ERROR_COST + instancePath.length
    return left < 0
  })
}

function settleName(error: ErrorObject, findings: Finding[], parts: IssueContext['parts']): void {
  const reason = takeExplaining(error, findings, parts)[0]?.error
  findings.push({ error, tell: () => nameIssue(error, reason) })
}
