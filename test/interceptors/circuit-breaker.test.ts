import { CircuitState, SamplingBreaker } from 'cockatiel'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutInterceptor } from '../../src/interceptors/attempt-timeout.js'
import {
  CircuitBreakerInterceptor,
  type CircuitBreakerInterceptorOptions,
} from '../../src/interceptors/circuit-breaker.js'
import {
  ForbiddenError,
  InvalidArgumentsError,
  OverloadedError,
  ToolExecutionError,
  UpstreamError,
} from '../../src/registry/tool-error.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import { accept, form, runRound } from '../runtime/rounds-fixture.js'
import { deferred, gist, started, tool } from '../runtime/runtime-fixture.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const down = new UpstreamError('down', { status: 503 })

/** Tools `asks` and `other` that do what `work` says, behind a circuit breaker. */
async function broken({
  inner = [],
  metadata = {},
  ...options
}: CircuitBreakerInterceptorOptions & {
  readonly inner?: readonly ToolInterceptor[]
  readonly metadata?: ToolMetadataInit
} = {}) {
  const changes: string[] = []
  const breaker = new CircuitBreakerInterceptor({
    onStateChange: ({ key, previous, state }) => void changes.push(`${key} ${previous} → ${state}`),
    ...options,
  })
  const made = {
    breaker,
    changes,
    executed: 0,
    work: (async () => 'done') as Parameters<typeof tool>[1],
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  }
  const named = (name: string) =>
    tool(
      name,
      (ctx) => {
        made.executed++
        return made.work?.(ctx)
      },
      { metadata },
    )
  const { runtime } = await started({
    interceptors: [breaker, ...inner],
    tools: [named('asks'), named('other')],
  })
  return Object.assign(made, {
    runtime,
    call: async (name = 'asks', options = {}) => gist(await runtime.call(name, {}, options)),
    async fail(times = 5, error: unknown = down) {
      made.work = async () => {
        throw error
      }
      for (let i = 0; i < times; i++) await runtime.call('asks')
      made.work = async () => 'done'
    },
    state: () => breaker.explain(runtime.registry.getRequired('asks')).circuits.map(({ state }) => state),
  })
}

const refused = { code: 'CIRCUIT_OPEN', outcome: 'not-started' }

describe('a circuit', () => {
  it('opens at the fifth failure in a row, and then refuses without starting anything', async () => {
    const circuit = await broken()
    await circuit.fail(4)
    expect(await circuit.call()).toEqual({ value: 'done' })
    await circuit.fail(5)
    expect(await circuit.call()).toEqual(refused)
    expect(circuit.executed).toBe(10)
    expect(circuit.changes).toEqual(['tool:asks closed → open'])
  })

  it('says how long it stays open', async () => {
    const circuit = await broken()
    await circuit.fail()
    await circuit.pass(4_000)
    const result = await circuit.runtime.call('asks')
    expect(result.ok ? result : result.error).toMatchObject({
      code: 'CIRCUIT_OPEN',
      retryAfterMs: 6_000,
      retryable: true,
    })
  })

  it('lets one call try after that, which closes it', async () => {
    const circuit = await broken()
    await circuit.fail()
    await circuit.pass(10_000)
    const trial = deferred<string>()
    circuit.work = () => trial.promise
    const first = circuit.call()
    expect(await circuit.call()).toEqual(refused)
    trial.resolve('works')
    expect(await first).toEqual({ value: 'works' })
    circuit.work = async () => 'done'
    expect(await circuit.call()).toEqual({ value: 'done' })
    expect(circuit.changes).toEqual([
      'tool:asks closed → open',
      'tool:asks open → half-open',
      'tool:asks half-open → closed',
    ])
  })

  it('opens again at once if that call fails', async () => {
    const circuit = await broken()
    await circuit.fail()
    await circuit.pass(10_000)
    await circuit.fail(1)
    await circuit.pass(9_999)
    expect(await circuit.call()).toEqual(refused)
    await circuit.pass(1)
    expect(await circuit.call()).toEqual({ value: 'done' })
  })

  it('opens again although its breaker would wait for more failures', async () => {
    const circuit = await broken({
      breaker: () => ({
        state: 0,
        success: () => undefined,
        failure: (state) => state === CircuitState.Closed,
      }),
    })
    await circuit.fail(1)
    await circuit.pass(10_000)
    await circuit.fail(1)
    expect(circuit.state()).toEqual(['open'])
  })

  it('is not moved by what began before its last change', async () => {
    const circuit = await broken()
    const [whileOpen, whileTrying] = [deferred<string>(), deferred<string>()]
    circuit.work = () => whileOpen.promise
    const first = circuit.call()
    circuit.work = () => whileTrying.promise
    const second = circuit.call()
    await circuit.fail()
    await circuit.pass(5_000)
    whileOpen.reject(down)
    await first
    await circuit.pass(5_000)
    const trial = deferred<string>()
    circuit.work = () => trial.promise
    const third = circuit.call()
    await circuit.pass(0)
    whileTrying.resolve('late')
    expect(await second).toEqual({ value: 'late' })
    expect(circuit.state()).toEqual(['half-open'])
    trial.resolve('works')
    expect(await third).toEqual({ value: 'works' })
    expect(circuit.state()).toEqual(['closed'])
  })

  it('belongs to one definition by default, and to all that share a key', async () => {
    const own = await broken()
    await own.fail()
    expect(await own.call('other')).toEqual({ value: 'done' })
    const shared = await broken({ key: () => 'billing' })
    await shared.fail()
    expect(await shared.call('other')).toEqual(refused)
    expect(shared.changes).toEqual(['billing closed → open'])
    const other = shared.runtime.registry.getRequired('other')
    expect(shared.breaker.explain(other)).toEqual({
      openForMs: 10_000,
      circuits: [{ key: 'billing', state: 'open', retryAfterMs: 10_000 }],
    })
    expect(shared.breaker.explain(tool('not_called')).circuits).toEqual([])
  })

  it('may be opened by a breaker of cockatiel', async () => {
    const circuit = await broken({
      breaker: () => new SamplingBreaker({ threshold: 0.5, duration: 10_000, minimumRps: 0.3 }),
    })
    for (let i = 0; i < 3; i++) {
      await circuit.call()
      await circuit.fail(1)
    }
    expect(circuit.state()).toEqual(['closed'])
    await circuit.fail(1)
    expect(circuit.state()).toEqual(['open'])
  })

  it('is forgotten where there are too many, the one that was not used for longest first', async () => {
    const circuit = await broken({ maxCircuits: 1 })
    await circuit.fail()
    await circuit.call('other')
    expect(circuit.state()).toEqual([])
    expect(await circuit.call()).toEqual({ value: 'done' })
  })
})

