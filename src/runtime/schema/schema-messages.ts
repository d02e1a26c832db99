import type { ErrorObject } from 'ajv'
import { pointerTo } from '../../registry/json-pointer.js'
import { isObject } from '../../registry/json-value.js'
import { shortened } from '../../registry/shortened.js'
import type { ValidationIssue } from '../../registry/validation-issue.js'
import { isUnsafeInteger } from '../arguments/scalar-conversion.js'
import { alternatives, bareName, brief, listed, placeName, quoted, shown } from './schema-issue-text.js'

/** Characters of the longest message of one issue. A list of twenty long values fits. */
const MAX_MESSAGE_LENGTH = 1_500

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
}

const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-01-31',
  time: 'a time with its offset such as 09:30:00Z',
  'date-time': 'a date and time such as 2026-01-31T09:30:00Z',
  duration: 'a duration such as P1DT12H',
  email: 'an e-mail address',
  uri: 'a URI such as https://example.com/path',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  hostname: 'a host name',
}

/** How issues speak of a value. */
export interface IssueWording {
  /** What a member of the value is. */
  readonly noun: 'argument' | 'property'
  /** Members of the value itself that are not to be told of. */
  readonly hidden?: readonly string[]
}

/** The wording for arguments. */
export const ARGUMENTS: IssueWording = Object.freeze({ noun: 'argument' })

/** One error of Ajv as an issue. A secret value is not repeated. */
export function issueOf(error: ErrorObject, isSecret: boolean, wording: IssueWording): ValidationIssue {
  const { keyword, instancePath, params, data } = error
  if (params.missingProperty !== undefined) return missingIssue(error, wording)
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
    return unknownIssue(error, wording)
  const unsafe = keyword === 'type' && [params.type].flat().some(isNumeric) && isUnsafeInteger(data)
  const got = gotText(data, { isSecret, unsafe })
  const message = `${placeName(instancePath)} ${requirement(error)}${got}`
  return issue(instancePath, keyword, message, {
    ...(keyword === 'enum' ? { allowedValues: error.schema } : params),
    ...(unsafe && { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  })
}

/** What stands there, in brackets: not if it is a secret; and why, if it is an integer too large for a number. */
export function gotText(
  data: unknown,
  { isSecret, unsafe }: { readonly isSecret: boolean; readonly unsafe: boolean },
): string {
  const got = isSecret ? [] : [`got ${shown(data)}`]
  const told = unsafe ? [...got, UNSAFE_INTEGER] : got
  return told.length === 0 ? '' : ` (${told.join(', ')})`
}

/** Why the text of an integer is not taken for one. */
export const UNSAFE_INTEGER = `outside the safe range of integers, ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`

/** Whether a type of JSON Schema is one of numbers. */
export function isNumeric(type: unknown): boolean {
  return type === 'integer' || type === 'number'
}

/** What a value must be, as the end of a sentence: "must be one of "a", "b"". */
function requirement({ keyword, params, schema }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${[params.type].flat().map(typeName).join(' or ')}`
    case 'enum':
      return `must be one of ${listed(schema as readonly unknown[])}`
    case 'const':
      return `must be ${listed([schema])}`
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${params.comparison} ${params.limit}`
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}`
    case 'minLength':
      return `must have at least ${counted(params.limit, 'character')}`
    case 'maxLength':
      return `must have at most ${counted(params.limit, 'character')}`
    case 'minItems':
      return `must have at least ${counted(params.limit, 'item')}`
    case 'maxItems':
      return `must have at most ${counted(params.limit, 'item')}`
    case 'minProperties':
      return `must have at least ${counted(params.limit, 'property')}`
    case 'maxProperties':
      return `must have at most ${counted(params.limit, 'property')}`
    case 'items':
    case 'additionalItems':
    case 'unevaluatedItems':
      return `must have at most ${counted(params.limit, 'item')}`
    case 'uniqueItems':
      return `must not repeat an item (items ${params.i} and ${params.j} are equal)`
    case 'contains':
      return containsRequirement(params)
    case 'pattern':
      return `must match the pattern ${brief(String(schema))}`
    case 'format':
      return `must be ${FORMAT_EXAMPLES[String(schema)] ?? `in the format ${quoted(String(schema))}`}`
    case 'not':
      return 'has a form that is not allowed'
    case 'oneOf':
      return 'matches more than one of the allowed forms; it must match exactly one'
    case 'false schema':
      return 'is not allowed'
    default:
      return `does not meet "${keyword}"`
  }
}

/** A property whose name breaks `propertyNames`, for the reason given. */
export function nameIssue(
  { instancePath, params }: ErrorObject,
  reason: ErrorObject | undefined,
): ValidationIssue {
  const name = String(params.propertyName)
  const rule = reason === undefined ? 'is not allowed' : requirement(reason)
  return issue(pointerTo(instancePath, name), 'propertyNames', `the name ${quoted(name)} ${rule}`, params)
}

/** A type as a noun with its article. */
export function typeName(type: unknown): string {
  return TYPE_NAMES[String(type)] ?? String(type)
}

/** An issue, frozen; of its message at most `MAX_MESSAGE_LENGTH` characters. */
export function issue(
  path: string,
  keyword: string,
  message: string,
  params: Readonly<Record<string, unknown>> = {},
): ValidationIssue {
  return Object.freeze({
    path,
    keyword,
    message: shortened(message, MAX_MESSAGE_LENGTH),
    params: Object.freeze({ ...params }),
  })
}

function missingIssue(
  { keyword, instancePath, params }: ErrorObject,
  { noun }: IssueWording,
): ValidationIssue {
  const name = String(params.missingProperty)
  const path = pointerTo(instancePath, name)
  const because =
    params.property === undefined
      ? ''
      : ` (required when ${placeName(pointerTo(instancePath, params.property))} is given)`
  return issue(path, keyword, `missing required ${noun} ${quoted(bareName(path))}${because}`, params)
}

function unknownIssue(
  { keyword, instancePath, params, parentSchema }: ErrorObject,
  { noun, hidden = [] }: IssueWording,
): ValidationIssue {
  const name = String(params.additionalProperty ?? params.unevaluatedProperty)
  const path = pointerTo(instancePath, name)
  const known = Object.keys(isObject(parentSchema?.properties) ? parentSchema.properties : {})
  const allowed = instancePath === '' ? known.filter((each) => !hidden.includes(each)) : known
  const patterns = Object.keys(
    isObject(parentSchema?.patternProperties) ? parentSchema.patternProperties : {},
  )
  const choices = [
    ...(allowed.length > 0 ? [listed(allowed)] : []),
    ...(patterns.length > 0 ? [`names matching ${alternatives(patterns)}`] : []),
  ]
  // What else `unevaluatedProperties` lets pass stands elsewhere in the schema.
  const hint = choices.length > 0 ? `; allowed: ${choices.join(' and ')}` : ''
  const none = hint === '' && keyword === 'additionalProperties' ? '; none is allowed here' : ''
  return issue(path, keyword, `unknown ${noun} ${quoted(bareName(path))}${hint}${none}`, {
    ...params,
    allowed,
  })
}

function containsRequirement({ minContains, maxContains }: Readonly<Record<string, unknown>>): string {
  const least = `must contain at least ${counted(Number(minContains ?? 1), 'item')} of the required form`
  return maxContains === undefined ? least : `${least} and at most ${maxContains}`
}

function counted(count: number, noun: string): string {
  const plural = noun === 'property' ? 'properties' : `${noun}s`
  return `${count} ${count === 1 ? noun : plural}`
}
