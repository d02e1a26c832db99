import { describe, expect, it, vi } from 'vitest'
import { guardedLogger } from '../../src/interceptors/guarded-logger.js'
import { recordingLogger } from './recording-logger.js'
import { unhandledRejectionsDuring } from './unhandled-rejections.js'

describe('guardedLogger', () => {
  it('redacts every field and passes on the level and the sentence', () => {
    const logger = recordingLogger()
    const fields = { toolName: 'pay', token: 'abc', err: new Error('Bearer abcdefghijklmnop') }
    guardedLogger(logger).error(fields, 'tool failed')
    expect(JSON.stringify(logger.lines)).not.toMatch(/abcdefghijklmnop|"abc"/)
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { toolName: 'pay' } }])
    expect(fields.token).toBe('abc')
  })

  it('survives a logger that throws, and one that rejects', async () => {
    const throws = vi.fn(() => {
      throw new Error('disk full')
    })
    const rejects = vi.fn(() => Promise.reject(new Error('later')))
    const logger = guardedLogger({ debug: throws, info: rejects, warn: throws, error: throws } as never)
    const unhandled = await unhandledRejectionsDuring(async () => {
      logger.debug({}, 'a')
      logger.info({}, 'b')
    })
    expect([throws, rejects].map((log) => log.mock.calls.length)).toEqual([1, 1])
    expect(unhandled).toEqual([])
  })
})