describe('what counts', () => {
  it.each([
    ['UPSTREAM_FAILED without a status', new UpstreamError('reset')],
    ['UPSTREAM_FAILED that was not started', new UpstreamError('refused', { outcome: 'not-started' })],
    ['an exception', new TypeError('oops')],
  ])('as a failure: %s', async (_, error) => {
    const circuit = await broken()
    await circuit.fail(5, error)
    expect(circuit.state()).toEqual(['open'])
  })

  it.each([
    new InvalidArgumentsError('asks', []),
    new ForbiddenError(),
    new OverloadedError('asks', 1),
    new ToolExecutionError('no such order'),
    new ToolExecutionError('no such order', { cause: new Error('no rows') }),
    new UpstreamError('too many', { status: 429 }),
    new UpstreamError('not found', { status: 404 }),
  ])('not: %s', async (error) => {
    const circuit = await broken()
    await circuit.fail(50, error)
    expect(circuit.state()).toEqual(['closed'])
  })

  it('as a sign of health: a service that finds fault with the request', async () => {
    const circuit = await broken()
    await circuit.fail()
    await circuit.pass(10_000)
    await circuit.fail(1, new UpstreamError('not found', { status: 404 }))
    expect(circuit.state()).toEqual(['closed'])
  })

  it('what isFailure says, in place of that', async () => {
    const circuit = await broken({ isFailure: ({ code }) => code === 'FORBIDDEN' })
    await circuit.fail(9)
    expect(circuit.state()).toEqual(['closed'])
    await circuit.fail(5, new ForbiddenError())
    expect(circuit.state()).toEqual(['open'])
  })

  it('never a call that waits for the user, whatever isFailure says', async () => {
    const circuit = await broken({ isFailure: () => true })
    circuit.work = async ({ ask }) => (await ask(form())).action
    for (let i = 0; i < 9; i++) {
      const asked = runRound(circuit.runtime)
      await circuit.pass(0)
      expect(await asked).toEqual({ asked: ['ask-1'], steps: {} })
    }
    expect(circuit.state()).toEqual(['closed'])
  })
})

