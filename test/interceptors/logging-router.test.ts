import { describe, expect, it, vi } from 'vitest'
import type { Logger } from '../../src/interceptors/logger.js'
import { LoggingInterceptor } from '../../src/interceptors/logging.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { stderrLogger } from '../../src/interceptors/stderr-logger.js'
import { Principal } from '../../src/registry/principal.js'
import type { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ForbiddenError } from '../../src/registry/tool-error.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { ToolRegistry } from '../../src/registry/tool-registry.js'
import type { CallOptions } from '../../src/runtime/call-options.js'
import { ExecutorRouter } from '../../src/runtime/executor-router.js'
import { SchemaValidator } from '../../src/runtime/schema/schema-validator.js'
import { tool } from '../runtime/runtime-fixture.js'
import { recordingLogger } from './recording-logger.js'

function routerOf(
  tools: readonly ToolDefinition[],
  interceptors: readonly ToolInterceptor[],
  logger: Logger,
) {
  const registry = new ToolRegistry()
  registry.registerAll(tools)
  const router = new ExecutorRouter({
    validator: new SchemaValidator(),
    logger,
    interceptors,
    isMandatory: () => false,
    defaultTimeoutMs: 30_000,
    askTimeoutMs: 30_000,
    maxResultSize: 10_000_000,
    spill: () => undefined,
    mayAct: () => true,
    callTool: () => Promise.reject(new Error('there is no other tool')),
  })
  return {
    call: (name: string, input: unknown, options: CallOptions = {}) =>
      router.run({ kind: 'tool', name, input, registered: registry.registered(name) }, options),
  }
}

describe('logging around a router', () => {
  const onlyAda: ToolInterceptor = {
    name: 'only-ada',
    beforeExecute({ principal }) {
      if (principal?.subject === 'eve') throw new ForbiddenError()
    },
  }

  it('sees every call, however it ends, each once', async () => {
    const logger = recordingLogger()
    const logging = new LoggingInterceptor({ logger })
    const router = routerOf(
      [
        tool('hang', () => new Promise(() => undefined), { metadata: { timeoutMs: 20 } }),
        tool('closed', () => 'never', { metadata: { rateLimit: { perMinute: 0 } } }),
        tool('fail', () => Promise.reject(new Error('no'))),
        tool('work'),
      ],
      [onlyAda, new RateLimitInterceptor(), logging],
      recordingLogger(),
    )
    const cancelled = new AbortController()
    cancelled.abort()
    await router.call('nope', {})
    await router.call('work', 'no object')
    await router.call('closed', {})
    await router.call('work', {}, { principal: new Principal({ subject: 'eve' }) })
    await router.call('work', {}, { signal: cancelled.signal })
    await router.call('hang', {})
    await router.call('fail', {})
    await router.call('work', {})
    const ends = logger.lines.filter(({ level }) => level !== 'debug')
    expect(
      ends.map(({ level, fields: { toolName, code, outcome } }) => [level, toolName, code, outcome]),
    ).toEqual([
      ['warn', 'nope', 'TOOL_NOT_FOUND', 'not-started'],
      ['warn', 'work', 'INVALID_ARGUMENTS', 'not-started'],
      ['warn', 'closed', 'RATE_LIMITED', 'not-started'],
      ['warn', 'work', 'FORBIDDEN', 'not-started'],
      ['warn', 'work', 'ABORTED', 'not-started'],
      ['warn', 'hang', 'TIMEOUT', 'unknown'],
      ['warn', 'fail', 'EXECUTION_FAILED', 'unknown'],
      ['info', 'work', undefined, undefined],
    ])
    expect(logger.lines).toHaveLength(2 * ends.length)
  })

  it('writes no secret to stderr at the finest level, arguments asked for', async () => {
    const written: string[] = []
    const write = vi
      .spyOn(process.stderr, 'write')
      .mockImplementation((chunk) => written.push(String(chunk)) > 0)
    try {
      const logger = stderrLogger({ level: 'debug' })
      const failure = Object.assign(new Error('GET https://api/?apiKey=SENTINEL3 failed'), {
        config: { headers: { 'X-Api-Key': 'SENTINEL1' }, env: { GITHUB_TOKEN: 'SENTINEL2' } },
      })
      const logging = new LoggingInterceptor({ logger, args: true })
      const router = routerOf([tool('fetch', () => Promise.reject(failure))], [logging], logger)
      await router.call('fetch', { password: 'SENTINEL4', nested: { Authorization: 'Bearer SENTINEL5' } })
    } finally {
      write.mockRestore()
    }
    expect(written.map((line) => JSON.parse(line).msg)).toEqual([
      'tool call started',
      'tool call failed',
      'tool failed',
    ])
    expect(written.join('')).toContain('X-Api-Key')
    expect(written.join('')).not.toContain('SENTINEL')
  })
})
