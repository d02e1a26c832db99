import { describe, expect, it } from 'vitest'
import { runtimeSettings } from '../../src/runtime/runtime-settings.js'

describe('runtimeSettings', () => {
  it('has defaults', () => {
    expect(runtimeSettings({}, {})).toEqual({
      rateLimit: { defaultPerMinute: 60 },
      defaultTimeoutMs: 30_000,
      askTimeoutMs: 300_000,
      visibility: undefined,
      maxResultSize: 10_000_000,
      provideTimeoutMs: 30_000,
      drainMs: 10_000,
      names: 'portable',
      logLevel: 'info',
      mandatoryInterceptors: [],
      arguments: {},
      tasks: { ttlMs: 3_600_000, pollIntervalMs: 1_000, maxPerCaller: 1_000, max: 10_000 },
    })
  })

  it('takes the environment where no option is given, and the option where one is', () => {
    const env = {
      TOOLWIRE_RATELIMIT_DEFAULT: '0',
      TOOLWIRE_NAMES: 'mcp',
      TOOLWIRE_MANDATORY: 'audit, logging',
    }
    expect(runtimeSettings({ names: 'portable' }, env)).toMatchObject({
      rateLimit: { defaultPerMinute: 0 },
      names: 'portable',
      mandatoryInterceptors: ['audit', 'logging'],
    })
  })

  it('takes an empty variable as unset', () => {
    expect(runtimeSettings({}, { TOOLWIRE_DRAIN_MS: '', TOOLWIRE_LOG_LEVEL: '' })).toMatchObject({
      drainMs: 10_000,
      logLevel: 'info',
    })
  })

  it.each([
    [{ defaultTimeoutMs: Number.NaN }, {}, 'defaultTimeoutMs must be a whole number from 1 (got NaN)'],
    // A task would expire, and be aborted, while it runs.
    [{ tasks: { ttlMs: 1_000 } }, {}, 'tasks.ttlMs must be a whole number from 5000 (got 1000)'],
    [
      {},
      { TOOLWIRE_RATELIMIT_DEFAULT: 'many' },
      'TOOLWIRE_RATELIMIT_DEFAULT must be a whole number from 0 (got "many")',
    ],
    [
      {},
      { TOOLWIRE_LOG_LEVEL: 'loud' },
      'TOOLWIRE_LOG_LEVEL must be one of info, debug, warn, error, silent (got loud)',
    ],
    [
      { mandatoryInterceptors: 'audit' as never },
      {},
      'mandatoryInterceptors must be a list of names or classes (got a string)',
    ],
  ])('names what makes no sense: %j %j', (options, env, message) => {
    expect(() => runtimeSettings(options, env)).toThrow(message)
  })
})