describe('time', () => {
  const never = () => new Promise<never>(() => undefined)

  it('a deadline that passes is a failure, and counts once, whatever comes later', async () => {
    const circuit = await broken({ metadata: { timeoutMs: 200 } })
    const work = deferred<string>()
    circuit.work = () => work.promise
    const answers = Array.from({ length: 4 }, () => circuit.call())
    await circuit.pass(200)
    expect(await Promise.all(answers)).toEqual(
      Array.from({ length: 4 }, () => ({ code: 'TIMEOUT', outcome: 'unknown' })),
    )
    work.reject(down)
    await circuit.pass(1)
    expect(circuit.state()).toEqual(['closed'])
    await circuit.fail(1)
    expect(circuit.state()).toEqual(['open'])
  })

  it('a limit of the attempt is one too', async () => {
    const circuit = await broken({ inner: [new AttemptTimeoutInterceptor({ timeoutMs: 20 })] })
    circuit.work = never
    const answers = Array.from({ length: 5 }, () => circuit.call())
    await circuit.pass(20)
    await Promise.all(answers)
    expect(circuit.state()).toEqual(['open'])
  })

  it('a caller who leaves hardly any time cannot open it for the others', async () => {
    const circuit = await broken()
    circuit.work = never
    const answers = Array.from({ length: 50 }, () => circuit.call('asks', { timeoutMs: 5 }))
    await circuit.pass(5)
    await Promise.all(answers)
    expect(circuit.state()).toEqual(['closed'])
  })

  it('nor one who leaves a second, or five, of the thirty that the definition takes', async () => {
    const circuit = await broken({ metadata: { timeoutMs: 30_000 } })
    circuit.work = never
    for (const timeoutMs of [1_100, 5_000]) {
      const answers = Array.from({ length: 50 }, () => circuit.call('asks', { timeoutMs }))
      await circuit.pass(timeoutMs)
      await Promise.all(answers)
      expect(circuit.state()).toEqual(['closed'])
    }
  })

  it('nor can one who gives up', async () => {
    // What cleans up after it may fail for that.
    const cleanUp = {
      onError: () => {
        throw new Error('half done')
      },
    }
    const circuit = await broken({ inner: [cleanUp] })
    circuit.work = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(down), { once: true }))
    const controller = new AbortController()
    const answers = Array.from({ length: 50 }, () => circuit.call('asks', { signal: controller.signal }))
    await circuit.pass(2_000)
    controller.abort()
    expect((await Promise.all(answers))[0]).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
    expect(circuit.state()).toEqual(['closed'])
  })
})

describe('the call that tries', () => {
  async function trying() {
    const circuit = await broken()
    await circuit.fail()
    await circuit.pass(10_000)
    return circuit
  }

  it('makes way when its caller gives up', async () => {
    const circuit = await trying()
    const controller = new AbortController()
    circuit.work = () => new Promise(() => undefined)
    const trial = circuit.call('asks', { signal: controller.signal })
    await circuit.pass(1)
    expect(await circuit.call()).toEqual(refused)
    controller.abort()
    expect(await trial).toEqual({ code: 'ABORTED', outcome: 'unknown' })
    expect(circuit.state()).toEqual(['half-open'])
    circuit.work = async () => 'done'
    expect(await circuit.call()).toEqual({ value: 'done' })
  })

  it('makes way when it waits for the user, and the round after tries again', async () => {
    const circuit = await trying()
    circuit.work = async ({ ask }) => (await ask(form())).action
    const asked = runRound(circuit.runtime)
    await circuit.pass(0)
    expect(await asked).toEqual({ asked: ['ask-1'], steps: {} })
    expect(circuit.state()).toEqual(['half-open'])
    expect(await runRound(circuit.runtime, { number: 2, answers: { 'ask-1': accept } })).toEqual({
      value: 'accept',
    })
    expect(circuit.state()).toEqual(['closed'])
  })

  it('makes way when it takes as long as the circuit was open', async () => {
    const circuit = await trying()
    circuit.work = () => new Promise(() => undefined)
    void circuit.call()
    await circuit.pass(9_999)
    expect(await circuit.call()).toEqual(refused)
    await circuit.pass(1)
    circuit.work = async () => 'done'
    expect(await circuit.call()).toEqual({ value: 'done' })
    expect(circuit.state()).toEqual(['closed'])
  })
})

describe('a listener', () => {
  it('that throws hurts nothing', async () => {
    const circuit = await broken({
      onStateChange: () => {
        throw new Error('bad listener')
      },
    })
    await circuit.fail()
    expect(await circuit.call()).toEqual(refused)
  })
})

describe('the options', () => {
  it.each([
    [{ openForMs: 0 }, 'openForMs must be a number from 1 to'],
    [{ maxCircuits: 1.5 }, 'maxCircuits must be a whole number from 1 (got 1.5)'],
  ])('refuses what cannot be: %j', (options, message) => {
    expect(() => new CircuitBreakerInterceptor(options)).toThrow(message)
  })
})
