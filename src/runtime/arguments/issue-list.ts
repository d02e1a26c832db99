import type { StandardSchemaV1 } from '@standard-schema/spec'
import { pointerTo } from '../../registry/json-pointer.js'
import { describe, isObject } from '../../registry/json-value.js'
import { shortened } from '../../registry/shortened.js'
import type { ValidationIssue } from '../../registry/validation-issue.js'
import { MAX_ISSUES, MAX_TEXT_LENGTH, moreIssue } from '../schema/schema-issues.js'
import { issue } from '../schema/schema-messages.js'

/** Characters of the longest message of one issue. */
const MAX_MESSAGE = 500

/** The issues of a schema library, in its order and within the bounds of ours. `hint` may add to what one says. */
export function libraryIssues(
  issues: readonly StandardSchemaV1.Issue[],
  hint: (path: string) => string,
): readonly ValidationIssue[] {
  return bounded(issues, ({ path = [], message }) => {
    const keys = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment))
    const place = keys.length === 0 ? '' : `${JSON.stringify(shortened(keys.join('.'), 80))}: `
    const pointer = keys.reduce(pointerTo, '')
    return issue(pointer, 'custom', place + shortened(String(message), MAX_MESSAGE) + hint(pointer))
  })
}

/** What a validation of the user's own returned, checked, in its order and within the same bounds. */
export function ownIssues(returned: unknown): readonly ValidationIssue[] {
  if (!Array.isArray(returned)) throw new TypeError(`${OWN_FAULT} (got ${describe(returned)})`)
  return bounded(returned, (one: unknown) => {
    const {
      path = '',
      keyword = 'custom',
      message,
      params,
    } = (isObject(one) ? one : {}) as Partial<ValidationIssue>
    if (typeof path !== 'string' || typeof keyword !== 'string' || typeof message !== 'string')
      throw new TypeError(`${OWN_FAULT} (got ${describe(one)} in it)`)
    return issue(path, keyword, shortened(message, MAX_MESSAGE), params)
  })
}

const OWN_FAULT =
  'A validation of arguments must return a list of issues, each with path, keyword and message'

/** A model acts on the first few; thousands would be larger than the arguments themselves. */
function bounded<T>(found: readonly T[], toIssue: (one: T) => ValidationIssue): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = []
  let length = 0
  for (const one of found) {
    if (issues.length === MAX_ISSUES || length >= MAX_TEXT_LENGTH) break
    const told = toIssue(one)
    length += told.path.length + told.message.length
    issues.push(told)
  }
  return [...issues, ...moreIssue(found.length - issues.length)]
}
