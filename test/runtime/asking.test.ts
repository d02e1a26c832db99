import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { AskAnswer, AskedQuestion, AskQuestion } from '../../src/registry/ask.js'
import { AskUnsupportedError, ToolError } from '../../src/registry/tool-error.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { CallOptions } from '../../src/runtime/call-options.js'
import { currentCall } from '../../src/runtime/call-scope.js'
import type { RuntimeOptions } from '../../src/runtime/runtime-settings.js'
import { deferred, gist, prompt, resource, started, tool } from './runtime-fixture.js'

afterEach(() => vi.useRealTimers())

const form = {
  message: 'Sure?',
  schema: { type: 'object', properties: { sure: { type: 'boolean' } } },
} as const

/** Timers that stay: the one of all deadlines, which does not keep the process alive. */
const DEADLINES = 1

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
          await ask({ ...form, key: 'one' })
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

describe('nobody to answer', () => {
  it.each([
    [form, 'elicitation'],
    [{ kind: 'url', message: 'x', url: 'https://a.test' }, 'elicitation.url'],
    [sampling(), 'sampling'],
    [{ kind: 'roots' }, 'roots'],
  ] as const)('is told at once, with what is lacking: %#', async (question, capability) => {
    const { runtime } = await started({
      tools: [tool('asks', async (ctx) => ctx.ask(question as AskQuestion))],
    })
    const result = await runtime.call('asks')
    expect(result.ok ? result.value : result.error).toMatchObject({
      code: 'ASK_UNSUPPORTED',
      capability,
      message: `This client cannot be asked: it does not support ${capability}`,
      outcome: 'unknown',
    })
  })

  it('may be said by the one who is asked, and any other reason is the executor’s to handle', async () => {
    const { runtime } = await started({ tools: [tool('asks', async ({ ask }) => ask(form))] })
    const unable = { ask: () => Promise.reject(new AskUnsupportedError('elicitation')) }
    expect(gist(await runtime.call('asks', {}, unable))).toMatchObject({ code: 'ASK_UNSUPPORTED' })
    const throwing: CallOptions = {
      ask: () => {
        throw new Error('thrown at once')
      },
    }
    expect(gist(await runtime.call('asks', {}, throwing))).toMatchObject({ code: 'EXECUTION_FAILED' })
  })
})

