import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { AskAnswer, AskedQuestion, AskQuestion } from '../../src/registry/ask.js'
import { ToolError } from '../../src/registry/tool-error.js'
import { gist, started, tool } from './runtime-fixture.js'

const form = {
  message: 'Sure?',
  schema: { type: 'object', properties: { sure: { type: 'boolean' } } },
} as const

/** What a tool is told that asks this, of somebody who answers that. */
async function ask(question: unknown, answer: unknown) {
  const asked: AskedQuestion[] = []
  const { runtime, logger } = await started({
    tools: [tool('asks', async (ctx) => ctx.ask(question as AskQuestion))],
  })
  const result = await runtime.call(
    'asks',
    {},
    {
      ask: async (one) => {
        asked.push(one)
        return answer as AskAnswer
      },
    },
  )
  const cause = logger.lines.find(({ message }) => message === 'tool failed')?.fields.err
  return {
    asked,
    told: result.ok ? result.value : `${result.error.code}: ${result.error.message}`,
    cause: (cause as { message?: string } | undefined)?.message,
  }
}

describe('a question', () => {
  it('reaches whoever answers with its key, its kind, and a form with its schema as a document', async () => {
    const { asked, told } = await ask(form, { action: 'accept', content: { sure: false } })
    expect(asked).toEqual([{ key: 'ask-1', kind: 'form', ...form }])
    expect(told).toEqual({ action: 'accept', content: { sure: false } })
  })

  it('may be a form of a schema library', async () => {
    const schema = z.object({ size: z.enum(['s', 'm']), count: z.int().min(1).optional() })
    const { asked, told } = await ask(
      { key: 'size', message: 'Which?', schema },
      { action: 'accept', content: { size: 'm' } },
    )
    expect(asked).toMatchObject([
      { key: 'size', kind: 'form', schema: { properties: { size: { type: 'string', enum: ['s', 'm'] } } } },
    ])
    expect(told).toEqual({ action: 'accept', content: { size: 'm' } })
  })

  const message = { role: 'user', content: { type: 'text', text: 'Say hi' } }
  it.each([
    ['a page', { kind: 'url', message: 'Pay', url: 'https://pay.test/1' }, { action: 'cancel' }],
    [
      'a model',
      {
        kind: 'sampling',
        messages: [message],
        maxTokens: 10,
        temperature: 0,
        modelPreferences: { speed: 1 },
      },
      { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm', stopReason: 'endTurn' },
    ],
    [
      'a model, in blocks',
      { kind: 'sampling', messages: [message], maxTokens: 1 },
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 't', input: {} }], model: '' },
    ],
    ['the roots', { kind: 'roots' }, { roots: [{ uri: 'file:///a', name: '' }] }],
    ['the roots, of which there are none', { kind: 'roots' }, { roots: [] }],
    ['a form that is declined', form, { action: 'decline' }],
    ['a form that is closed, with what it had', form, { action: 'cancel', content: { sure: 7 } }],
  ])('may be of %s', async (_what, question, answer) => {
    const { asked, told } = await ask(question, answer)
    expect(asked).toEqual([{ kind: 'form', ...question, key: 'ask-1' }])
    expect(told).toEqual(answer)
  })

  it('is frozen, and a copy: nobody who is asked can change it', async () => {
    const preferences = { hints: [{ name: 'm' }] }
    const question = { kind: 'sampling', messages: [message], maxTokens: 1, modelPreferences: preferences }
    const { asked } = await ask(question, { role: 'user', content: { type: 'text', text: '' }, model: 'm' })
    const copy = asked[0] as unknown as { messages: unknown[]; modelPreferences: object }
    expect(copy.modelPreferences).not.toBe(preferences)
    expect([copy, copy.messages, copy.messages[0], copy.modelPreferences].map(Object.isFrozen)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(Object.isFrozen(preferences)).toBe(false)
  })

  it.each([
    ['nothing', undefined, 'A question must be an object (got undefined)'],
    ['a text', 'Sure?', 'A question must be an object (got a string)'],
    ['of no known kind', { kind: 'phone' }, 'its kind must be form, url, sampling or roots (got "phone")'],
    ['of a kind of objects', { kind: 'constructor' }, 'its kind must be form, url, sampling or roots'],
    ['without a message', { schema: form.schema }, 'its message, which the user reads, is missing'],
    ['a form without a schema', { message: 'Sure?' }, 'A JSON Schema must be plain JSON (got undefined)'],
    [
      'a page without a URL',
      { kind: 'url', message: 'Go', url: '/there' },
      'its url must be an absolute URL',
    ],
    ['a model without messages', { kind: 'sampling', maxTokens: 1 }, 'its messages must be a list'],
    [
      'a model without a limit',
      { kind: 'sampling', messages: [] },
      'its maxTokens must be a whole number from 1',
    ],
    ['with a number as key', { ...form, key: 1 }, 'The key of a question must be a string (got 1)'],
    ['with what JSON cannot carry', { ...form, extra: () => 1 }, 'must be plain JSON (got a function)'],
  ])('that is %s is refused before anybody is asked', async (_what, question, reason) => {
    const { asked, told, cause } = await ask(question, { action: 'decline' })
    expect([asked, told]).toEqual([[], 'EXECUTION_FAILED: The tool failed'])
    expect(cause).toContain(reason)
  })

  it.each([
    ['an object', { a: { type: 'object' } }],
    ['a list of anything', { a: { type: 'array' } }],
    ['a list of objects', { a: { type: 'array', items: { type: 'object' } } }],
    ['one of several types', { a: { type: ['string', 'null'] } }],
    ['anything', { a: true }],
    ['a reference', { a: { $ref: '#/$defs/b' } }],
  ])('is refused as a form that is not flat: a field of %s', async (_what, properties) => {
    const { asked, cause } = await ask({ message: 'x', schema: { type: 'object', properties } }, {})
    expect(asked).toEqual([])
    expect(cause).toBe(
      'The field "a" of a question must be a string, a number, a boolean, or a list of choices',
    )
  })

  it('is refused as a form of no object, and with a schema that could not be checked', async () => {
    expect((await ask({ message: 'x', schema: { type: 'string' } }, {})).cause).toBe(
      'The schema of a question must be an object',
    )
    const broken = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }
    const { asked, cause } = await ask({ message: 'x', schema: broken }, {})
    expect(asked).toEqual([])
    expect(cause).toContain('The schema of the question "ask-1" is wrong at "/properties/a/pattern"')
  })

  it.each([
    ['a choice', { type: 'string', enum: ['a'] }],
    ['a titled choice', { type: 'string', oneOf: [{ const: 'a', title: 'A' }] }],
    ['several choices', { type: 'array', items: { type: 'string', enum: ['a'] } }],
    ['several titled choices', { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }],
    ['an integer', { type: 'integer', minimum: 0, default: 0 }],
  ])('may have %s as a field', async (_what, field) => {
    const schema = { type: 'object', properties: { a: field } }
    expect((await ask({ message: 'x', schema }, { action: 'accept', content: {} })).told).toEqual({
      action: 'accept',
      content: {},
    })
  })

  it('needs a key of its own', async () => {
    const { runtime, logger } = await started({
      tools: [
        tool('twice', async ({ ask }) => {
          await ask({ ...form, key: 'one' })
          await ask({ ...form, key: 'one' }) // the same again has its answer
          await ask({ ...form, message: 'Really?', key: 'one' })
        }),
      ],
    })
    const answer = vi.fn(async () => ({ action: 'decline' as const }))
    await runtime.call('twice', {}, { ask: answer })
    expect(answer).toHaveBeenCalledOnce()
    expect(logger.lines.at(-1)?.fields.err).toMatchObject({
      message: 'The key "one" names two questions of one call: give each its own',
    })
  })
})

