import { describe, expect, it, vi } from 'vitest'
import { Content } from '../../src/registry/content.js'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import { hosted } from '../bridge/fixtures/hosted.js'
import type { Json } from '../bridge/fixtures/ways.js'
import { deferred, tool } from '../runtime/runtime-fixture.js'
import { answered, ERAS, exchanged } from './wire.js'

const said = (text: string) => [{ type: 'text', text }]

describe.each(ERAS)('%s', (era) => {
  it('BRG-01: an unknown tool is a protocol error that names it, whatever the name', async () => {
    await using host = await hosted({
      tools: [tool('known')],
      prompts: [
        PromptDefinition.builder()
          .name('a_prompt')
          .template(() => 'x')
          .build(),
      ],
    })
    const names = ['nope', '', 'Known', 'known ', 'constructor', '__proto__', 'a_prompt', 'no"pe', 'ünïcode']
    for (const name of names) {
      for (const more of [{}, { arguments: {} }, { arguments: { a: 1 } }]) {
        // A header is ASCII.
        const [method, params] = ['tools/call', { name, ...more }]
        const encoded = /^[\x21-\x7e]*$/.test(name)
        if (!encoded && era === 'modern') continue
        expect(await answered(host.url, { era, method, params })).toEqual({
          code: -32602,
          message: `Unknown tool ${JSON.stringify(name)}`,
        })
      }
    }
  })

  it.each<[Json, string[], Json]>([
    [
      { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      ['"n" must be an integer (got "abc")'],
      { n: 'abc' },
    ],
    [
      {
        type: 'object',
        properties: { n: { type: 'integer' }, s: { type: 'string' }, u: { enum: ['a', 'b'] } },
        required: ['n', 's'],
      },
      [
        'missing required argument "s"',
        '"n" must be an integer (got true)',
        '"u" must be one of "a", "b" (got "c")',
      ],
      { n: true, u: 'c' },
    ],
    [
      {
        type: 'object',
        properties: { at: { type: 'object', properties: { x: { type: 'number' } }, required: ['x', 'y'] } },
      },
      ['"at.x"', 'number', 'missing required argument "at.y"'],
      { at: { x: null } },
    ],
    [{ type: 'object', properties: {}, additionalProperties: false }, ['"extra"'], { extra: 1 }],
  ])(
    'BRG-02: arguments that do not fit %j are told to the model, all at once',
    async (schema, told, args) => {
      const ran = vi.fn()
      const strict = ToolDefinition.builder()
        .name('strict')
        .description('x')
        .parameterSchema(schema)
        .executor(ran)
        .build()
      await using host = await hosted({ tools: [strict] })
      const result = await answered(host.url, {
        era,
        method: 'tools/call',
        params: { name: 'strict', arguments: args },
      })
      const [{ text }] = result.content as [{ text: string }]
      expect([result.isError, told.filter((part) => !text.includes(part)), ran.mock.calls]).toEqual([
        true,
        [],
        [],
      ])
    },
  )

  it.each<[unknown, Json | string]>([
    [{ n: 1 }, { content: said('{"n":1}'), structuredContent: { n: 1 } }],
    [
      { n: 1, more: [null] },
      { content: said('{"n":1,"more":[null]}'), structuredContent: { n: 1, more: [null] } },
    ],
    ['1', 'the value must be an object (got "1")'],
    [{ n: 'x' }, '"n" must be a number (got "x")'],
    [{}, 'missing required property "n"'],
    [null, 'the value must be an object (got null)'],
    [undefined, 'the value must be an object'],
    [ToolExecutionResult.content(Content.text('{"n":1}')), 'the value must be an object'],
  ])(
    'BRG-06: a tool with an output schema that gives %j is answered by its schema',
    async (value, expected) => {
      const typed = ToolDefinition.builder()
        .name('typed')
        .description('x')
        .outputSchema({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] })
        .executor(() => value)
        .build()
      await using host = await hosted({ tools: [typed] })
      const result = await answered(host.url, { era, method: 'tools/call', params: { name: 'typed' } })
      if (typeof expected === 'object') return expect(result).toEqual(expected)
      expect(result).toMatchObject({ isError: true, content: said(expect.stringContaining(expected)) })
      expect(result).not.toHaveProperty('structuredContent')
      expect(host.logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
        { fields: { toolName: 'typed' } },
      ])
    },
  )

  it.each<[string, string | undefined]>([
    ['docs://My%20File.txt', 'My File.txt'],
    ['docs://%C3%BC', 'ü'],
    ['docs://%E5%8C%97%E4%BA%AC', '北京'],
    ['docs://a%2Fb', 'a/b'],
    ['docs://a%2Bb+c', 'a+b+c'],
    ['docs://100%25', '100%'],
    ['docs://%2525', '%25'],
    ['docs://50%', undefined],
    ['docs://%zz', undefined],
    ['docs://%C3', undefined],
    ['docs://%FF%FE', undefined],
  ])(
    'BRG-13: the reader of docs://{name} gets of %s what it says, or nothing malformed',
    async (uri, name) => {
      const read = vi.fn(({ args }: ToolExecutionContext<{ readonly name: string }>) => args.name)
      const docs = ResourceDefinition.builder().name('doc').uriTemplate('docs://{name}').reader(read).build()
      await using host = await hosted({ resources: [docs] })
      const answer = await answered(host.url, { era, method: 'resources/read', params: { uri } })
      if (name !== undefined) return expect(answer).toEqual({ contents: [{ uri, text: name }] })
      expect([answer.code, read.mock.calls]).toEqual([-32602, []])
      expect(host.logger.lines.filter(({ level }) => level === 'error')).toEqual([])
    },
  )

  it.each(['docs://none', 'docs://empty', 'other://x', 'docs://', 'docs', ''])(
    'BRG-15: a resource that is not there (%j) is an error with its URI, never empty contents',
    async (uri) => {
      const empty = ResourceDefinition.builder()
        .name('e')
        .uri('docs://empty')
        .reader(() => [])
        .build()
      const gone = { afterExecute: () => ToolExecutionResult.success([]) }
      await using host = await hosted({
        resources: [empty.with({ interceptors: [gone] })],
      })
      const answer = await answered(host.url, { era, method: 'resources/read', params: { uri } })
      expect(answer).toMatchObject({ code: era === 'modern' ? -32602 : -32002, data: { uri } })
      expect(answer).not.toHaveProperty('contents')
    },
  )

  it.each<[Json, string | number]>([
    [{ arguments: {} }, -32602],
    [{}, -32602],
    [{ arguments: { tone: 'warm' } }, -32602],
    [{ arguments: { topic: '' } }, 'Write on  plainly'],
    [{ arguments: { topic: 'x' } }, 'Write on x plainly'],
    [{ arguments: { topic: 'x', tone: '' } }, 'Write on x '],
    [{ arguments: { topic: 'x', tone: 'warm' } }, 'Write on x warm'],
  ])('BRG-16: a prompt got with %j has what is needed, and no "undefined"', async (params, expected) => {
    // An empty argument is there: only one that is missing gets a default, and only the template knows of it.
    const p = PromptDefinition.builder()
      .name('p')
      .parameterSchema(
        JsonSchema.object(
          { topic: SchemaProperty.STRING, tone: SchemaProperty.STRING },
          { required: ['topic'] },
        ),
      )
      .template(({ args }) => `Write on ${args.topic} ${args.tone ?? 'plainly'}`)
      .build()
    await using host = await hosted({ prompts: [p] })
    const answer = await answered(host.url, { era, method: 'prompts/get', params: { name: 'p', ...params } })
    expect(answer).toMatchObject(
      typeof expected === 'number'
        ? { code: expected, message: expect.stringContaining('topic') }
        : { messages: [{ role: 'user', content: { type: 'text', text: expected } }] },
    )
  })

  it.each<[unknown, string[]]>([
    [0, ['10/100', '20/100', 'answer']],
    ['', ['10/100', '20/100', 'answer']],
    [7, ['10/100', '20/100', 'answer']],
    ['abc', ['10/100', '20/100', 'answer']],
    [undefined, ['answer']],
  ])(
    'BRG-12: progress for the token %j only rises, and ends with the answer',
    async (progressToken, expected) => {
      const ended = deferred()
      const steps = tool('steps', async ({ progress }) => {
        for (const value of [10, 5, 10, Number.NaN, 20]) progress(value, 100)
        void ended.promise.then(() => progress(100, 100))
        await new Promise(setImmediate)
        return 'done'
      })
      await using host = await hosted({ tools: [steps] })
      const params = { name: 'steps', ...(progressToken !== undefined && { _meta: { progressToken } }) }
      const messages = await exchanged(host.url, { era, method: 'tools/call', params })
      ended.resolve()
      await new Promise(setImmediate)
      const shown = messages.map(({ method, params: sent }) => {
        if (method === undefined) return 'answer'
        const { progress, total, ...rest } = sent as Json
        expect([method, rest]).toEqual(['notifications/progress', { progressToken }])
        return `${progress}/${total}`
      })
      expect(shown).toEqual(expected)
      expect(host.logger.lines.filter(({ level }) => level === 'error')).toEqual([])
    },
  )
})
