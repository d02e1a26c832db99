import { describe, expect, it } from 'vitest'
import { LoggingInterceptor } from '../../src/interceptors/logging.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { AttributeKey } from '../../src/registry/call-attributes.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolDefinitionProvider } from '../../src/registry/tool-definition-provider.js'
import { type AnyToolError, ForbiddenError, UpstreamError } from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { throwing } from '../interceptors/chain-recorder.js'
import { recordingLogger } from '../interceptors/recording-logger.js'
import { containerWith, started, tool } from '../runtime/runtime-fixture.js'

describe('interceptors: every tool and every call', () => {
  it.each(['request', 'execution'] as const)(
    'INT-01: a shared interceptor of the %s ring denies tools of every origin',
    async (ring) => {
      const executed: string[] = []
      const named = (name: string) => tool(name, () => executed.push(name))
      const deny: ToolInterceptor = { ring, beforeExecute: throwing(new ForbiddenError('denied')) }
      const { container, runtime } = containerWith({ tools: [named('bound')], interceptors: [deny] })
      const own: ToolInterceptor = {
        ring,
        order: -1_000_000,
        beforeExecute: () => ToolExecutionResult.success('let in'),
      }
      container.bind(ToolDefinitionProvider).toConstantValue({
        interceptors: [own],
        provide: async () => [named('provided').with({ interceptors: [own] })],
      })
      await runtime.start()
      runtime.registry.register(named('registered'))
      runtime.registry.register(named('replaced'))
      runtime.registry.replace(named('replaced'))
      const names = runtime.registry.list().map(({ name }) => name)
      const results = await Promise.all(names.map((name) => runtime.call(name)))
      expect(names.toSorted()).toEqual(['bound', 'provided', 'registered', 'replaced'])
      expect(results.map(outcomeOf)).toEqual(names.map(() => 'FORBIDDEN denied'))
      expect(executed).toEqual([])
      await runtime.close()
    },
  )

  it('INT-04: interceptors of the request ring see calls that fail before dispatch, and no argument values', async () => {
    const audited: string[] = []
    const logger = recordingLogger()
    const audit: ToolInterceptor = {
      ring: 'request',
      order: -1_000,
      afterExecute: (ctx) => void audited.push(`${ctx.toolName} ok`),
      onError: (ctx, { code, outcome }) => void audited.push(`${ctx.toolName} ${code} ${outcome}`),
    }
    const refuse: ToolInterceptor = { beforeExecute: throwing(new ForbiddenError()) }
    const waits = ({ signal }: ToolExecutionContext) =>
      new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      )
    const strict = ToolDefinition.builder()
      .name('strict')
      .description('Takes a city')
      .parameterSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] })
      .executor(() => 'done')
      .build()
    const { runtime } = await started({
      interceptors: [audit, new LoggingInterceptor({ logger, args: true }), new RateLimitInterceptor()],
      tools: [
        strict,
        tool('fine'),
        tool('refused', () => 'done', { interceptors: [refuse] }),
        tool('limited', () => 'done', { metadata: { rateLimit: { perMinute: 0 } } }),
        tool('cancelled', waits),
        tool('slow', waits, { metadata: { timeoutMs: 20 } }),
      ],
    })
    const caller = new AbortController()
    const args = { password: 'hunter2' }
    const cancelled = runtime.call('cancelled', args, { signal: caller.signal })
    await new Promise(setImmediate)
    caller.abort()
    await cancelled
    for (const name of ['unknown', 'strict', 'limited', 'refused', 'slow', 'fine'])
      await runtime.call(name, args)
    expect(audited).toEqual([
      'cancelled ABORTED unknown',
      'unknown TOOL_NOT_FOUND not-started',
      'strict INVALID_ARGUMENTS not-started',
      'limited RATE_LIMITED not-started',
      'refused FORBIDDEN not-started',
      'slow TIMEOUT unknown',
      'fine ok',
    ])
    const logged = logger.lines.filter(({ level }) => level !== 'debug')
    expect(logged.map(({ fields }) => `${fields.toolName} ${fields.code ?? 'ok'}`)).toEqual(
      audited.map((line) => line.replace(/ [a-z-]+$/, (last) => (last === ' ok' ? last : ''))),
    )
    expect(logged.map(({ fields }) => fields.args)).toEqual(logged.map(() => ({ password: '[redacted]' })))
    expect(JSON.stringify(logger.lines)).not.toContain('hunter2')
    await runtime.close()
  })
})