describe('an answer', () => {
  const required = {
    message: 'Name?',
    schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  }

  it.each([
    ['nothing', form, undefined, 'it must be an object (got undefined)'],
    ['a list', form, [], 'it must be an object (got an array)'],
    ['without an action', form, {}, 'action must be one of accept, decline, cancel'],
    [
      'of an unknown action',
      { kind: 'url', message: 'x', url: 'x:y' },
      { action: 'ok' },
      'action must be one',
    ],
    ['that breaks the form', form, { action: 'accept', content: { sure: 'yes' } }, '"sure" must be'],
    ['without a required field', required, { action: 'accept' }, 'missing required argument "name"'],
    ['of no role', sampling(), { content: { type: 'text' }, model: 'm' }, 'role must be user or assistant'],
    [
      'of no content',
      sampling(),
      { role: 'user', content: {}, model: 'm' },
      'content must be a block of content, or several',
    ],
    ['of no model', sampling(), { role: 'user', content: { type: 'text' } }, 'model must be a string'],
    [
      'of roots without a URI',
      { kind: 'roots' },
      { roots: [{}] },
      'roots must be a list of objects with a uri',
    ],
    ['that is no JSON', form, { action: 'decline', at: new Date(0) }, 'it must be plain JSON'],
    ['of a cycle', form, cyclic(), 'it contains itself'],
  ])('%s is refused, and the reason told', async (_what, question, answer, reason) => {
    const { told } = await ask(question, answer)
    expect(told).toContain('EXECUTION_FAILED: The answer to "ask-1" cannot be used: ')
    expect(told).toContain(reason)
  })

  it('can be handled by the executor: it is an error like any other', async () => {
    const { runtime } = await started({
      tools: [
        tool('asks', ({ ask }) =>
          ask(form).catch((error) => ToolError.is(error) && [error.code, error.outcome, error.retryable]),
        ),
      ],
    })
    const answer = async () => 7 as unknown as AskAnswer
    expect(gist(await runtime.call('asks', {}, { ask: answer }))).toEqual({
      value: ['EXECUTION_FAILED', 'unknown', true],
    })
  })

  it('that accepts an empty form has a content, and is a frozen copy', async () => {
    for (const content of [undefined, null]) {
      const { told } = await ask(form, { action: 'accept', content })
      expect(told).toEqual({ action: 'accept', content: {} })
    }
    const answer = { action: 'accept', content: { sure: true } }
    const { told } = await ask(form, answer)
    expect([told === answer, Object.isFrozen(told), Object.isFrozen(answer)]).toEqual([false, true, false])
  })

  it('may hold names of prototypes', async () => {
    const answer = JSON.parse(
      '{"action":"accept","content":{"__proto__":"x"},"__proto__":{"action":"decline"}}',
    )
    const { told } = await ask(form, answer)
    expect(JSON.stringify(told)).toBe(JSON.stringify(answer))
    expect(Object.getPrototypeOf(told)).toBe(Object.prototype)
  })
})

function sampling() {
  return { kind: 'sampling', messages: [], maxTokens: 1 } as const
}

function cyclic() {
  const answer: Record<string, unknown> = { action: 'decline' }
  answer.self = answer
  return answer
}
