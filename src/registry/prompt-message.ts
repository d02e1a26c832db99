import { Content } from './content.js'
import { contentFaults, requireFaultless } from './content-fault.js'
import { frozenCopy } from './json-value.js'

/** One message of a prompt: what the user, or the model, is taken to have said (MCP `PromptMessage`). */
export type PromptMessage = {
  readonly role: 'user' | 'assistant'
  readonly content: Content
}

/** A prompt with its arguments filled in (MCP `GetPromptResult`). */
export interface PromptMessages {
  /** What became of it, for a person. */
  readonly description?: string
  readonly messages: readonly PromptMessage[]
}

/** Makes messages, of text or of any other content. Frozen. */
export const PromptMessage = Object.freeze({
  user(content: string | Content): PromptMessage {
    return message('user', content)
  },
  assistant(content: string | Content): PromptMessage {
    return message('assistant', content)
  },
})

function message(role: PromptMessage['role'], content: string | Content): PromptMessage {
  if (typeof content === 'string') return Object.freeze({ role, content: Content.text(content) })
  requireFaultless(`PromptMessage.${role}`, contentFaults(content, 'content'))
  return frozenCopy({ role, content }, `PromptMessage.${role}`)
}
