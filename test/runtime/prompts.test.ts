import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { PromptDefinitionProvider } from '../../src/registry/prompt-definition-provider.js'
import { PromptMessage } from '../../src/registry/prompt-message.js'
import { PromptNotFoundError } from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import {
  containerWith,
  gist,
  prompt,
  recordingInterceptor,
  resource,
  started,
  tool,
} from './runtime-fixture.js'

const says = (text: string) => ({
  value: { messages: [{ role: 'user', content: { type: 'text', text } }] },
})

describe('getting a prompt', () => {
  it('gives its messages', async () => {
    const { runtime } = await started({
      prompts: [
        prompt('plain', [], () => 'Hello'),
        prompt('empty', [], () => ''),
        prompt('talk', [], () => ({
          description: 'A talk',
          messages: [PromptMessage.user('Hi'), PromptMessage.assistant('Hello')],
        })),
      ],
    })
    expect(gist(await runtime.getPrompt('plain'))).toEqual(says('Hello'))
    expect(gist(await runtime.getPrompt('empty', {}))).toEqual(says(''))
    expect(gist(await runtime.getPrompt('talk'))).toEqual({
      value: {
        description: 'A talk',
        messages: [
          { role: 'user', content: { type: 'text', text: 'Hi' } },
          { role: 'assistant', content: { type: 'text', text: 'Hello' } },
        ],
      },
    })
  })

  it('prepares the arguments: a missing one is refused, an empty one is there, an optional one is undefined', async () => {
    const review = prompt('review', ['code', 'tone?'], ({ args }) =>
      [args.code, args.tone, 'tone' in args].map(String).join('|'),
    )
    const { runtime } = await started({ prompts: [review] })
    const refused = await runtime.getPrompt('review', { tone: 'dry' })
    expect(refused.ok ? refused.value : refused.error).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      outcome: 'not-started',
      issues: [{ keyword: 'required' }],
    })
    expect(gist(await runtime.getPrompt('review', { code: '' }))).toEqual(says('|undefined|false'))
    expect(gist(await runtime.getPrompt('review', { code: 'x', tone: undefined }))).toEqual(
      says('x|undefined|false'),
    )
    expect(gist(await runtime.getPrompt('review', { code: 'x', tone: '' }))).toEqual(says('x||true'))
    const numbers = { code: 7 } as unknown as Record<string, string>
    expect(gist(await runtime.getPrompt('review', numbers))).toMatchObject({ code: 'INVALID_ARGUMENTS' })
  })

  it('takes names of prototypes for arguments like any other', async () => {
    const odd = prompt('odd', ['constructor?'], ({ args, getArg, getArgOrDefault }) =>
      JSON.stringify([
        Object.keys(args),
        getArg('constructor') ?? null,
        getArgOrDefault('toString', 'none'),
        Object.getPrototypeOf(args) === Object.prototype,
      ]),
    )
    const { runtime } = await started({ prompts: [odd] })
    expect(gist(await runtime.getPrompt('odd'))).toEqual(says('[[],null,"none",true]'))
    const hostile = JSON.parse('{"__proto__":"polluted","constructor":"c"}')
    expect(gist(await runtime.getPrompt('odd', hostile))).toEqual(
      says('[["__proto__","constructor"],"c","none",true]'),
    )
    expect('polluted' in {}).toBe(false)
  })

  it('uses the schema library where the arguments are one of its', async () => {
    const typed = PromptDefinition.builder()
      .name('typed')
      .description('Typed')
      .parameterSchema(
        z.object({ name: z.string().min(2).default('you'), day: z.enum(['mon', 'tue']).optional() }),
      )
      .template(({ args }) => `${args.name} ${args.day}`)
      .build()
    const { runtime } = await started({ prompts: [typed] })
    expect(gist(await runtime.getPrompt('typed'))).toEqual(says('you undefined'))
    expect(gist(await runtime.getPrompt('typed', { day: 'wed' }))).toMatchObject({
      code: 'INVALID_ARGUMENTS',
    })
  })

  it('passes both rings, which see what it is', async () => {
    const request = recordingInterceptor('request')
    const execution = recordingInterceptor('execution')
    const { runtime } = await started({
      interceptors: [request.interceptor, execution.interceptor],
      prompts: [prompt('review', ['code'])],
    })
    await runtime.getPrompt('review', { code: 'x' })
    await runtime.getPrompt('review')
    const base = { kind: 'prompt', toolName: 'review', tool: undefined, target: 'review', uri: undefined }
    expect(request.seen).toEqual([
      { ...base, args: { code: 'x' } },
      { ...base, args: undefined },
    ])
    expect(execution.seen).toEqual([{ ...base, args: { code: 'x' } }])
  })

  it('lets the request ring change the arguments, and either ring answer with messages', async () => {
    const shout: ToolInterceptor = {
      ring: 'request',
      beforeExecute: (ctx) => ctx.with({ args: { code: 'changed' } }),
      afterExecute: (_ctx, result) =>
        ToolExecutionResult.success({
          description: 'replaced',
          messages: result.ok ? (result.value as { messages: unknown }).messages : [],
        }),
    }
    const { runtime } = await started({
      prompts: [prompt('review', ['code'], ({ args }) => String(args.code), { interceptors: [shout] })],
    })
    expect(gist(await runtime.getPrompt('review'))).toEqual({
      value: { description: 'replaced', ...says('changed').value },
    })
  })

  it('answers PROMPT_NOT_FOUND for what is not there, past the request ring, whatever else has the name', async () => {
    const { seen, interceptor } = recordingInterceptor()
    const { runtime } = await started({
      interceptors: [interceptor],
      tools: [tool('nothing')],
      resources: [resource('nothing', 'docs://nothing')],
    })
    expect(await runtime.getPrompt('nothing', { a: '' })).toMatchObject({
      ok: false,
      toolName: 'nothing',
      error: new PromptNotFoundError('nothing'),
    })
    expect(seen).toEqual([
      {
        kind: 'prompt',
        toolName: 'nothing',
        tool: undefined,
        target: undefined,
        uri: undefined,
        args: { a: '' },
      },
    ])
    expect(gist(await runtime.getPrompt(''))).toMatchObject({ code: 'PROMPT_NOT_FOUND' })
    expect(gist(await runtime.getPrompt('__proto__'))).toMatchObject({ code: 'PROMPT_NOT_FOUND' })
  })

  it('refuses messages that are none, naming the place', async () => {
    const wrong = prompt('wrong', [], () => [{ role: 'system' }] as never)
    const { runtime } = await started({ prompts: [wrong] })
    expect(await runtime.getPrompt('wrong')).toMatchObject({
      ok: false,
      error: { code: 'INVALID_RESULT', message: expect.stringContaining('messages/0/role') },
    })
  })
})

