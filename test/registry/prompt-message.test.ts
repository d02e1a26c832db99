import { PromptMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { Content } from '../../src/registry/content.js'
import { PromptMessage } from '../../src/registry/prompt-message.js'

describe('PromptMessage', () => {
  it('makes messages of text and of any other content', () => {
    const image = Content.image(Uint8Array.of(1), 'image/png')
    const made = [PromptMessage.user(''), PromptMessage.assistant('Hello'), PromptMessage.user(image)]
    expect(made).toEqual([
      { role: 'user', content: { type: 'text', text: '' } },
      { role: 'assistant', content: { type: 'text', text: 'Hello' } },
      { role: 'user', content: image },
    ])
    expect(made.map((message) => PromptMessageSchema.parse(message))).toEqual(made)
    expect(made.flatMap((message) => [message, message.content]).map(Object.isFrozen)).toEqual(
      Array(6).fill(true),
    )
  })

  it('refuses what is no content', () => {
    // @ts-expect-error A number is no content.
    expect(() => PromptMessage.user(1)).toThrow(
      new TypeError(
        'PromptMessage.user: content must be a block of content, such as Content.text(…) (got 1)',
      ),
    )
    expect(() => PromptMessage.assistant({ type: 'image', data: '!', mimeType: 'image/png' })).toThrow(
      'PromptMessage.assistant: content/data must be base64',
    )
  })
})
