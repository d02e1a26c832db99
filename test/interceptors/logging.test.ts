import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { InterceptorChain } from '../../src/interceptors/chain.js'
import type { Logger } from '../../src/interceptors/logger.js'
import { LoggingInterceptor, type LoggingInterceptorOptions } from '../../src/interceptors/logging.js'
import { Principal } from '../../src/registry/principal.js'
import {
  InvalidArgumentsError,
  OverloadedError,
  ToolAbortedError,
  ToolError,
  ToolNotFoundError,
  UpstreamError,
} from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult, type ToolSuccess } from '../../src/registry/tool-execution-result.js'
import { type LogLine, recordingLogger } from './recording-logger.js'
import { contextOf } from './tool-call-fixture.js'

/** What is logged of one call, which ends as `work` does. */
async function logged(
  ctx: ToolExecutionContext,
  work: () => unknown = () => 'sunny',
  options: Partial<LoggingInterceptorOptions> = {},
): Promise<readonly LogLine[]> {
  const logger = recordingLogger()
  const chain = new InterceptorChain([new LoggingInterceptor({ logger, ...options })], {
    argumentsAreFinal: false,
  })
  try {
    await chain.run(ctx, async () => ToolExecutionResult.success(await work()))
  } catch (thrown) {
    expect(ToolError.is(thrown)).toBe(true)
  }
  return logger.lines
}

function failing(error: Error): () => never {
  return () => {
    throw error
  }
}

const IDS = { toolName: 'get_weather', callId: 'call-1', traceId: '0af7651916cd43dd8448eb211c80319c' }

describe('a call', () => {
  it('is logged at its start and its end', async () => {
    expect(await logged(contextOf())).toEqual([
      { level: 'debug', fields: IDS, message: 'tool call started' },
      {
        level: 'info',
        fields: { ...IDS, durationMs: expect.any(Number) },
        message: 'tool call ended',
      },
    ])
  })

  it('tells how long it took, in milliseconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const lines = await logged(contextOf(), () => vi.advanceTimersByTime(1_234))
      expect(lines[1]?.fields.durationMs).toBe(1_234)
    } finally {
      vi.useRealTimers()
    }
  })

  it('tells who calls by the subject, without the claims', async () => {
    const principal = new Principal({ subject: 'ada', tenant: 'acme', claims: { email: 'a@b.c' } })
    const lines = await logged(contextOf({ principal, sessionId: 's-1', callId: 0 }))
    expect(lines[0]?.fields).toEqual({ ...IDS, callId: 0, sessionId: 's-1', principal: 'ada' })
  })

  it('is told apart from others that run at the same time', async () => {
    const logger = recordingLogger()
    const chain = new InterceptorChain([new LoggingInterceptor({ logger, args: true })], {
      argumentsAreFinal: false,
    })
    const calls = Array.from({ length: 1_000 }, (_, n) =>
      chain.run(contextOf({ callId: n }, { n }), async () => {
        await new Promise((resolve) => setImmediate(resolve, n % 7))
        return ToolExecutionResult.success(n)
      }),
    )
    await Promise.all(calls)
    const ended = logger.lines
      .filter(({ level }) => level === 'info')
      .map(({ fields: { callId, args } }) => [callId, args])
    ended.sort(([a], [b]) => Number(a) - Number(b))
    expect(ended).toEqual(Array.from({ length: 1_000 }, (_, n) => [n, { n }]))
  })

  it('is marked when its answer is a stand-in', async () => {
    const logger = recordingLogger()
    const chain = new InterceptorChain([new LoggingInterceptor({ logger })], { argumentsAreFinal: false })
    await chain.run(contextOf(), async () => ToolExecutionResult.success('old', { degraded: true }))
    expect(logger.lines[1]).toEqual({
      level: 'info',
      fields: { ...IDS, durationMs: expect.any(Number), degraded: true },
      message: 'tool call ended',
    })
  })
})

describe('a failure', () => {
  it('is logged as a warning with code, outcome and reason', async () => {
    const lines = await logged(
      contextOf(),
      failing(new UpstreamError('503 from https://u:p@api/', { status: 503 })),
    )
    expect(lines[1]).toEqual({
      level: 'warn',
      fields: {
        ...IDS,
        durationMs: expect.any(Number),
        code: 'UPSTREAM_FAILED',
        outcome: 'unknown',
        reason: '503 from https://[redacted]@api/',
      },
      message: 'tool call failed',
    })
  })

  it('is logged of a tool that does not exist', async () => {
    const ctx = contextOf({ toolName: 'nope', tool: undefined })
    const lines = await logged(ctx, failing(new ToolNotFoundError('nope')))
    expect(lines[1]?.fields).toMatchObject({
      toolName: 'nope',
      code: 'TOOL_NOT_FOUND',
      outcome: 'not-started',
    })
  })

  it('names the arguments that are wrong and not what was in them', async () => {
    const issue = { path: '/pin', keyword: 'enum', message: 'not SENTINEL', params: { got: 'SENTINEL' } }
    const lines = await logged(contextOf(), failing(new InvalidArgumentsError('get_weather', [issue])))
    expect(lines[1]?.fields).toEqual({
      ...IDS,
      durationMs: expect.any(Number),
      code: 'INVALID_ARGUMENTS',
      outcome: 'not-started',
      issues: [{ path: '/pin', keyword: 'enum' }],
    })
  })

  it('leaves the cause of EXECUTION_FAILED to the router, and of a cancellation to nobody', async () => {
    const failed = await logged(contextOf(), failing(new Error('SENTINEL')))
    expect(failed[1]?.fields).toEqual({
      ...IDS,
      durationMs: expect.any(Number),
      code: 'EXECUTION_FAILED',
      outcome: 'unknown',
      reason: 'The tool failed',
    })
    const cancelled = await logged(contextOf(), failing(new ToolAbortedError('t', { cause: new Error('x') })))
    expect(cancelled[1]?.fields).not.toHaveProperty('err')
  })

  it('shows any other cause, redacted', async () => {
    const cause = Object.assign(new Error('redis://:pw@store is away'), { stack: 'at store', password: 'pw' })
    const lines = await logged(contextOf(), failing(new OverloadedError('get_weather', 1_000, { cause })))
    expect(lines[1]?.fields.err).toEqual({
      type: 'Error',
      message: 'redis://[redacted]@store is away',
      stack: 'at store',
      password: '[redacted]',
    })
  })
})