describe('while somebody is asked', () => {
  /** Asks at once and works for a while after; time is faked. */
  async function asking({ workMs = 0, options }: { workMs?: number; options?: RuntimeOptions } = {}) {
    vi.useFakeTimers()
    const answer = deferred<AskAnswer>()
    let taken: AbortSignal | undefined
    const deadlines: number[] = []
    const { runtime } = await started({
      options: options ?? {},
      tools: [
        tool(
          'asks',
          async (ctx) => {
            deadlines.push(ctx.deadline - Date.now())
            const asked = ctx.ask(form)
            deadlines.push(ctx.deadline)
            const { action } = await asked
            deadlines.push(ctx.deadline - Date.now())
            await new Promise((resolve) => setTimeout(resolve, workMs))
            return action
          },
          { metadata: { timeoutMs: 100 } },
        ),
      ],
    })
    const ask: CallOptions['ask'] = (_question, signal) => {
      taken = signal
      return answer.promise
    }
    return { runtime, ask, answer, deadlines, isTaken: () => taken?.aborted }
  }

  it('the deadline stands still, and goes on with what was left', async () => {
    const { runtime, ask, answer, deadlines, isTaken } = await asking({ workMs: 90 })
    const call = runtime.call('asks', {}, { ask })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(isTaken()).toBe(false)
    answer.resolve({ action: 'decline' })
    await vi.advanceTimersByTimeAsync(95)
    expect(gist(await call)).toEqual({ value: 'decline' })
    expect(isTaken()).toBe(true)
    expect([Math.round(deadlines[0] ?? 0), deadlines[1], Math.round(deadlines[2] ?? 0)]).toEqual([
      100,
      Number.POSITIVE_INFINITY,
      100,
    ])
  })

  it('and answers, the deadline ends what goes on for too long after', async () => {
    const { runtime, ask, answer } = await asking({ workMs: 1_000 })
    const call = runtime.call('asks', {}, { ask })
    await vi.advanceTimersByTimeAsync(10_000)
    answer.resolve({ action: 'accept' } as AskAnswer)
    await vi.advanceTimersByTimeAsync(101)
    expect(gist(await call)).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('the question has a time of its own, after which it is taken away', async () => {
    const { runtime, ask, isTaken } = await asking({ options: { askTimeoutMs: 500 } })
    const call = runtime.call('asks', {}, { ask })
    await vi.advanceTimersByTimeAsync(499)
    expect(isTaken()).toBe(false)
    await vi.advanceTimersByTimeAsync(2)
    expect(await call).toMatchObject({
      ok: false,
      error: {
        code: 'TIMEOUT',
        message: 'Tool "asks" did not get an answer within 500 ms',
        outcome: 'unknown',
      },
    })
    expect(isTaken()).toBe(true)
    expect(vi.getTimerCount()).toBe(DEADLINES)
  })

  it('the time may be longer than a timer can be', async () => {
    const { runtime, ask, answer } = await asking({ options: { askTimeoutMs: 2 ** 40 } })
    const call = runtime.call('asks', {}, { ask })
    await vi.advanceTimersByTimeAsync(86_400_000)
    answer.resolve({ action: 'cancel' })
    await vi.advanceTimersByTimeAsync(1)
    expect(gist(await call)).toEqual({ value: 'cancel' })
  })

  it('a caller who gives up takes the question away', async () => {
    const { runtime, ask, isTaken } = await asking()
    const controller = new AbortController()
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    const call = runtime.call('asks', {}, { ask, signal: controller.signal })
    await vi.advanceTimersByTimeAsync(1)
    controller.abort()
    expect(gist(await call)).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    await vi.advanceTimersByTimeAsync(60)
    expect([isTaken(), remove.mock.calls.length, vi.getTimerCount()]).toEqual([true, 1, DEADLINES])
  })

  it('close() waits for the answer as long as it may, then ends the call', async () => {
    const { runtime, ask, isTaken } = await asking()
    const call = runtime.call('asks', {}, { ask })
    const closed = runtime.close({ drainMs: 1_000 })
    await vi.advanceTimersByTimeAsync(999)
    expect(isTaken()).toBe(false)
    await vi.advanceTimersByTimeAsync(2)
    expect(gist(await call)).toEqual({ code: 'SHUTTING_DOWN', outcome: 'unknown' })
    expect(isTaken()).toBe(true)
    await closed
    expect(vi.getTimerCount()).toBe(DEADLINES)
  })

  it('and answers while the runtime drains, the call ends well', async () => {
    const { runtime, ask, answer } = await asking()
    const call = runtime.call('asks', {}, { ask })
    const closed = runtime.close({ drainMs: 1_000 })
    answer.resolve({ action: 'decline' })
    await vi.advanceTimersByTimeAsync(10)
    expect(gist(await call)).toEqual({ value: 'decline' })
    await closed
  })

  it('of two questions at once, the deadline waits for the last', async () => {
    vi.useFakeTimers()
    const answers = { a: deferred<AskAnswer>(), b: deferred<AskAnswer>() }
    const { runtime } = await started({
      tools: [
        tool('both', ({ ask }) => Promise.all([ask({ ...form, key: 'a' }), ask({ ...form, key: 'b' })]), {
          metadata: { timeoutMs: 50 },
        }),
      ],
    })
    const call = runtime.call('both', {}, { ask: ({ key }) => answers[key as 'a' | 'b'].promise })
    await vi.advanceTimersByTimeAsync(1_000)
    answers.a.resolve({ action: 'decline' })
    await vi.advanceTimersByTimeAsync(1_000)
    answers.b.resolve({ action: 'cancel' })
    await vi.advanceTimersByTimeAsync(1)
    expect(gist(await call)).toEqual({ value: [{ action: 'decline' }, { action: 'cancel' }] })
  })

  it('a call that has ended asks no more, and its open question is taken away', async () => {
    vi.useFakeTimers()
    const late = deferred()
    const told: unknown[] = []
    let taken: AbortSignal | undefined
    const { runtime } = await started({
      tools: [
        tool('leaves', ({ ask, once }) => {
          void ask(form).catch((error) => told.push(error.code))
          void late.promise.then(() => ask({ ...form, key: 'late' })).catch((error) => told.push(error.code))
          void late.promise.then(() => once('late', () => 1)).catch((error) => told.push(error.code))
          return 'left'
        }),
      ],
    })
    const answer = vi.fn((_question: AskedQuestion, signal: AbortSignal) => {
      taken = signal
      return new Promise<AskAnswer>(() => undefined)
    })
    expect(gist(await runtime.call('leaves', {}, { ask: answer }))).toEqual({ value: 'left' })
    late.resolve()
    await vi.advanceTimersByTimeAsync(60)
    expect(told).toEqual(['ABORTED', 'ABORTED', 'ABORTED'])
    expect([answer.mock.calls.length, taken?.aborted, vi.getTimerCount()]).toEqual([1, true, DEADLINES])
  })

  it('a question that nobody waits for any more does not end the process when it fails', async () => {
    const rejections: unknown[] = []
    const note = (reason: unknown) => void rejections.push(reason)
    process.on('unhandledRejection', note)
    const { runtime } = await started({
      tools: [
        tool('drops', async ({ ask, once }) => {
          const later = ask(form)
          void once('fails', () => Promise.reject(new Error('x')))
          await new Promise(setImmediate)
          await new Promise(setImmediate)
          return later
        }),
      ],
    })
    expect(gist(await runtime.call('drops'))).toMatchObject({ code: 'ASK_UNSUPPORTED' })
    await new Promise(setImmediate)
    process.off('unhandledRejection', note)
    expect(rejections).toEqual([])
  })
})

describe('whoever asks', () => {
  it('may be an interceptor, the reader of a resource, a prompt or a completion', async () => {
    const asks: ToolInterceptor = {
      async beforeExecute(ctx) {
        const { action } = await ctx.ask({ ...form, key: 'approve' })
        if (action !== 'accept') throw new Error('not approved')
      },
    }
    const { runtime } = await started({
      tools: [tool('guarded', () => 'done', { interceptors: [asks] })],
      resources: [resource('asking', 'docs://asking', async ({ ask }) => (await ask(form)).action)],
      prompts: [prompt('asking', [], async ({ ask }) => (await ask(form)).action)],
    })
    const asked: string[] = []
    const ask = async ({ key }: AskedQuestion) => {
      asked.push(key)
      return { action: 'accept', content: {} } as const
    }
    expect(gist(await runtime.call('guarded', {}, { ask }))).toEqual({ value: 'done' })
    expect(gist(await runtime.read('docs://asking', { ask }))).toEqual({
      value: [{ uri: 'docs://asking', text: 'accept' }],
    })
    expect(gist(await runtime.getPrompt('asking', {}, { ask }))).toEqual({
      value: { messages: [{ role: 'user', content: { type: 'text', text: 'accept' } }] },
    })
    expect(asked).toEqual(['approve', 'ask-1', 'ask-1'])
    expect(gist(await runtime.read('docs://asking'))).toMatchObject({ code: 'ASK_UNSUPPORTED' })
  })

  it('of a call within a call is answered by that call’s own caller', async () => {
    const { runtime } = await started({
      tools: [
        tool('inner', async ({ ask }) => [(await ask(form)).action, currentCall()?.toolName]),
        tool('outer', async ({ ask }) => {
          const alone = await runtime.call('inner')
          const own = await runtime.call('inner', {}, { ask: async () => ({ action: 'cancel' }) })
          const { action } = await ask(form)
          return [alone.ok || alone.error.code, own.ok && own.value, action, currentCall()?.toolName]
        }),
      ],
    })
    expect(gist(await runtime.call('outer', {}, { ask: async () => ({ action: 'decline' }) }))).toEqual({
      value: ['ASK_UNSUPPORTED', ['cancel', 'inner'], 'decline', 'outer'],
    })
  })

  it('leaves nothing behind: a thousand questions, each with a form of its own', async () => {
    const { runtime } = await started({
      tools: [
        tool('asks', async ({ ask }) => {
          const signals = currentCall()?.signal
          const add = vi.spyOn(signals as AbortSignal, 'addEventListener')
          const remove = vi.spyOn(signals as AbortSignal, 'removeEventListener')
          for (let i = 0; i < 20; i++) await ask({ ...form, message: `Sure ${i}?` })
          return [add.mock.calls.length, remove.mock.calls.length]
        }),
      ],
    })
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const cleared = vi.spyOn(globalThis, 'clearTimeout')
    const results = await Promise.all(
      Array.from({ length: 50 }, () =>
        runtime.call('asks', {}, { ask: async () => ({ action: 'decline' }) }),
      ),
    )
    const open = new Set(timers.mock.results.map(({ value }) => value))
    for (const [timer] of cleared.mock.calls) open.delete(timer)
    vi.restoreAllMocks()
    expect(results.map(gist)).toEqual(results.map(() => ({ value: [20, 20] })))
    // The one timer of all deadlines may be among them.
    expect([...open].filter((timer) => timer.hasRef()).length).toBe(0)
    expect(open.size).toBeLessThanOrEqual(1)
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