describe('prompts of the container', () => {
  it('come from providers and bindings, with the interceptors of their provider', async () => {
    const { seen, interceptor } = recordingInterceptor('execution')
    const { container, runtime } = containerWith({ prompts: [prompt('bound')] })
    container.bind(PromptDefinitionProvider).toConstantValue({
      name: 'late',
      interceptors: [interceptor],
      provide: async () => [prompt('provided'), prompt('bound')],
    })
    container.bind(PromptDefinitionProvider).toConstantValue({ name: 'none', provide: () => 7 as never })
    const report = await runtime.start()
    expect({
      ...report,
      problems: report.problems.map(({ source, toolName }) => [source, toolName]),
    }).toEqual({
      tools: 0,
      resources: 0,
      prompts: 2,
      providers: 2,
      problems: [
        ['late', 'bound'],
        ['none', undefined],
      ],
    })
    await runtime.getPrompt('bound')
    await runtime.getPrompt('provided')
    expect(seen.map(({ toolName }) => toolName)).toEqual(['provided'])
  })

  it('come and go while the runtime runs, and with close()', async () => {
    const { runtime } = await started({ prompts: [prompt('a')] })
    runtime.prompts.register(prompt('hot', [], () => 'one'))
    expect(gist(await runtime.getPrompt('hot'))).toEqual(says('one'))
    runtime.prompts.replace(prompt('hot', [], () => 'two'))
    expect(gist(await runtime.getPrompt('hot'))).toEqual(says('two'))
    await runtime.prompts.unregister('hot')
    expect(gist(await runtime.getPrompt('hot'))).toMatchObject({ code: 'PROMPT_NOT_FOUND' })
    await runtime.close()
    expect(runtime.prompts.size).toBe(0)
    expect(await runtime.start()).toMatchObject({ prompts: 1 })
    expect((await runtime.getPrompt('a')).ok).toBe(true)
  })

  it('are left out when their schema breaks the rules, and the others start', async () => {
    const bad = PromptDefinition.builder()
      .name('bad')
      .description('Bad')
      .parameterSchema({ type: 'object', properties: { a: { type: 'string', pattern: '(' } } })
      .template(() => '')
      .build()
    const { report, runtime } = await started({ prompts: [bad, prompt('good')] })
    expect(report.problems.map(({ toolName, error }) => [toolName, String(error)])).toEqual([
      ['bad', expect.stringContaining('inputSchema/properties/a/pattern')],
    ])
    expect(runtime.prompts.list().map(({ name }) => name)).toEqual(['good'])
    expect(runtime.warmUp()).toEqual([])
  })
})
