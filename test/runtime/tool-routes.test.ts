import { ConsecutiveBreaker } from 'cockatiel'
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { CircuitBreakerInterceptor } from '../../src/interceptors/circuit-breaker.js'
import { IdempotencyInterceptor } from '../../src/interceptors/idempotency.js'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { Principal } from '../../src/registry/principal.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import {
  CircuitOpenError,
  ForbiddenError,
  InvalidArgumentsError,
  OverloadedError,
  ToolExecutionError,
  ToolUnavailableError,
  UpstreamError,
} from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { SchemaCompileError, SchemaValidator } from '../../src/runtime/schema/schema-validator.js'
import { toolRoutes } from '../../src/runtime/tool-routes.js'
import { accept, form, runRound, turn } from './rounds-fixture.js'
import { deferred, gist, started, tool } from './runtime-fixture.js'

afterEach(() => {
  vi.restoreAllMocks()
})

const throwing = (error: () => unknown) => () => {
  throw error()
}
const away = () => new UpstreamError('The server is away', { outcome: 'not-started' })
const reset = () => new UpstreamError('The connection was reset')

/** A server's tool that takes an `order_number`. */
const ofServer = (
  executor: (ctx: ToolExecutionContext<{ readonly order_number: number }>) => unknown = throwing(away),
) =>
  ToolDefinition.builder()
    .name('query_order')
    .description('Looks an order up')
    .parameterSchema(
      JsonSchema.object({ order_number: SchemaProperty.INTEGER }, { required: ['order_number'] }),
    )
    .executor(executor)
    .build()

/** An HTTP mapping that calls the same an `order_id`. */
const overHttp = (executor: (ctx: ToolExecutionContext<{ readonly order_id: number }>) => unknown) =>
  ToolDefinition.builder()
    .name('query_order_http')
    .description('GET /orders/{order_id}')
    .parameterSchema(JsonSchema.object({ order_id: SchemaProperty.INTEGER }, { required: ['order_id'] }))
    .aliases({ order_id: ['order_number'] })
    .executor(executor)
    .build()

/** A tool with some more in its schema. */
const taking = (name: string, schema: Readonly<Record<string, unknown>> = {}) =>
  ToolDefinition.builder()
    .name(name)
    .description(`Runs ${name}`)
    .parameterSchema({ type: 'object', ...schema })
    .executor(() => name)
    .build()

async function routed(...routes: Parameters<typeof toolRoutes>) {
  return started({ tools: [toolRoutes(...routes)] })
}

