import { describe, expect, it } from 'vitest'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { ForbiddenError } from '../../src/registry/tool-error.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { CompletionRequest } from '../../src/runtime/runtime-request.js'
import { gist, recordingInterceptor, started } from './runtime-fixture.js'

const greet = PromptDefinition.builder()
  .name('greet')
  .description('Greets')
  .parameterSchema({
    type: 'object',
    properties: { city: { type: 'string' }, mood: { type: 'string', enum: ['merry', 'Mild', 'sad'] } },
    required: ['city'],
  })
  .complete('city', (value, { args }) => [`${value}slo`, args.mood ?? 'no mood'])
  .template(() => 'Hello')
  .build()

const page = ResourceDefinition.builder()
  .name('page')
  .description('A page')
  .uriTemplate('docs://{name}')
  .complete('name', async (value) => Array.from({ length: 150 }, (_, i) => `${value}${i}`))
  .reader(() => '')
  .build()

const ofPrompt = (name: string, value = '', context?: Record<string, string>): CompletionRequest => ({
  of: { prompt: 'greet' },
  argument: { name, value },
  ...(context && { context }),
})

describe('a completion', () => {
  it('is what the completer gives, that knows the arguments which are filled in', async () => {
    const { runtime } = await started({ prompts: [greet], resources: [page] })
    expect(gist(await runtime.complete(ofPrompt('city', 'O')))).toEqual({
      value: { values: ['Oslo', 'no mood'], total: 2, hasMore: false },
    })
    expect(gist(await runtime.complete(ofPrompt('city', 'O', { mood: '' })))).toEqual({
      value: { values: ['Oslo', ''], total: 2, hasMore: false },
    })
    const many = await runtime.complete({
      of: { resourceTemplate: 'docs://{name}' },
      argument: { name: 'name', value: 'p' },
    })
    expect(many.ok && { ...many.value, values: many.value.values.length }).toEqual({
      values: 100,
      total: 150,
      hasMore: true,
    })
  })

  it('is the choices of an enum where there is no completer, and nothing for an unknown argument', async () => {
    const { runtime } = await started({ prompts: [greet] })
    expect(gist(await runtime.complete(ofPrompt('mood', 'm')))).toEqual({
      value: { values: ['merry', 'Mild'], total: 2, hasMore: false },
    })
    for (const name of ['none', '', '__proto__', 'constructor']) {
      expect(gist(await runtime.complete(ofPrompt(name)))).toEqual({
        value: { values: [], total: 0, hasMore: false },
      })
    }
  })

  it('passes both rings, which see what it completes and the arguments that are there', async () => {
    const request = recordingInterceptor('request')
    const execution = recordingInterceptor('execution')
    const { runtime } = await started({
      interceptors: [request.interceptor, execution.interceptor],
      prompts: [greet],
      resources: [page],
    })
    await runtime.complete(ofPrompt('city', '', { mood: 'sad' }))
    await runtime.complete({
      of: { resourceTemplate: 'docs://{name}' },
      argument: { name: 'name', value: '' },
    })
    const expected = [
      {
        kind: 'completion',
        toolName: 'greet',
        tool: undefined,
        target: 'greet',
        uri: undefined,
        args: { mood: 'sad' },
      },
      {
        kind: 'completion',
        toolName: 'page',
        tool: undefined,
        target: 'page',
        uri: 'docs://{name}',
        args: {},
      },
    ]
    expect(request.seen).toEqual(expected)
    expect(execution.seen).toEqual(expected)
  })

  it('is refused where the interceptors of the definition refuse', async () => {
    const refuse: ToolInterceptor = {
      beforeExecute: () => {
        throw new ForbiddenError()
      },
    }
    const { runtime } = await started({ prompts: [greet.with({ interceptors: [refuse] })] })
    expect(gist(await runtime.complete(ofPrompt('city')))).toEqual({
      code: 'FORBIDDEN',
      outcome: 'not-started',
    })
  })

  it('has a quota of its own', async () => {
    const { runtime } = await started({
      interceptors: [new RateLimitInterceptor()],
      prompts: [greet.with({ metadata: { rateLimit: { perMinute: 1 } } })],
    })
    expect((await runtime.complete(ofPrompt('city'))).ok).toBe(true)
    expect((await runtime.getPrompt('greet', { city: 'Oslo' })).ok).toBe(true)
    expect(gist(await runtime.complete(ofPrompt('city')))).toMatchObject({ code: 'RATE_LIMITED' })
  })

  it('of what is not there is not found, as its kind is', async () => {
    const { runtime } = await started({ prompts: [greet], resources: [page] })
    const argument = { name: 'name', value: '' }
    expect(await runtime.complete({ of: { prompt: 'page' }, argument })).toMatchObject({
      ok: false,
      toolName: 'page',
      error: { code: 'PROMPT_NOT_FOUND' },
    })
    expect(await runtime.complete({ of: { resourceTemplate: 'docs://a' }, argument })).toMatchObject({
      ok: false,
      toolName: 'docs://a',
      error: { code: 'RESOURCE_NOT_FOUND', uri: 'docs://a' },
    })
  })

  it('of a single resource there is none: it has no variables', async () => {
    const single = ResourceDefinition.builder()
      .name('single')
      .description('One')
      .uri('docs://one')
      .reader(() => '')
      .build()
    const { runtime } = await started({ resources: [single] })
    expect(
      gist(
        await runtime.complete({
          of: { resourceTemplate: 'docs://one' },
          argument: { name: 'a', value: '' },
        }),
      ),
    ).toMatchObject({ code: 'RESOURCE_NOT_FOUND' })
  })

  it('answers what is no request, too, and what a completer gives that is none', async () => {
    const wrong = greet.with({ name: 'wrong' })
    const numbers = PromptDefinition.builder()
      .name('numbers')
      .description('Numbers')
      .parameterSchema({ type: 'object', properties: { n: { type: 'string' } } })
      .complete('n', () => [1, 2] as never)
      .template(() => '')
      .build()
    const { runtime } = await started({ prompts: [wrong, numbers] })
    expect(
      gist(await runtime.complete({ of: { prompt: 'numbers' }, argument: { name: 'n', value: '' } })),
    ).toMatchObject({ code: 'EXECUTION_FAILED' })
    for (const given of [undefined, {}, { of: 'greet' }, { of: { prompt: 'wrong' } }] as unknown[]) {
      const result = await runtime.complete(given as CompletionRequest)
      expect(result).toMatchObject({ ok: false, error: { message: 'The tool failed' } })
    }
  })
})