describe('interceptors: failures', () => {
  class CustomError extends UpstreamError {}
  class CustomException extends Error {}

  it.each([
    ['ToolError', new CustomError('x'), (error: AnyToolError) => error],
    ['exception', new CustomException('x'), (error: AnyToolError) => error.cause],
  ])(
    'INT-02: the outer ones clean up after an inner before that throws, and get that very %s',
    async (_, thrown, original) => {
      const events: string[] = []
      const seen: unknown[] = []
      const hooks = (name: string): ToolInterceptor => ({
        beforeExecute: () => void events.push(`${name}.before`),
        afterExecute: () => void events.push(`${name}.after`),
        onError: (_ctx, error) => {
          events.push(`${name}.onError`)
          seen.push(original(error))
        },
      })
      const inner = {
        ...hooks('inner'),
        beforeExecute: () => {
          events.push('inner.before')
          throw thrown
        },
      }
      const held: ToolInterceptor = {
        aroundExecute: async (_ctx, next) => {
          try {
            return await next()
          } finally {
            events.push('released')
          }
        },
      }
      const guarded = tool('guarded', () => events.push('execute'), { interceptors: [inner] })
      const { runtime } = await started({
        interceptors: [hooks('outermost'), held, hooks('outer')],
        tools: [guarded],
      })
      const result = await runtime.call('guarded')
      expect(events).toEqual([
        ...['outermost.before', 'outer.before', 'inner.before'],
        ...['outer.onError', 'released', 'outermost.onError'],
      ])
      expect([...seen, !result.ok && original(result.error)].map((error) => error === thrown)).toEqual([
        true,
        true,
        true,
      ])
      await runtime.close()
    },
  )

  it('INT-02: what fails before the tool is a failure, also where no interceptor stands around it', async () => {
    const thrown = new CustomException('the schema library broke')
    const broken = {
      '~standard': {
        version: 1,
        vendor: 'broken',
        validate: () => Promise.reject(thrown),
        jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
      },
    } as const
    const executed: string[] = []
    const unlucky = ToolDefinition.builder()
      .name('unlucky')
      .description('Never runs')
      .parameterSchema(broken)
      .executor(() => executed.push('execute'))
      .build()
    const { runtime } = await started({ tools: [unlucky] })
    const result = await runtime.call('unlucky')
    expect(outcomeOf(result)).toBe('EXECUTION_FAILED The tool failed')
    expect([!result.ok && result.error.cause === thrown, executed]).toEqual([true, []])
    await runtime.close()
  })
})

describe('interceptors: calls at the same time', () => {
  it('INT-08: 1 000 overlapping calls of different duration keep what is their own', async () => {
    const own = new AttributeKey<unknown>('own')
    const mixed: unknown[] = []
    const remembers: ToolInterceptor = {
      beforeExecute: (ctx) => ctx.attributes.set(own, ctx.args),
      afterExecute: (ctx, result) => {
        const kept = [ctx.attributes.get(own), result.ok && result.value]
        if (!kept.every((value) => value === ctx.args)) mixed.push(kept)
      },
    }
    const echo = tool('echo', async ({ args }) => {
      for (let turns = Number(args.n) % 13; turns > 0; turns--) await new Promise(setImmediate)
      return args
    })
    const logger = recordingLogger()
    const logging = new LoggingInterceptor({ logger, args: true })
    const limit = new RateLimitInterceptor({ defaultPerMinute: 1_000 })
    const { runtime } = await started({ interceptors: [logging, limit, remembers], tools: [echo] })
    const ids = Array.from({ length: 1_000 }, (_, n) => n)
    const results = await Promise.all(ids.map((n) => runtime.call('echo', { n }, { callId: n })))
    expect(results.map((result) => result.ok && result.value)).toEqual(ids.map((n) => ({ n })))
    expect(mixed).toEqual([])
    for (const message of ['tool call started', 'tool call ended']) {
      const lines = logger.lines.filter((line) => line.message === message)
      const inOrder = lines.map(({ fields }) => [fields.callId, fields.args]).toSorted(byCallId)
      expect(inOrder).toEqual(ids.map((n) => [n, { n }]))
    }
    expect(outcomeOf(await runtime.call('echo', {}))).toMatch(/^RATE_LIMITED/)
    await runtime.close()
  })
})

/** `ok` and the value, or the code and the message. */
function outcomeOf(result: ToolExecutionResult): string {
  return result.ok ? `ok ${result.value}` : `${result.error.code} ${result.error.message}`
}

function byCallId([left]: readonly unknown[], [right]: readonly unknown[]): number {
  return Number(left) - Number(right)
}
