import { isObject } from '../registry/json-value.js'
import { shortened } from '../registry/shortened.js'
import type { AnyToolError } from '../registry/tool-error.js'
import type { ValidationIssue } from '../registry/validation-issue.js'

const MAX_TEXT = 10_000
const MAX_ISSUES = 100
const MAX_ISSUE_TEXT = 500

/** The message of an error, no longer than a model should have to read. */
export function errorText({ message }: AnyToolError): string {
  return shortened(message, MAX_TEXT)
}

/**
 * What a client is told of an error besides its text: these fields and no others, whatever else has been put onto the
 * error (the request of an HTTP client, with its token, is a common guest), and bounded.
 */
export function errorFields(error: AnyToolError): Readonly<Record<string, unknown>> {
  const { code, retryable, outcome } = error
  // Each class has some of them, and a class of a user's own may have something else under the name.
  const { retryAfterMs, approvalId, status, issues } = error as object as Readonly<Record<string, unknown>>
  return {
    code: shortened(String(code), MAX_ISSUE_TEXT),
    message: errorText(error),
    retryable,
    outcome,
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
    ...(typeof approvalId === 'string' && { approvalId: shortened(approvalId, MAX_ISSUE_TEXT) }),
    ...(typeof status === 'number' && { status }),
    ...(Array.isArray(issues) && { issues: issues.filter(isIssue).slice(0, MAX_ISSUES).map(issueFields) }),
  }
}

function isIssue(value: unknown): value is ValidationIssue {
  return isObject(value) && typeof value.path === 'string' && typeof value.message === 'string'
}

/** Without `params`: an enum of thousands would be repeated with each mistake. */
function issueFields({ path, keyword, message }: ValidationIssue): Readonly<Record<string, string>> {
  return {
    path: shortened(path, MAX_ISSUE_TEXT),
    keyword: shortened(String(keyword), MAX_ISSUE_TEXT),
    message: shortened(message, MAX_ISSUE_TEXT),
  }
}