describe('one tool of several', () => {
  it('is what the first one says it is, and is typed as that one', () => {
    const merged = toolRoutes(
      ofServer(),
      overHttp(() => 1),
    )
    const { name, description, inputSchema } = ofServer()
    expect(merged).toMatchObject({ kind: 'tool', name, description, inputSchema })
    expectTypeOf(merged).toEqualTypeOf(ofServer())
  })

  it('gives each alternative its own arguments, made of what the caller sent', async () => {
    const seen: unknown[] = []
    const { runtime } = await routed(
      ofServer(({ args }) => {
        seen.push(args)
        throw away()
      }),
      overHttp(({ args }) => {
        seen.push(args)
        return 'over http'
      }),
    )
    const sent = Object.freeze({ order_number: '7' })
    const { durationMs: _, ...result } = await runtime.call('query_order', sent)
    expect({ ...result }).toEqual({ ok: true, toolName: 'query_order', value: 'over http' })
    expect(seen).toEqual([{ order_number: 7 }, { order_id: 7 }])
  })

  it('tells the executor and its interceptors which alternative it is', async () => {
    const seen: unknown[] = []
    const shared: ToolInterceptor = {
      beforeExecute: ({ alternative, toolName, target }) =>
        void seen.push([alternative, toolName, target?.name]),
    }
    const same = tool('same', ({ alternative }) => alternative)
    const { runtime } = await started({
      tools: [toolRoutes(tool('same', throwing(away)), same, same)],
      interceptors: [shared],
    })
    expect(await runtime.call('same')).toMatchObject({ value: 'same#2' })
    expect(seen).toEqual([
      ['same', 'same', 'same'],
      ['same#2', 'same', 'same'],
    ])
  })

  it('runs the request ring once, and the execution ring with the own interceptors for each', async () => {
    const seen: string[] = []
    const notes = (name: string, ring: 'request' | 'execution'): ToolInterceptor => ({
      name,
      ring,
      beforeExecute: ({ args }) => void seen.push(`${name} ${JSON.stringify(args)}`),
    })
    const a = tool('a', throwing(away), {
      interceptors: [notes('of a', 'execution'), notes('request a', 'request')],
    })
    const b = tool('b', () => 'b', {
      interceptors: [notes('of b', 'execution'), notes('request b', 'request')],
    })
    const { runtime } = await started({
      tools: [toolRoutes(a, b)],
      interceptors: [notes('shared', 'execution'), notes('shared request', 'request')],
    })
    await runtime.call('a', { x: 1 })
    expect(seen).toEqual([
      'shared request {"x":1}',
      'request a {"x":1}',
      'request b {"x":1}',
      'shared {"x":1}',
      'of a {"x":1}',
      'shared {"x":1}',
      'of b {"x":1}',
    ])
  })

  it('keeps its routes when it is changed', async () => {
    const extra: ToolInterceptor = { beforeExecute: ({ alternative }) => void seen.push(alternative) }
    const seen: unknown[] = []
    const merged = toolRoutes(
      tool('a', throwing(away)),
      tool('b', () => 'b'),
    )
    const renamed = merged.with({ name: 'other', metadata: { owner: 'shop' }, interceptors: [extra] })
    const { runtime } = await started({ tools: [renamed] })
    expect(await runtime.call('other')).toMatchObject({ ok: true, toolName: 'other', value: 'b' })
    expect(seen).toEqual(['a', 'b'])
    expect(renamed.metadata).toEqual({ ...merged.metadata, owner: 'shop' })
  })

  it('takes tools that have routes themselves', async () => {
    let isHealthy = false
    const inner = toolRoutes(tool('a', throwing(away)), tool('b', throwing(away)))
    const { runtime } = await routed(
      { tool: inner, isHealthy: () => isHealthy },
      tool('c', ({ toolName }) => toolName),
    )
    expect(await runtime.call('a')).toMatchObject({ value: 'a' })
    expect(runtime.explain('a').alternatives?.map(({ label, healthy }) => [label, healthy])).toEqual([
      ['a', false],
      ['b', false],
      ['c', undefined],
    ])
    isHealthy = true
    expect(runtime.explain('a').alternatives?.[0]?.healthy).toBe(true)
  })

  it('is checked against the output schema that is published, and no other', async () => {
    const promising = (name: string, property: string, value: unknown, error?: () => unknown) =>
      ToolDefinition.builder()
        .name(name)
        .description('Promises')
        .parameterSchema({ type: 'object' })
        .outputSchema({ type: 'object', required: [property] })
        .executor(error === undefined ? () => value : throwing(error))
        .build()
    const first = promising('a', 'x', {}, away)
    const good = await routed(first, promising('b', 'y', { x: 1 }))
    const bad = await routed(first, promising('b', 'y', { y: 1 }))
    expect(gist(await good.runtime.call('a'))).toEqual({ value: { x: 1 } })
    expect(gist(await bad.runtime.call('a'))).toEqual({ code: 'INVALID_RESULT', outcome: 'completed' })
  })

  it('has the most cautious metadata of all', () => {
    const reads = tool('a', () => 1, { metadata: { readOnly: true, owner: 'shop', timeoutMs: 50 } })
    const repeats = tool('b', () => 1, {
      metadata: { idempotent: true, destructive: false, forwardsIdempotencyKey: true, owner: 'web' },
    })
    const acts = tool('c')
    const safety = (definition: ToolDefinition) => {
      const { readOnly, destructive, idempotent, forwardsIdempotencyKey, owner } = definition.metadata
      return { readOnly, destructive, idempotent, forwardsIdempotencyKey, owner }
    }
    const keyless = { forwardsIdempotencyKey: false }
    expect(safety(toolRoutes(reads, repeats))).toEqual({
      readOnly: false,
      destructive: false,
      idempotent: true,
      ...keyless,
      owner: 'shop',
    })
    expect(safety(toolRoutes(reads, acts))).toMatchObject({
      destructive: true,
      idempotent: false,
      ...keyless,
    })
    expect(safety(toolRoutes(reads, reads))).toMatchObject({ readOnly: true, idempotent: true })
    expect(safety(toolRoutes(repeats, repeats))).toMatchObject({ forwardsIdempotencyKey: true })
  })
})

