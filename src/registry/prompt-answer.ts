import { contentFaults } from './content-fault.js'
import { mustBe, typeFaults } from './definition-init.js'
import { isObject } from './json-value.js'
import { PromptMessage, type PromptMessages } from './prompt-message.js'
import { returnedValue } from './returned-value.js'
import type { DefinitionFault } from './tool-definition-error.js'
import { InvalidResultError } from './tool-error.js'

/** What a template may return: a string is one message of the user. */
export type PromptAnswer = string | PromptMessage | readonly PromptMessage[] | PromptMessages

/** More of them are more than 10 million characters of JSON, however short they are. */
const MAX_MESSAGES = 250_000

/** What a template returned, as messages. Throws an `InvalidResultError` that says where it is none. */
export function promptMessagesOf(returned: unknown, promptName: string): PromptMessages {
  const value = returnedValue(returned)
  const { description, messages } = asMessages(value)
  if (Array.isArray(messages) && messages.length > MAX_MESSAGES) {
    throw new InvalidResultError(promptName, `it has more than ${MAX_MESSAGES} messages`, {
      code: 'RESULT_TOO_LARGE',
      kind: 'prompt',
    })
  }
  const fault = typeFaults('description', description, 'string')[0] ?? firstFault(messages, value)
  if (fault !== undefined)
    throw new InvalidResultError(promptName, `${fault.path} ${fault.message}`, { kind: 'prompt' })
  return Object.freeze({
    ...(description !== undefined && { description: description as string }),
    messages: Object.freeze((messages as readonly PromptMessage[]).map(copyOf)),
  })
}

function asMessages(value: unknown): { readonly description?: unknown; readonly messages?: unknown } {
  if (typeof value === 'string') return { messages: [PromptMessage.user(value)] }
  if (Array.isArray(value)) return { messages: value }
  if (!isObject(value)) return {}
  return 'role' in value ? { messages: [value] } : value
}

function firstFault(messages: unknown, value: unknown): DefinitionFault | undefined {
  if (!Array.isArray(messages))
    return mustBe('the value', 'a string, a message, a list of messages, or { description, messages }', value)
  for (const [index, message] of messages.entries()) {
    const [fault] = messageFaults(message, index)
    if (fault !== undefined) return fault
  }
  return undefined
}

function messageFaults(message: unknown, index: number): readonly DefinitionFault[] {
  const at = `messages/${index}`
  if (!isObject(message)) return [mustBe(at, 'a message, such as PromptMessage.user(…)', message)]
  const { role, content } = message
  return [
    ...(role === 'user' || role === 'assistant' ? [] : [mustBe(`${at}/role`, '"user" or "assistant"', role)]),
    ...contentFaults(content, `${at}/content`),
  ]
}

function copyOf({ role, content }: PromptMessage): PromptMessage {
  return Object.freeze({ role, content: Object.freeze({ ...content }) })
}
