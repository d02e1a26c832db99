import { describe, expect, it } from 'vitest'
import { CacheInterceptor } from '../../src/interceptors/cache.js'
import { IdempotencyInterceptor } from '../../src/interceptors/idempotency.js'
import { LoggingInterceptor } from '../../src/interceptors/logging.js'
import { Principal } from '../../src/registry/principal.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { recordingLogger } from '../interceptors/recording-logger.js'
import { gist, started, tool } from '../runtime/runtime-fixture.js'

const metadata = { readOnly: true }

describe('router: what is kept under a key', () => {
  it('RTR-16: a result after the time-out is no success: not in the log, not in the cache', async () => {
    let runs = 0
    const logger = recordingLogger()
    const hooks: string[] = []
    const audit: ToolInterceptor = {
      afterExecute: () => void hooks.push('after'),
      onError: (_, { code }) => void hooks.push(code),
    }
    const slow = () => (++runs === 1 ? new Promise((resolve) => setTimeout(resolve, 40, 'late')) : 'second')
    const { runtime } = await started({
      interceptors: [new LoggingInterceptor({ logger }), new CacheInterceptor(), audit],
      tools: [tool('slow', slow, { metadata: { ...metadata, timeoutMs: 20 } })],
    })
    expect(gist(await runtime.call('slow'))).toEqual({ code: 'TIMEOUT', outcome: 'unknown' })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(hooks).toEqual(['TIMEOUT'])
    expect(logger.lines.filter(({ level }) => level !== 'debug').map(({ fields }) => fields.code)).toEqual([
      'TIMEOUT',
    ])
    expect(gist(await runtime.call('slow'))).toEqual({ value: 'second' })
    expect(runs).toBe(2)
  })

  it('RTR-20: nobody gets what was cached for somebody else', async () => {
    const inbox = tool('inbox', ({ principal }) => principal?.subject ?? 'nobody', { metadata })
    const { runtime } = await started({ interceptors: [new CacheInterceptor()], tools: [inbox] })
    const asked = []
    for (const subject of ['alice', 'bob', 'alice'])
      asked.push(gist(await runtime.call('inbox', {}, { principal: new Principal({ subject }) })))
    for (const address of ['10.0.0.1', '10.0.0.2'])
      asked.push(gist(await runtime.call('inbox', {}, { address })))
    asked.push(gist(await runtime.call('inbox')))
    expect(asked.map((one) => 'value' in one && one.value)).toEqual([
      'alice',
      'bob',
      'alice',
      'nobody',
      'nobody',
      'nobody',
    ])
  })

  it.each([
    ['cache', () => new CacheInterceptor({ staleWhileRevalidateMs: 1 })],
    ['idempotency', () => new IdempotencyInterceptor({ key: ({ args }) => JSON.stringify(args) })],
  ] as const)('INT-08: %s mixes up nothing in 1 000 overlapping calls', async (_, make) => {
    const echo = tool(
      'echo',
      async ({ args, callerKey }) => {
        for (let i = 0; i < Number(args.turns); i++) await new Promise(setImmediate)
        return { args, callerKey }
      },
      { metadata },
    )
    const { runtime } = await started({ interceptors: [make()], tools: [echo] })
    const calls = Array.from({ length: 1_000 }, (_, i) => ({
      args: { n: i % 100, turns: i % 7 },
      sessionId: `s${i % 3}`,
    }))
    const results = await Promise.all(
      calls.map(({ args, sessionId }) => runtime.call('echo', args, { sessionId })),
    )
    expect(results.map(gist)).toEqual(
      calls.map(({ args, sessionId }) => ({ value: { args, callerKey: `session:${sessionId}` } })),
    )
    await runtime.close()
  })
})
