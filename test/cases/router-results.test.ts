import { describe, expect, it } from 'vitest'
import { CacheInterceptor } from '../../src/interceptors/cache.js'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { LoggingInterceptor } from '../../src/interceptors/logging.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolExecutionError } from '../../src/registry/tool-error.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { caller, hosted } from '../bridge/fixtures/hosted.js'
import { messagesOf, modern, openSession, request, send } from '../bridge/fixtures/http-server.js'
import type { Json } from '../bridge/fixtures/ways.js'
import { recordingLogger } from '../interceptors/recording-logger.js'
import { gist, started, tool } from '../runtime/runtime-fixture.js'
import { answered, ERAS } from './wire.js'

const said = (text: string) => [{ type: 'text', text }]
const readOnly = { metadata: { readOnly: true } }

describe('router: a failure is no success', () => {
  const ways: readonly [string, () => unknown][] = [
    ['as another server says it', () => ({ isError: true, content: said('quota') })],
    ['as a result', () => ToolExecutionResult.failure(new ToolExecutionError('quota'))],
    ['as an error that is returned', () => new ToolExecutionError('quota')],
    [
      'as an error that is thrown',
      () => {
        throw new ToolExecutionError('quota')
      },
    ],
  ]

  it.each(ways)(
    'RTR-19: "quota" %s is recorded as a failure, not cached, and reaches the caller',
    async (_, says) => {
      let runs = 0
      const hooks: string[] = []
      const audit: ToolInterceptor = {
        afterExecute: () => void hooks.push('after'),
        onError: (_, { code, message }) => void hooks.push(`${code} ${message}`),
      }
      const logger = recordingLogger()
      const remote = tool(
        'remote',
        () => {
          runs++
          return says()
        },
        readOnly,
      )
      await using host = await hosted({
        tools: [remote],
        interceptors: [
          new LoggingInterceptor({ logger }),
          new CacheInterceptor(),
          new FallbackInterceptor({ lastGood: true }),
          audit,
        ],
      })
      expect(await host.runtime.call('remote')).toMatchObject({
        ok: false,
        error: { code: 'EXECUTION_FAILED', message: 'quota' },
      })
      for (const era of ERAS) {
        const params = { name: 'remote' }
        expect(await answered(host.url, { era, method: 'tools/call', params })).toMatchObject({
          isError: true,
          content: said('quota'),
        })
      }
      expect(runs).toBe(3)
      expect(hooks).toEqual(Array(3).fill('EXECUTION_FAILED quota'))
      const ended = logger.lines.filter(({ level }) => level !== 'debug')
      expect(ended.map(({ level, fields }) => [level, fields.code])).toEqual(
        Array(3).fill(['warn', 'EXECUTION_FAILED']),
      )
    },
  )

  it('RTR-19: what only looks like one is a value', async () => {
    const values = [
      { isError: true },
      { isError: 'yes', content: [] },
      { isError: false, content: said('fine') },
    ]
    const { runtime } = await started({ tools: [tool('t', ({ args }) => values[Number(args.n)])] })
    const results = await Promise.all(values.map((_, n) => runtime.call('t', { n })))
    expect(results.map(gist)).toEqual(values.map((value) => ({ value })))
  })
})

describe('router: limits and who calls', () => {
  const limited = () =>
    hosted({
      tools: [tool('limited', () => 'ok')],
      interceptors: [new RateLimitInterceptor({ defaultPerMinute: 2 })],
    })

  async function call(
    url: string,
    headers: Readonly<Record<string, string>> = {},
    isModern = false,
  ): Promise<unknown> {
    const params = { name: 'limited', arguments: {} }
    const raw = isModern
      ? modern(2, 'tools/call', params)
      : { headers: await openSession(url, headers), body: request(2, 'tools/call', params) }
    const message = (
      await messagesOf(await send(url, { ...raw, headers: { ...raw.headers, ...headers } }))
    ).at(-1)
    const { isError, _meta } = (message?.result ?? {}) as { isError?: boolean; _meta?: Json }
    return isError ? (_meta as Record<string, Json>)['toolwire/error']?.code : 'ok'
  }

  it('RTR-22: two principals without a session have a limit each', async () => {
    await using host = await limited()
    const answers: unknown[] = []
    for (const name of ['alice', 'bob', 'alice', 'bob', 'alice'])
      answers.push(await call(host.url, caller(name).headers, true))
    expect(answers).toEqual(['ok', 'ok', 'ok', 'ok', 'RATE_LIMITED'])
  })

  it('RTR-22: a new session for each call is no new caller, in either era', async () => {
    await using host = await limited()
    const answers: unknown[] = []
    for (const isModern of [false, false, false, true, false])
      answers.push(await call(host.url, {}, isModern))
    expect(answers).toEqual(['ok', 'ok', 'RATE_LIMITED', 'RATE_LIMITED', 'RATE_LIMITED'])
  })

  it('RTR-22: nor is another X-Forwarded-For, nor any other header that a client can send', async () => {
    await using host = await limited()
    const answers: unknown[] = []
    for (const header of [
      'x-forwarded-for',
      'forwarded',
      'x-real-ip',
      'mcp-session-id-of',
      'x-forwarded-for',
    ])
      answers.push(await call(host.url, { [header]: `10.0.0.${answers.length}` }, true))
    expect(answers).toEqual(['ok', 'ok', ...Array(3).fill('RATE_LIMITED')])
  })
})