describe('which alternative runs', () => {
  it.each([
    ['is away', away],
    ['is unavailable', () => new ToolUnavailableError('a', 'its server is away')],
    ['is overloaded', () => new OverloadedError('a', 1_000)],
    ['has an open circuit', () => new CircuitOpenError('a', 1_000)],
  ])('is the next where one %s', async (_, error) => {
    const { runtime, logger } = await routed(
      tool('a', throwing(error)),
      tool('b', () => 'b'),
    )
    const result = await runtime.call('a')
    expect(result).toMatchObject({ ok: true, value: 'b' })
    expect(result).not.toHaveProperty('degraded')
    expect(logger.lines).toContainEqual({
      level: 'warn',
      fields: expect.objectContaining({ toolName: 'a', alternative: 'a' }),
      message: 'an alternative failed: the next one is tried',
    })
  })

  it.each<[string, () => unknown, string]>([
    ['has bad arguments', () => new InvalidArgumentsError('a', []), 'not-started'],
    ['refuses', () => new ForbiddenError(), 'not-started'],
    [
      'fails on purpose',
      () => new ToolExecutionError('No such order', { outcome: 'not-started' }),
      'not-started',
    ],
    ['may have acted', reset, 'unknown'],
    ['threw an exception', () => new Error('half-way'), 'unknown'],
  ])('is no other where one %s', async (_, error, outcome) => {
    const other = vi.fn()
    const { runtime } = await routed(tool('a', throwing(error)), tool('b', other))
    expect(await runtime.call('a')).toMatchObject({ ok: false, error: { outcome } })
    expect(other).not.toHaveBeenCalled()
  })

  it.each(['idempotent', 'readOnly'] as const)(
    'is the next after work that may have acted, if all are %s',
    async (all) => {
      const metadata = { [all]: true }
      const b = tool('b', () => 'b', { metadata })
      const safe = await routed(tool('a', throwing(reset), { metadata }), b)
      expect(await safe.runtime.call('a')).toMatchObject({ value: 'b' })
      const unsafe = await routed(
        tool('a', throwing(reset), { metadata }),
        tool('b', () => 'b'),
      )
      expect(await unsafe.runtime.call('a')).toMatchObject({ ok: false, error: { outcome: 'unknown' } })
    },
  )

  it('is no other where only the service of the first knows the key that the work was done under', async () => {
    const metadata = { forwardsIdempotencyKey: true }
    const other = vi.fn()
    const { runtime } = await routed(tool('a', throwing(reset), { metadata }), tool('b', other, { metadata }))
    expect(await runtime.call('a')).toMatchObject({ ok: false, error: { outcome: 'unknown' } })
    expect(other).not.toHaveBeenCalled()
  })

  it('is no other if an earlier attempt may have acted, and the last one did nothing', async () => {
    let attempts = 0
    const again: ToolInterceptor = { aroundExecute: (_, next) => next().catch(() => next()) }
    const other = vi.fn()
    const a = tool('a', () => Promise.reject(++attempts === 1 ? reset() : away()), {
      metadata: { forwardsIdempotencyKey: true },
      interceptors: [again],
    })
    const { runtime } = await routed(a, tool('b', other, { metadata: { forwardsIdempotencyKey: true } }))
    expect(await runtime.call('a')).toMatchObject({ ok: false, error: { outcome: 'unknown' } })
    expect([attempts, other.mock.calls.length]).toEqual([2, 0])
  })

  it('is the first that says it is healthy, or, where none does, the first', async () => {
    const health = { a: false, b: true }
    const { runtime } = await routed(
      { tool: tool('a', () => 'a'), isHealthy: () => health.a },
      { tool: tool('b', () => 'b'), isHealthy: () => health.b },
    )
    expect(await runtime.call('a')).toMatchObject({ value: 'b' })
    health.b = false
    expect(await runtime.call('a')).toMatchObject({ value: 'a' })
    health.a = true
    expect(await runtime.call('a')).toMatchObject({ value: 'a' })
  })

  it.each<[string, () => boolean]>([
    ['throws', throwing(() => new Error('no idea'))],
    ['promises', (async () => true) as never],
  ])('is not one whose health %s, and that is logged', async (_, isHealthy) => {
    const { runtime, logger } = await routed(
      { tool: tool('a', () => 'a'), isHealthy },
      tool('b', () => 'b'),
    )
    expect(await runtime.call('a')).toMatchObject({ value: 'b' })
    expect(logger.lines).toContainEqual({
      level: 'warn',
      fields: expect.objectContaining({ alternative: 'a' }),
      message: 'the health of an alternative cannot be told: it is passed over',
    })
  })

  it('is not one that the caller may not see', async () => {
    const b = tool('b', () => 'b', { metadata: { visibility: { scopes: ['orders'] } } })
    const { runtime } = await routed(tool('a', throwing(away)), b)
    const clerk = new Principal({ subject: 'clerk', scopes: ['orders'] })
    expect(await runtime.call('a', {}, { principal: clerk })).toMatchObject({ value: 'b' })
    expect(await runtime.call('a')).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
  })

  it('is not one whose schema does not compile, and warming up tells', async () => {
    const compile = SchemaValidator.prototype.compile
    vi.spyOn(SchemaValidator.prototype, 'compile').mockImplementation(function (
      this: SchemaValidator,
      ...given: Parameters<typeof compile>
    ) {
      if (given[0].title === 'odd') throw new SchemaCompileError('odd')
      return compile.apply(this, given)
    })
    const { runtime } = await routed(taking('a', { title: 'odd' }), taking('b'))
    expect(await runtime.call('a')).toMatchObject({ ok: true, value: 'b' })
    expect(runtime.warmUp().map(String)).toEqual([
      'ToolUnavailableError: Tool "a" is unavailable: its schema does not compile',
    ])
  })
})

