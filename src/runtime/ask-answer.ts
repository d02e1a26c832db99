import type { AskAnswer, AskedQuestion } from '../registry/ask.js'
import type { JsonSchemaDocument } from '../registry/json-schema.js'
import { describe, frozenCopy, isObject } from '../registry/json-value.js'
import { SchemaError } from '../registry/schema-error.js'
import type { ValidationIssue } from '../registry/validation-issue.js'

/** What a form was filled in with, checked against its schema. */
export type CheckForm = (schema: JsonSchemaDocument, content: unknown) => readonly ValidationIssue[]

/** An answer that is none to the question, of whoever was asked. */
export class InvalidAnswerError extends Error {
  override readonly name = 'InvalidAnswerError'
}

/** A frozen copy of the answer. Throws an {@link InvalidAnswerError} that says what is wrong with it. */
export function readAnswer(question: AskedQuestion, answer: unknown, checkForm: CheckForm): AskAnswer {
  const copy = copyOf(question, answer)
  const fault = faultOf(question, copy, checkForm)
  if (fault !== undefined) throw unusable(question, fault)
  // It has the form that was asked for: that is what was checked.
  return copy as AskAnswer
}

/** A form without required fields may be accepted with no content at all. */
function copyOf(question: AskedQuestion, answer: unknown): unknown {
  if (!isObject(answer)) throw unusable(question, `it must be an object (got ${describe(answer)})`)
  const isEmptyForm = question.kind === 'form' && answer.action === 'accept' && answer.content == null
  try {
    return frozenCopy(isEmptyForm ? { ...answer, content: {} } : answer, 'it')
  } catch (error) {
    if (error instanceof SchemaError) throw unusable(question, error.message)
    throw error
  }
}

function unusable({ key }: AskedQuestion, fault: string): InvalidAnswerError {
  return new InvalidAnswerError(`The answer to ${JSON.stringify(key)} cannot be used: ${fault}`)
}

function faultOf(question: AskedQuestion, answer: unknown, checkForm: CheckForm): string | undefined {
  if (!isObject(answer)) return `it must be an object (got ${describe(answer)})`
  switch (question.kind) {
    case 'form':
      return (
        actionFault(answer) ??
        (answer.action === 'accept' ? formFault(question, answer, checkForm) : undefined)
      )
    case 'url':
      return actionFault(answer)
    case 'sampling':
      return samplingFault(answer)
    case 'roots':
      return rootsFault(answer)
  }
}

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

function actionFault({ action }: Readonly<Record<string, unknown>>): string | undefined {
  return ACTIONS.includes(action) ? undefined : `action must be one of ${ACTIONS.join(', ')}`
}

function formFault(
  { schema }: AskedQuestion & { readonly kind: 'form' },
  { content }: Readonly<Record<string, unknown>>,
  checkForm: CheckForm,
): string | undefined {
  const issues = checkForm(schema, content)
  return issues.length === 0 ? undefined : issues.map(({ message }) => message).join('; ')
}

function samplingFault({ role, content, model }: Readonly<Record<string, unknown>>): string | undefined {
  if (role !== 'user' && role !== 'assistant') return 'role must be user or assistant'
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
  if (!blocks.every(isBlock)) return 'content must be a block of content, or several'
  return typeof model === 'string' ? undefined : 'model must be a string'
}

/** Of any type: MCP has added more than one since. */
function isBlock(block: unknown): boolean {
  return isObject(block) && typeof block.type === 'string'
}

function rootsFault({ roots }: Readonly<Record<string, unknown>>): string | undefined {
  const isRoot = (root: unknown) => isObject(root) && typeof root.uri === 'string'
  return Array.isArray(roots) && roots.every(isRoot)
    ? undefined
    : 'roots must be a list of objects with a uri'
}