describe('router: what JSON cannot carry', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  const big = 'x'.repeat(5_000_000)
  const refusal = (what: string) => `Tool "odd" returned an invalid result: ${what}`
  const unreadable = refusal('the value cannot be read, or written as JSON')
  const returns: readonly [string, () => unknown, { content: unknown; isError?: true }][] = [
    ['undefined', () => undefined, { content: [] }],
    [
      'a bigint',
      () => 10n,
      { content: said(refusal('the value is a bigint, which JSON cannot carry')), isError: true },
    ],
    [
      'an object that contains itself',
      () => cycle,
      { content: said(expect.stringContaining('contains itself, which JSON cannot carry')), isError: true },
    ],
    [
      'NaN',
      () => Number.NaN,
      { content: said(refusal('the value is NaN, which JSON cannot carry')), isError: true },
    ],
    [
      'a Map',
      () => new Map([[1, 2]]),
      { content: said(refusal('the value is an instance of Map, which JSON cannot carry')), isError: true },
    ],
    ['a Buffer', () => Buffer.from('a'), { content: said('{"type":"Buffer","data":[97]}') }],
    ['a Date', () => new Date(0), { content: said('"1970-01-01T00:00:00.000Z"') }],
    ['5 MB of text', () => big, { content: said(big) }],
    [
      'a toJSON that throws',
      () => ({
        toJSON() {
          throw 1
        },
      }),
      { content: said(unreadable), isError: true },
    ],
    [
      'a getter that throws',
      () => ({
        get a() {
          throw new Error('secret')
        },
      }),
      { content: said(unreadable), isError: true },
    ],
    [
      'a function',
      () => () => 1,
      { content: said(refusal('the value is a function, which JSON cannot carry')), isError: true },
    ],
  ]

  it.each(returns)(
    'RTR-24: %s has one form, or a clear error, and the work is done once',
    async (_, make, expected) => {
      let runs = 0
      await using host = await hosted({
        tools: [
          tool('odd', () => {
            runs++
            return make()
          }),
        ],
      })
      const { ok } = await host.runtime.call('odd')
      expect(ok).toBe(expected.isError === undefined)
      for (const era of ERAS) {
        const { _meta, ...answer } = await answered(host.url, {
          era,
          method: 'tools/call',
          params: { name: 'odd' },
        })
        expect(answer).toEqual(expected)
        if (expected.isError)
          expect(_meta).toMatchObject({ 'toolwire/error': { code: 'INVALID_RESULT', outcome: 'completed' } })
      }
      expect(runs).toBe(3)
    },
  )

  it('RTR-24: a value is checked, not copied; what its owner makes of it later is a clear error all the same', async () => {
    const kept: { at: unknown } = { at: 1 }
    // Between the check and the answer: an audit, which takes its time.
    const audit: ToolInterceptor = {
      ring: 'request',
      afterExecute: async () => {
        await new Promise(setImmediate)
        kept.at = 10n
      },
    }
    const keeping = ToolDefinition.builder()
      .name('odd')
      .description('Keeps what it returns')
      .outputSchema({ type: 'object' })
      .executor(() => kept)
      .build()
    await using host = await hosted({ tools: [keeping], interceptors: [audit] })
    const result = await host.runtime.call('odd')
    expect(result.ok && result.value).toBe(kept)
    for (const era of ERAS) {
      kept.at = 1
      expect(await answered(host.url, { era, method: 'tools/call', params: { name: 'odd' } })).toMatchObject({
        isError: true,
        content: said(refusal('the value was changed to what JSON cannot carry')),
      })
    }
  })
})

describe('router: the text of exceptions', () => {
  const secret = 'connect postgres://app:pw@db.internal/x failed at /srv/app/a.ts:10'

  it.each(ERAS)('RTR-25: is not for clients, but what an executor says on purpose is (%s)', async (era) => {
    const leaky = tool('leaky', () => {
      throw new Error(secret)
    })
    const clear = tool('clear', () => {
      throw new ToolExecutionError('date must be in the future', { cause: new Error(secret) })
    })
    await using host = await hosted({ tools: [leaky, clear] })
    const call = (name: string) => answered(host.url, { era, method: 'tools/call', params: { name } })
    const [masked, told] = [await call('leaky'), await call('clear')]
    expect(masked).toMatchObject({
      isError: true,
      content: said('The tool failed. It may have taken effect: check before you call it again'),
    })
    expect(told).toMatchObject({ isError: true, content: said('date must be in the future') })
    for (const answer of [masked, told])
      expect(JSON.stringify(answer)).not.toMatch(/postgres|db\.internal|\/srv|a\.ts|at Object|\.js:/)
    // What client and log have in common is the id of the request.
    const [line] = host.logger.lines.filter(
      ({ level, message }) => level === 'error' && message === 'tool failed',
    )
    expect(line?.fields).toMatchObject({
      toolName: 'leaky',
      callId: 2,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(JSON.stringify(line?.fields.err)).toContain('a.ts:10')
  })
})
