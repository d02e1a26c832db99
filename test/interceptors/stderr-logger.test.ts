import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { stderrLogger } from '../../src/interceptors/stderr-logger.js'

describe('stderrLogger', () => {
  let written: string[]

  beforeEach(() => {
    written = []
    vi.useFakeTimers({ now: 1_700_000_000_000 })
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  it('writes JSON lines in the shape of pino', () => {
    stderrLogger().info({ toolName: 'get_weather', durationMs: 0 }, 'tool call ended')
    expect(written).toEqual([
      '{"level":30,"time":1700000000000,"toolName":"get_weather","durationMs":0,"msg":"tool call ended"}\n',
    ])
  })

  it('writes from its level on, by default info', () => {
    const levelsOf = (logger: ReturnType<typeof stderrLogger>) => {
      written = []
      for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level]({}, level)
      return written.map((line) => [JSON.parse(line).level, JSON.parse(line).msg])
    }
    const all = [
      [20, 'debug'],
      [30, 'info'],
      [40, 'warn'],
      [50, 'error'],
    ]
    expect(levelsOf(stderrLogger())).toEqual(all.slice(1))
    expect(levelsOf(stderrLogger({ level: 'debug' }))).toEqual(all)
    expect(levelsOf(stderrLogger({ level: 'error' }))).toEqual(all.slice(3))
    expect(levelsOf(stderrLogger({ level: 'silent' }))).toEqual([])
  })

  it('refuses a level that there is not', () => {
    expect(() => stderrLogger({ level: 'toString' as 'info' })).toThrow(
      new TypeError('level must be one of debug, info, warn, error, silent (got "toString")'),
    )
  })

  it('redacts fields and sentence, by the names and paths that it is given too', () => {
    const logger = stderrLogger({ redact: { names: ['pin'], paths: ['/card/number'] } })
    logger.warn({ token: 'x', pin: 1, card: { number: 2 } }, 'no https://a:b@h/')
    expect(JSON.parse(written[0] ?? '')).toEqual({
      level: 40,
      time: 1_700_000_000_000,
      token: '[redacted]',
      pin: '[redacted]',
      card: { number: '[redacted]' },
      msg: 'no https://[redacted]@h/',
    })
  })

  it('shows an error with its causes', () => {
    const cause = Object.assign(new TypeError('inner'), { stack: 'inner stack', code: 'E_INNER' })
    stderrLogger().error(
      { err: Object.assign(new Error('outer', { cause }), { stack: 'outer stack' }) },
      'failed',
    )
    expect(JSON.parse(written[0] ?? '').err).toEqual({
      type: 'Error',
      message: 'outer',
      stack: 'outer stack',
      cause: { type: 'TypeError', message: 'inner', stack: 'inner stack', code: 'E_INNER' },
    })
  })

  it('does not let a field pass for the level, the time or the sentence', () => {
    stderrLogger().info({ level: 60, time: 0, msg: 'forged' }, 'real')
    expect(written).toEqual(['{"level":30,"time":1700000000000,"msg":"real"}\n'])
  })

  it('keeps a line one line', () => {
    stderrLogger().info({ toolName: 'x\n{"level":60}' }, 'a\nb')
    expect(written.join('').split('\n')).toHaveLength(2)
  })

  it('never throws, whatever it is given', () => {
    const cycle: Record<string, unknown> = { big: 1n }
    cycle.self = cycle
    const { proxy, revoke } = Proxy.revocable<Record<string, unknown>>({}, {})
    revoke()
    const logger = stderrLogger()
    logger.info(cycle, 'cycle')
    logger.info(proxy, 'proxy')
    expect(written.map((line) => JSON.parse(line))).toEqual([
      { level: 30, time: 1_700_000_000_000, big: '1', self: '[circular]', msg: 'cycle' },
      { level: 30, time: 1_700_000_000_000, fields: '[unreadable]', msg: 'proxy' },
    ])
  })

  it('never throws when stderr does', () => {
    vi.mocked(process.stderr.write).mockImplementation(() => {
      throw new Error('EBADF')
    })
    expect(stderrLogger().error({}, 'lost')).toBeUndefined()
  })
})

it('does not end the process when nobody reads stderr any more', async () => {
  const script = `
    import { stderrLogger } from './src/interceptors/stderr-logger.ts'
    const logger = stderrLogger()
    process.stdin.once('data', async () => {
      for (let i = 0; i < 3; i++) {
        logger.info({}, 'x'.repeat(100))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      process.stdout.write('alive')
      process.stdin.destroy()
    })
    process.stdout.write('ready ')`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script])
  const exited = once(child, 'exit')
  const output = text(child.stdout)
  await once(child.stdout, 'data')
  child.stderr.destroy()
  await once(child.stderr, 'close')
  child.stdin.end('go')
  expect([await output, (await exited)[0]]).toEqual(['ready alive', 0])
})