describe('arguments', () => {
  const args = { city: 'Oslo', password: 'SENTINEL', card: { number: 'SENTINEL' }, pin: 1 }

  it('are not logged unless asked for', async () => {
    expect(JSON.stringify(await logged(contextOf({}, args)))).not.toContain('Oslo')
  })

  it('are logged with the start and the end, redacted by name and by path', async () => {
    const redact = { names: ['pin'], paths: ['/card/number'] }
    const lines = await logged(contextOf({}, args), undefined, { args: true, redact })
    const shown = {
      city: 'Oslo',
      password: '[redacted]',
      card: { number: '[redacted]' },
      pin: '[redacted]',
    }
    expect(lines.map(({ fields }) => fields.args)).toEqual([shown, shown])
    expect(args.password).toBe('SENTINEL')
  })

  it('are logged as they were sent, also if they are none', async () => {
    const lines = await logged(contextOf({}, 'token=SENTINEL'), undefined, { args: true })
    expect(lines[0]?.fields.args).toBe('token=[redacted]')
  })
})

describe('what a client made up', () => {
  it('is cut, and shown without what a terminal obeys or nobody sees', async () => {
    const toolName = `\u001b[31m\n\u202e${'x'.repeat(1_000_000)}`
    const lines = await logged(
      contextOf({ toolName, tool: undefined, callId: 'a\u0000', traceId: 't\r', sessionId: 's\u2028' }),
      failing(new ToolNotFoundError(toolName)),
    )
    expect(lines[0]?.fields).toEqual({
      toolName: `\\u{1b}[31m\\u{a}\\u{202e}${'x'.repeat(121)}…`,
      callId: 'a\\u{0}',
      traceId: 't\\u{d}',
      sessionId: 's\\u{2028}',
    })
    expect(lines[1]?.fields.reason).not.toContain('\u202e')
  })
})

describe('a logger', () => {
  const answer = async (log: () => unknown, work: () => Promise<ToolSuccess>) => {
    const logging = new LoggingInterceptor({ logger: { debug: log, info: log, warn: log, error: log } })
    return new InterceptorChain([logging], { argumentsAreFinal: false }).run(contextOf(), work)
  }
  const work = async () => ToolExecutionResult.success('sunny')

  it.each<[string, () => unknown]>([
    ['throws', failing(new Error('disk full'))],
    ['returns a number', () => 1],
    ['returns a result', () => ToolExecutionResult.success('forged')],
    ['returns a failed promise', () => Promise.reject(new Error('disk full'))],
    // biome-ignore lint/suspicious/noThenProperty: this is what is tested
    ['returns something that throws when it is waited for', () => ({ then: failing(new Error('no')) })],
  ])('that %s does not hurt the call', async (_what, log) => {
    await expect(answer(log, work)).resolves.toMatchObject({ value: 'sunny' })
    await expect(answer(log, failing(new ToolNotFoundError('x')))).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
    })
  })

  it('without its methods is refused', () => {
    expect(() => new LoggingInterceptor({ logger: { info() {}, error() {} } as unknown as Logger })).toThrow(
      new TypeError('LoggingInterceptor needs a logger shaped like pino; debug, warn must be functions'),
    )
  })

  it('may be a pino, which keeps its own fields and shows the redacted cause', async () => {
    const out = new PassThrough()
    const logger = pino({ level: 'debug', base: { service: 'weather' }, timestamp: false }, out)
    const inner = Object.assign(new TypeError('redis://:pw@store'), { stack: 'at store' })
    const cause = Object.assign(new Error('away', { cause: inner }), { stack: 'at quota' })
    await logged(contextOf(), failing(new OverloadedError('get_weather', 2_000, { cause })), {
      logger,
      args: true,
    })
    const lines = String(out.read()).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 20, service: 'weather', ...IDS, args: { city: 'Oslo' }, msg: 'tool call started' },
      {
        level: 40,
        service: 'weather',
        ...IDS,
        args: { city: 'Oslo' },
        durationMs: expect.any(Number),
        code: 'OVERLOADED',
        outcome: 'not-started',
        reason: 'Tool "get_weather" is overloaded; try again in 2 s',
        err: {
          type: 'Error',
          message: 'away: redis://[redacted]@store',
          stack: 'at quota\ncaused by: at store',
        },
        msg: 'tool call failed',
      },
    ])
  })
})