describe('a call with alternatives', () => {
  it('fails with the last failure, with the one before as its cause', async () => {
    const { runtime } = await routed(
      tool('a', throwing(away)),
      tool(
        'b',
        throwing(() => new OverloadedError('a', 1_000)),
      ),
    )
    const result = await runtime.call('a')
    expect(result).toMatchObject({ ok: false, error: { code: 'OVERLOADED' } })
    expect(String((result as { error: Error }).error.cause)).toBe('UpstreamError: The server is away')
  })

  it('fails as the first one did where the next cannot make its arguments of those that were good enough before', async () => {
    const strict = overHttp(() => 'b').with({ aliases: {} })
    const noAlias = ToolDefinition.builder()
      .name('b')
      .description('Knows no order_number')
      .parameterSchema(strict.parameters)
      .executor(() => 'b')
      .build()
    const { runtime, logger } = await routed(ofServer(), noAlias)
    expect(await runtime.call('query_order', { order_number: 7 })).toMatchObject({
      ok: false,
      error: { code: 'UPSTREAM_FAILED' },
    })
    const more = await routed(
      ofServer(),
      noAlias,
      overHttp(() => 'third'),
    )
    expect(await more.runtime.call('query_order', { order_number: 7 })).toMatchObject({ value: 'third' })
    expect(
      logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields.alternative),
    ).toEqual(['query_order', 'b'])
  })

  it('names the tool in what it says of bad arguments', async () => {
    const { runtime } = await routed(
      { tool: ofServer(), isHealthy: () => false },
      overHttp(() => 'b'),
    )
    const result = await runtime.call('query_order', { order_number: 'x' })
    expect(result).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } })
    expect((result as { error: Error }).error.message).toMatch(/^Invalid arguments for "query_order": /)
  })

  it('has one deadline for all of them', async () => {
    const other = vi.fn()
    const never = ({ signal }: ToolExecutionContext) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(away()), { once: true }))
    const metadata = { timeoutMs: 20, idempotent: true }
    const { runtime } = await routed(tool('a', never, { metadata }), tool('b', other, { metadata }))
    expect(await runtime.call('a')).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
    expect(other).not.toHaveBeenCalled()
  })

  it('ends where its caller gives up', async () => {
    const caller = new AbortController()
    const begun = deferred()
    const { runtime } = await routed(
      tool('a', throwing(away)),
      tool('b', () => {
        begun.resolve()
        return new Promise(() => undefined)
      }),
    )
    const call = runtime.call('a', {}, { signal: caller.signal })
    await begun.promise
    caller.abort()
    expect(await call).toMatchObject({ ok: false, error: { code: 'ABORTED', outcome: 'unknown' } })
    await turn()
  })

  it('that asked goes on with the alternative that asked, and with no other', async () => {
    let isHealthy = false
    const ran: string[] = []
    const asks = tool('b', async ({ ask, once }) => {
      await once('reserve', () => void ran.push('b'))
      return (await ask(form('sure'))).action
    })
    const a = tool('asks', () => void ran.push('a'))
    const { runtime } = await routed({ tool: a, isHealthy: () => isHealthy }, asks)
    const first = await runRound(runtime)
    expect(first).toMatchObject({ asked: ['sure'] })
    isHealthy = true
    const { steps } = first as unknown as { steps: Record<string, unknown> }
    expect(await runRound(runtime, { number: 2, steps, answers: { sure: accept } })).toEqual({
      value: 'accept',
    })
    expect(ran).toEqual(['b'])
  })
})

