import type { AskedQuestion, AskQuestion } from '../registry/ask.js'
import { JsonSchema, type JsonSchemaDocument, type JsonSchemaSource } from '../registry/json-schema.js'
import { describe, frozenCopy, isObject } from '../registry/json-value.js'
import { shortened } from '../registry/shortened.js'
import { requireFlatForm } from './flat-form.js'

/** What is wrong with the schema of a form, which a client fills in as it likes. */
export type FormFaults = (
  schema: JsonSchemaDocument,
) => readonly { readonly path: string; readonly message: string }[]

/** A frozen copy of a question, checked. Throws a `TypeError` that says what would be right: nobody is asked then. */
export function readQuestion(
  question: AskQuestion,
  defaultKey: string,
  formFaults: FormFaults,
): AskedQuestion {
  if (!isObject(question)) throw new TypeError(`A question must be an object (got ${describe(question)})`)
  const { key = defaultKey, kind = 'form', ...rest } = question as AskQuestion
  if (typeof key !== 'string')
    throw new TypeError(`The key of a question must be a string (got ${describe(key)})`)
  if (!/^[\w.:-]{1,64}$/.test(key) || key === '__proto__') {
    throw new TypeError(
      `The key of a question must be 1 to 64 of A-Z a-z 0-9 _ . : - (got ${JSON.stringify(shortened(key, 80))})`,
    )
  }
  const fault = faultOf(kind, rest)
  if (fault !== undefined)
    throw new TypeError(`The question ${JSON.stringify(key)} cannot be asked: ${fault}`)
  const { schema, ...said } = rest as Readonly<Record<string, unknown>>
  const copy = frozenCopy({ ...said, key, kind }, 'A question')
  // Its kind is one of ours, and what that kind needs is there.
  if (kind !== 'form') return copy as unknown as AskedQuestion
  // Whatever it is, it is checked there.
  const { document } = JsonSchema.from(schema as JsonSchemaSource)
  requireFlatForm(document)
  const [wrong] = formFaults(document)
  if (wrong !== undefined) {
    throw new TypeError(
      `The schema of the question ${JSON.stringify(key)} is wrong at ${JSON.stringify(wrong.path)}: ${wrong.message}`,
    )
  }
  return Object.freeze({ ...copy, schema: document }) as unknown as AskedQuestion
}

function faultOf(kind: string, question: Readonly<Record<string, unknown>>): string | undefined {
  const { message, url, messages, maxTokens } = question
  const hasMessage = typeof message === 'string' && message !== ''
  switch (kind) {
    case 'form':
      return hasMessage ? undefined : 'its message, which the user reads, is missing'
    case 'url':
      if (!hasMessage) return 'its message, which the user reads, is missing'
      return typeof url === 'string' && URL.canParse(url) ? undefined : 'its url must be an absolute URL'
    case 'sampling':
      if (!Array.isArray(messages)) return 'its messages must be a list'
      return Number.isInteger(maxTokens) && Number(maxTokens) > 0
        ? undefined
        : 'its maxTokens must be a whole number from 1'
    case 'roots':
      return undefined
    default:
      return `its kind must be form, url, sampling or roots (got ${JSON.stringify(kind)})`
  }
}
