import type { ErrorObject } from 'ajv'
import { isObject } from '../../registry/json-value.js'
import type { ValidationIssue } from '../../registry/validation-issue.js'
import { isUnsafeInteger } from '../arguments/scalar-conversion.js'
import { listed, placeName, shown } from './schema-issue-text.js'
import { gotText, isNumeric, issue, typeName } from './schema-messages.js'
import type { SchemaParts } from './schema-parts.js'

/** An error of Ajv on its way to becoming an issue. */
export interface Finding {
  readonly error: ErrorObject
  /** Given when the error alone would not say it well; asked only for what is told. */
  readonly tell?: () => ValidationIssue
}

/** What turning errors into issues needs to know of the schema. */
export interface IssueContext {
  readonly parts: SchemaParts
  /** Whether the value at a path must not be repeated. */
  readonly isSecret: (path: string) => boolean
}

const MAX_FORMS = 5
/** Findings of one branch that are told in place of the union: more would tell nothing, and add up in nested unions. */
const MAX_MEANT = 10

/**
 * Puts into `findings`, in place of what the branches of an `anyOf` or `oneOf` said, what helps. Twelve errors of four
 * branches tell a model nothing: when the value plainly means one branch (its type or its tag matches), that branch's
 * errors are the answer; when the branches differ by a tag, the allowed tags are; else a sentence names the forms.
 */
export function settleUnion(union: ErrorObject, findings: Finding[], context: IssueContext): void {
  const { parts } = context
  const branches = branchesOf(union, takeExplaining(union, findings, parts), parts)
  const meant = branches.filter(
    (branch) => !branch.some(({ error }) => isMismatch(error, union.instancePath)),
  )
  if (meant.length === 1 && meant[0] && meant[0].length <= MAX_MEANT) findings.push(...meant[0])
  else {
    const tags = meant.length === 0 ? tagsOf(union, branches) : undefined
    const tell = () => (tags === undefined ? formsIssue(union, context) : tagIssue(tags, context))
    findings.push({ error: union, tell })
  }
}

/** Takes off the end of `findings` what the schemas under the keyword of `error` said: Ajv lists that just before it. */
export function takeExplaining(
  error: ErrorObject,
  findings: Finding[],
  parts: SchemaParts,
): readonly Finding[] {
  const other = findings.findLastIndex((finding) => !explains(finding.error, error, parts))
  return findings.splice(other + 1)
}

function explains(error: ErrorObject, whole: ErrorObject, parts: SchemaParts): boolean {
  const { instancePath } = whole
  if (error.instancePath.length < instancePath.length) return false
  if (error.instancePath !== instancePath && !error.instancePath.startsWith(`${instancePath}/`)) return false
  if (!isObject(error.parentSchema)) return error.schemaPath.startsWith(`${whole.schemaPath}/`)
  const isBeside = error.parentSchema === whole.parentSchema && error.instancePath === instancePath
  return !isBeside && parts.branchOf(error.parentSchema, whole.schema) !== undefined
}

function branchesOf(
  union: ErrorObject,
  findings: readonly Finding[],
  parts: SchemaParts,
): readonly (readonly Finding[])[] {
  const branches = new Map<unknown, Finding[]>()
  for (const finding of findings) {
    const branch = parts.branchOf(finding.error.parentSchema, union.schema)
    const known = branches.get(branch)
    if (known === undefined) branches.set(branch, [finding])
    else known.push(finding)
  }
  return [...branches.values()]
}

/**
 * Whether the error says that the value is not meant for this branch: its type, or a fixed
 * value in it or one level below.
 */
function isMismatch({ keyword, instancePath }: ErrorObject, path: string): boolean {
  if (instancePath === path) return keyword === 'type' || keyword === 'const' || keyword === 'enum'
  return keyword === 'const' && instancePath.lastIndexOf('/') === path.length
}

/** The error about its tag of every branch; undefined when they do not differ by one tag. */
function tagsOf(
  union: ErrorObject,
  branches: readonly (readonly Finding[])[],
): readonly [ErrorObject, ...ErrorObject[]] | undefined {
  const [first, ...others] = branches.map((branch) => branch.find(({ error }) => isTag(error, union))?.error)
  if (first === undefined) return undefined
  const same = others.filter((tag) => tag?.instancePath === first.instancePath) as ErrorObject[]
  return same.length === others.length ? [first, ...same] : undefined
}

function tagIssue(
  tags: readonly [ErrorObject, ...ErrorObject[]],
  { isSecret }: IssueContext,
): ValidationIssue {
  const [first] = tags
  const allowedValues = [...new Set(tags.map((tag) => tag.schema))]
  const got = isSecret(first.instancePath) ? '' : ` (got ${shown(first.data)})`
  const message = `${placeName(first.instancePath)} must be one of ${listed(allowedValues)}${got}`
  return issue(first.instancePath, 'enum', message, { allowedValues })
}

function isTag({ keyword, instancePath }: ErrorObject, union: ErrorObject): boolean {
  return keyword === 'const' && instancePath !== union.instancePath
}

function formsIssue(
  { keyword, instancePath, schema, data }: ErrorObject,
  { parts, isSecret }: IssueContext,
): ValidationIssue {
  const branches = (Array.isArray(schema) ? schema : []).map((branch) => parts.target(branch))
  const forms = branches.map(formName)
  const known = [...new Set(forms)].filter((form) => form !== '')
  const more = known.length > MAX_FORMS || known.length < new Set(forms).size ? '; …' : ''
  const named = known.length > 0 ? `: ${known.slice(0, MAX_FORMS).join('; ')}${more}` : ''
  const takesNumbers = branches.some((branch) => isObject(branch) && [branch.type].flat().some(isNumeric))
  const got = gotText(data, {
    isSecret: isSecret(instancePath),
    unsafe: takesNumbers && isUnsafeInteger(data),
  })
  return issue(
    instancePath,
    keyword,
    `${placeName(instancePath)} must match one of the allowed forms${named}${got}`,
  )
}

function formName(branch: unknown): string {
  if (!isObject(branch)) return ''
  if ('const' in branch) return listed([branch.const])
  if (Array.isArray(branch.enum)) return listed(branch.enum)
  const types = [branch.type ?? []].flat().map(typeName).join(' or ')
  if (!Array.isArray(branch.required) || branch.required.length === 0) return types
  return `${types === '' ? 'an object' : types} with ${listed(branch.required)}`
}