describe('interceptors that remember', () => {
  it('open the circuit of one alternative, and leave that of the other closed', async () => {
    const breaker = new CircuitBreakerInterceptor({ breaker: () => new ConsecutiveBreaker(1) })
    const metadata = { readOnly: true }
    const ran: string[] = []
    const a = tool('a', () => Promise.reject(ran.push('a') && reset()), { metadata })
    const b = tool('b', () => ran.push('b'), { metadata })
    const { runtime } = await started({ tools: [toolRoutes(a, b)], interceptors: [breaker] })
    for (let i = 0; i < 3; i++) expect(await runtime.call('a')).toMatchObject({ ok: true })
    expect(ran).toEqual(['a', 'b', 'b', 'b'])
  })

  it('free the key of rounds that nobody goes on with: which alternative was begun is no act', async () => {
    let now = 0
    const store = new MemoryStore({ clock: { now: () => now } })
    const asks = tool('asks', async ({ ask }) => ask(form('sure')))
    const { runtime } = await started({
      tools: [toolRoutes(asks, tool('other'))],
      interceptors: [new IdempotencyInterceptor({ store })],
    })
    const waits = { asked: ['sure'], steps: { 'toolwire.alternative asks': true } }
    expect(await runRound(runtime, {}, { idempotencyKey: 'k' })).toEqual(waits)
    await turn()
    now += 600_000
    expect(await runRound(runtime, {}, { idempotencyKey: 'k' })).toEqual(waits)
  })

  it('know a repeat by its key, whichever alternative did the work, and each alternative by its arguments', async () => {
    let isAway = true
    const ran: string[] = []
    const server = ofServer(() => {
      if (isAway) throw away()
      return ran.push('server')
    })
    const http = overHttp(({ args }) => ran.push(`http ${args.order_id}`))
    const { runtime } = await started({
      tools: [toolRoutes(server, http)],
      interceptors: [new IdempotencyInterceptor()],
    })
    const options = { idempotencyKey: 'k' }
    expect(gist(await runtime.call('query_order', { order_number: 7 }, options))).toEqual({ value: 1 })
    isAway = false
    expect(gist(await runtime.call('query_order', { order_number: 7 }, options))).toEqual({ value: 1 })
    expect(gist(await runtime.call('query_order', { order_number: 8 }, options))).toEqual({
      code: 'IDEMPOTENCY_CONFLICT',
      outcome: 'not-started',
    })
    expect(ran).toEqual(['http 7'])
  })
})

describe('what is no route', () => {
  it.each<[string, unknown]>([
    ['needs ToolDefinitions, or { tool, isHealthy } of one (got undefined)', { name: 'a' }],
    ['needs ToolDefinitions, or { tool, isHealthy } of one (got undefined)', { tool: undefined }],
    ['needs ToolDefinitions, or { tool, isHealthy } of one (got null)', null],
    [
      'isHealthy of the alternative "a" must be a function (got a boolean)',
      { tool: tool('a'), isHealthy: true },
    ],
  ])('%s', (message, route) => {
    expect(() => toolRoutes(tool('first'), route as ToolDefinition)).toThrow(message)
  })
})

describe('admission', () => {
  it('wants the schemas of every alternative to be sound', async () => {
    const remote = taking('b', { properties: { x: { $ref: 'https://example.test/x.json' } } })
    const { report } = await routed(taking('a'), remote)
    expect(report.problems.map(({ toolName, error }) => [toolName, String(error)])).toEqual([
      ['a', expect.stringContaining('alternatives/b/inputSchema/properties/x')],
    ])
  })

  it('wants the mandatory interceptors around every alternative', async () => {
    class Audit implements ToolInterceptor {}
    const audited = tool('a', () => 'a', { interceptors: [new Audit()] })
    const bare = toolRoutes(audited, tool('b'))
    const { runtime, report } = await started({
      tools: [
        bare,
        toolRoutes(audited, audited).with({ name: 'fine' }),
        bare.with({ name: 'around', interceptors: [new Audit()] }),
      ],
      options: { mandatoryInterceptors: [Audit] },
    })
    expect(runtime.registry.list().map(({ name }) => name)).toEqual(['around', 'fine'])
    expect(report.problems.map(({ error }) => String(error))).toEqual([
      'ToolDefinitionError: Tool "a" cannot be used: alternatives/b/interceptors: the mandatory Audit is missing',
    ])
  })
})
