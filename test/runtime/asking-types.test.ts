import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type {
  AnswerTo,
  Ask,
  AskAnswer,
  AskedQuestion,
  AskQuestion,
  FormAnswer,
  RootsAnswer,
  SamplingAnswer,
  UrlAnswer,
} from '../../src/registry/ask.js'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import type { CallOptions } from '../../src/runtime/call-options.js'
import { gist, started, tool } from './runtime-fixture.js'

// For the compiler alone.
const ask = (async () => undefined) as unknown as Ask

describe('the type of an answer', () => {
  it('is that of the question', () => {
    expectTypeOf(
      ask({ kind: 'url', message: 'Go', url: 'https://a.test' }),
    ).resolves.toEqualTypeOf<UrlAnswer>()
    expectTypeOf(
      ask({ kind: 'sampling', messages: [], maxTokens: 1 }),
    ).resolves.toEqualTypeOf<SamplingAnswer>()
    expectTypeOf(ask({ kind: 'roots' })).resolves.toEqualTypeOf<RootsAnswer>()
    expectTypeOf<AnswerTo<AskQuestion>>().toExtend<AskAnswer>()
  })

  it('has the fields of the form, whatever its schema is made of', () => {
    type Filled = FormAnswer<{ readonly sure: boolean; readonly note?: string }>
    const properties = { sure: SchemaProperty.BOOLEAN, note: SchemaProperty.STRING }
    const schema = JsonSchema.object(properties, { required: ['sure'] })
    expectTypeOf(ask({ message: 'Sure?', schema })).resolves.toExtend<Filled>()
    const zod = z.object({ sure: z.boolean(), note: z.string().optional() })
    const answer = ask({ kind: 'form', message: 'Sure?', schema: zod })
    expectTypeOf(answer).resolves.toExtend<FormAnswer<{ sure: boolean; note?: string | undefined }>>()
  })

  it('is narrowed by the action: a form that was not accepted has no content', async () => {
    const { runtime } = await started({
      tools: [
        tool('asks', async (ctx) => {
          const schema = JsonSchema.object({ sure: SchemaProperty.BOOLEAN }, { required: ['sure'] })
          const answer = await ctx.ask({ message: 'Sure?', schema })
          if (answer.action === 'accept') {
            expectTypeOf(answer.content.sure).toEqualTypeOf<boolean>()
            return answer.content.sure
          }
          expectTypeOf(answer.action).toEqualTypeOf<'decline' | 'cancel'>()
          // @ts-expect-error Nothing was filled in.
          return answer.content
        }),
      ],
    })
    const options: CallOptions = { ask: async () => ({ action: 'accept', content: { sure: false } }) }
    expect(gist(await runtime.call('asks', {}, options))).toEqual({ value: false })
  })

  it('and of a question: each kind needs its own parts', () => {
    const ignored = (promise: Promise<unknown>) => promise.catch(() => undefined)
    // @ts-expect-error A form needs a schema.
    void ignored(ask({ message: 'Sure?' }))
    // @ts-expect-error A page needs a URL.
    void ignored(ask({ kind: 'url', message: 'Go' }))
    // @ts-expect-error There is no such kind.
    void ignored(ask({ kind: 'phone' }))
    expectTypeOf<Extract<AskedQuestion, { kind: 'url' }>['key']>().toEqualTypeOf<string>()
  })
})
