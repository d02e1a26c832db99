import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { Content } from '../../src/registry/content.js'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { PromptMessage } from '../../src/registry/prompt-message.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinitionError } from '../../src/registry/tool-definition-error.js'
import { ForbiddenError, InvalidResultError } from '../../src/registry/tool-error.js'
import { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import { toolCall } from '../interceptors/tool-call-fixture.js'

const essaySchema = JsonSchema.object(
  {
    topic: SchemaProperty.STRING.withDescription('What to write on').withMinLength(1),
    tone: SchemaProperty.STRING.withEnum('plain', 'solemn'),
    language: SchemaProperty.STRING.withTitle('Language').withDefault('English'),
  },
  { required: ['topic', 'language'] },
)
const essay = PromptDefinition.builder().name('essay').parameterSchema(essaySchema)

/** The context of a call that gets a prompt. */
function getting<Args>(args: Args) {
  return new ToolExecutionContext(toolCall({ kind: 'prompt' }), args)
}

/** What becomes of what a template returns. */
async function messagesOf(value: unknown) {
  const prompt = PromptDefinition.builder()
    .name('p')
    .template(() => value as string)
    .build()
  return prompt.execute(getting({}))
}

describe('PromptDefinition.builder()', () => {
  it('makes a definition of all that was said', () => {
    const interceptor = { name: 'mine' }
    const prompt = essay
      .title('Essay')
      .description('Writes an essay')
      .icons({ src: 'https://example.test/icon.png' })
      .meta({ 'example.test/rank': 1 })
      .metadata({ owner: 'docs-team' })
      .withInterceptor(interceptor)
      .template(() => '')
      .build()
    expect({ ...prompt }).toEqual({
      kind: 'prompt',
      name: 'essay',
      title: 'Essay',
      description: 'Writes an essay',
      icons: [{ src: 'https://example.test/icon.png' }],
      meta: { 'example.test/rank': 1 },
      parameters: essaySchema,
      arguments: [
        { name: 'topic', description: 'What to write on', required: true },
        { name: 'tone', required: false },
        { name: 'language', title: 'Language', required: false },
      ],
      metadata: { owner: 'docs-team', tags: [], readOnly: true, destructive: false, idempotent: true },
      interceptors: [interceptor],
      completers: {},
    })
    expect([prompt.inputSchema, prompt.outputSchema]).toEqual([essaySchema.document, undefined])
    expect([prompt, prompt.arguments, ...prompt.arguments, prompt.meta, prompt.interceptors]).toSatisfy(
      (parts: readonly unknown[]) => parts.every(Object.isFrozen),
    )
  })

  it('gives a prompt without a schema no arguments', () => {
    const prompt = PromptDefinition.builder()
      .name('hello')
      .template(() => 'Hello')
      .build()
    expect([prompt.arguments, prompt.inputSchema]).toEqual([
      [],
      { type: 'object', additionalProperties: false },
    ])
  })

  it('takes any schema whose properties can be strings', () => {
    const schema = z.object({
      topic: z.string().min(1).describe('What'),
      tone: z.enum(['a', 'b']).optional(),
    })
    expect(
      PromptDefinition.builder()
        .name('x')
        .parameterSchema(schema)
        .template(() => '')
        .build().arguments,
    ).toEqual([
      { name: 'topic', description: 'What', required: true },
      { name: 'tone', required: false },
    ])
    const raw = { type: 'object', properties: { a: { enum: ['x'] }, b: { const: 'y' }, c: true } }
    expect(
      PromptDefinition.builder()
        .name('x')
        .parameterSchema(raw)
        .template(() => '')
        .build().arguments,
    ).toEqual(['a', 'b', 'c'].map((name) => ({ name, required: false })))
  })

  it.each([
    { type: 'integer' },
    { type: ['string', 'null'] },
    { enum: ['a', 1] },
    { const: 1 },
    {},
    { anyOf: [] },
  ])('refuses an argument of %j', (property) => {
    const open = PromptDefinition.builder()
      .name('x')
      .parameterSchema({ type: 'object', properties: { n: property } })
    expect(thrownBy(() => open.template(() => '').build())).toMatchObject({
      faults: [
        {
          path: 'inputSchema/properties/n',
          message:
            'must be of type "string": the arguments of MCP prompts are strings, parse them in the template',
        },
      ],
    })
  })

  it('names all that is missing or wrong at once', () => {
    const unfinished = PromptDefinition.builder()
      .parameterSchema({ type: 'array' })
      .complete('topic', () => [])
    // @ts-expect-error There is no template.
    const error = thrownBy(() => unfinished.build())
    expect(error).toBeInstanceOf(ToolDefinitionError)
    expect(error).toHaveProperty(
      'message',
      'Prompt "(no name)" cannot be used: name: must be 1 to 128 characters on one line, without space around them (got undefined); ' +
        'inputSchema/type: must be "object": a prompt takes named arguments; ' +
        'complete/topic: completes no argument; the arguments are: none; ' +
        'template: is missing: add .template((ctx) => …)',
    )
  })

  it('settles the schema with template()', () => {
    const closed = essay.template(() => '')
    // @ts-expect-error The schema is settled.
    expect(() => closed.parameterSchema(essaySchema)).toThrow(
      new TypeError('parameterSchema() must come before template()'),
    )
    // @ts-expect-error So is the template.
    expect(() => closed.template(() => '')).toThrow(new TypeError('template() must come before template()'))
    // @ts-expect-error A text is no template.
    expect(() => essay.template('text')).toThrow(new TypeError('template must be a function (got a string)'))
  })
})

describe('PromptDefinition', () => {
  it('recognises definitions, also those of another copy of the module', async () => {
    vi.resetModules()
    const other = await import('../../src/registry/prompt-definition.js')
    const prompt = essay.template(() => '').build()
    const foreign = other.PromptDefinition.builder()
      .name('x')
      .template(() => '')
      .build()
    expect([prompt, foreign, { ...prompt }, null].map(PromptDefinition.is)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('gives a changed copy with the same template', async () => {
    const prompt = essay
      .title('Essay')
      .template(({ args }) => args.topic)
      .build()
    const renamed = prompt.with({ name: 'other', metadata: { owner: 'team' } })
    expect([renamed.name, renamed.title, renamed.metadata.owner, prompt.name]).toEqual([
      'other',
      'Essay',
      'team',
      'essay',
    ])
    expect(await renamed.execute(getting({ topic: 'x', language: '' }))).toEqual({
      messages: [PromptMessage.user('x')],
    })
    expect(() => prompt.with({ name: '' })).toThrow(
      'name: must be 1 to 128 characters on one line, without space around them (got "")',
    )
  })
})

describe('PromptDefinition.execute', () => {
  it('makes a message of the user of a string', async () => {
    expect(await messagesOf('')).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: '' } }],
    })
    expect(await messagesOf(Promise.resolve('Hi'))).toEqual({ messages: [PromptMessage.user('Hi')] })
  })

  it('takes a message, a list of them, or messages with a description', async () => {
    const answer = PromptMessage.assistant(Content.image(Uint8Array.of(1), 'image/png'))
    expect(await messagesOf(answer)).toEqual({ messages: [answer] })
    expect(await messagesOf([PromptMessage.user('a'), answer])).toEqual({
      messages: [PromptMessage.user('a'), answer],
    })
    expect(await messagesOf([])).toEqual({ messages: [] })
    expect(await messagesOf({ description: 'An example', messages: [answer] })).toEqual({
      description: 'An example',
      messages: [answer],
    })
    expect(await messagesOf(ToolExecutionResult.success('x'))).toEqual({
      messages: [PromptMessage.user('x')],
    })
  })

  it('freezes copies of messages made by hand', async () => {
    const byHand = { role: 'user', content: { type: 'text', text: 'x' } }
    const { messages } = await messagesOf([byHand])
    expect(messages).toEqual([byHand])
    expect([messages, messages[0], messages[0]?.content].map(Object.isFrozen)).toEqual([true, true, true])
    expect([byHand, byHand.content].map(Object.isFrozen)).toEqual([false, false])
  })

  it.each([
    [
      undefined,
      'the value must be a string, a message, a list of messages, or { description, messages } (got undefined)',
    ],
    [12, 'the value must be a string, a message, a list of messages, or { description, messages } (got 12)'],
    [
      { messages: 'x' },
      'the value must be a string, a message, a list of messages, or { description, messages } (got an object)',
    ],
    [['x'], 'messages/0 must be a message, such as PromptMessage.user(…) (got a string)'],
    [
      { role: 'system', content: Content.text('x') },
      'messages/0/role must be "user" or "assistant" (got a string)',
    ],
    [
      [PromptMessage.user('x'), { role: 'user', content: 'x' }],
      'messages/1/content must be a block of content, such as Content.text(…) (got a string)',
    ],
    [
      [{ role: 'user', content: { type: 'text' } }],
      'messages/0/content/text must be a string (got undefined)',
    ],
    [{ description: 1, messages: [] }, 'description must be a string (got 1)'],
  ])('refuses %j', async (value, reason) => {
    const error = await messagesOf(value).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InvalidResultError)
    expect(error).toHaveProperty('message', `Prompt "p" returned an invalid result: ${reason}`)
  })

  it('stops at the first message that is none', async () => {
    const content = vi.fn(() => Content.text('x'))
    const after = Object.defineProperty({ role: 'user' }, 'content', { get: content })
    await expect(messagesOf([PromptMessage.user('x'), 5, after])).rejects.toThrow('messages/1 must be')
    expect(content).not.toHaveBeenCalled()
  })

  it('refuses more messages than any result can hold, before it looks at one', async () => {
    const role = vi.fn(() => 'user')
    const message = Object.defineProperty({ content: Content.text('x') }, 'role', { get: role })
    const error = await messagesOf(Array(250_001).fill(message)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'RESULT_TOO_LARGE',
      message: 'Prompt "p" returned a result that is too large: it has more than 250000 messages',
    })
    expect(role).not.toHaveBeenCalled()
  })

  it('throws the error of a failure, returned or thrown', async () => {
    const error = new ForbiddenError()
    expect(await messagesOf(ToolExecutionResult.failure(error)).catch((thrown: unknown) => thrown)).toBe(
      error,
    )
    expect(await messagesOf(error).catch((thrown: unknown) => thrown)).toBe(error)
  })

  it('gives the template an argument that is missing as undefined, and an empty one as it is (BRG-16)', async () => {
    const prompt = essay
      .template(
        ({ args }) => `Write on ${args.topic}${args.tone === undefined ? '' : ` in a ${args.tone} tone`}`,
      )
      .build()
    const write = async (args: { topic: string; tone?: 'plain'; language: string }) =>
      (await prompt.execute(getting(args))).messages[0]?.content
    expect(await write({ topic: 'x', language: '' })).toEqual(Content.text('Write on x'))
    expect(await write({ topic: '', tone: 'plain', language: '' })).toEqual(
      Content.text('Write on  in a plain tone'),
    )
  })
})

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown')
}
