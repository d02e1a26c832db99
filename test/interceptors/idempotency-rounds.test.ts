import { describe, expect, it } from 'vitest'
import { CacheInterceptor } from '../../src/interceptors/cache.js'
import { IdempotencyInterceptor } from '../../src/interceptors/idempotency.js'
import { MemoryStore } from '../../src/interceptors/stores/memory-store.js'
import { CallSuspension } from '../../src/registry/call-suspension.js'
import { digest } from '../../src/registry/fingerprint.js'
import { UpstreamError } from '../../src/registry/tool-error.js'
import type { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import type { CallOptions } from '../../src/runtime/call-options.js'
import { gist, started, tool } from '../runtime/runtime-fixture.js'

const SURE = {
  key: 'sure',
  message: 'Sure?',
  schema: { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] },
} as const

type Executor = (ctx: ToolExecutionContext<Readonly<Record<string, unknown>>>) => unknown

/** A tool `delete` that asks first, called in rounds; `did` says what it has done. */
async function asking(
  interceptor: (store: MemoryStore) => ToolInterceptor,
  { before = () => undefined, metadata = {} }: { before?: Executor; metadata?: ToolMetadataInit } = {},
) {
  let now = 0
  const store = new MemoryStore({ clock: { now: () => now } })
  const did: string[] = []
  const executor: Executor = async (ctx) => {
    did.push('started')
    await before(ctx)
    await ctx.ask(SURE)
    did.push('deleted')
    return did.length
  }
  const { runtime } = await started({
    interceptors: [interceptor(store)],
    tools: [tool('delete', executor, { metadata })],
  })
  const request = { kind: 'tool', name: 'delete', input: { path: '/a' } } as const
  const supports = () => true
  return {
    did,
    pass: (ms: number) => {
      now += ms
    },
    call: (options: CallOptions = {}) =>
      runtime.run(
        request,
        { idempotencyKey: 'k', ...options },
        { number: 1, answers: {}, steps: {}, supports },
      ),
    /** The next round, with the answer. */
    answer: async (suspended: unknown, options: CallOptions = {}) => {
      if (!CallSuspension.is(suspended)) throw new Error('It does not wait for an answer')
      const { questions, steps, traceId } = suspended
      const answer = { action: 'accept', content: { sure: true } }
      const answers = Object.fromEntries(
        questions.map((question) => [question.key, { questionDigest: digest(question), answer }]),
      )
      const round = { number: 2, answers, steps, supports }
      return runtime.run(request, { idempotencyKey: 'k', traceId, ...options }, round)
    },
  }
}

function gistOf(outcome: Awaited<ReturnType<Awaited<ReturnType<typeof asking>>['call']>>) {
  return CallSuspension.is(outcome) ? 'waits' : gist(outcome)
}

const idempotent = (store: MemoryStore) => new IdempotencyInterceptor({ store })
const WAITS = { code: 'TOOL_UNAVAILABLE', outcome: 'not-started' }

describe('the rounds of a call under an idempotency key', () => {
  it('are one use of the key: others wait for the last one, and get its answer', async () => {
    const host = await asking(idempotent)
    const first = await host.call()
    expect(gistOf(first)).toBe('waits')
    expect(gistOf(await host.call())).toEqual(WAITS)
    expect(gistOf(await host.answer(first))).toEqual({ value: 3 })
    expect(gistOf(await host.call())).toEqual({ value: 3 })
    expect(gistOf(await host.answer(first))).toEqual({ value: 3 })
    expect(host.did).toEqual(['started', 'started', 'deleted'])
  })

  it('refuse what joined before the question came, and say that it may be tried again', async () => {
    const host = await asking(idempotent, { before: () => new Promise(setImmediate) })
    const [first, second] = await Promise.all([host.call(), host.call()])
    expect(gistOf(first)).toBe('waits')
    expect(second).toMatchObject({ ok: false, error: { code: 'TOOL_UNAVAILABLE', retryable: true } })
    expect(gistOf(await host.answer(first))).toEqual({ value: 3 })
  })

  it('do not go on for another call that claims to be a later one', async () => {
    const host = await asking(idempotent)
    const first = await host.call()
    expect(gistOf(await host.answer(first, { traceId: 'f'.repeat(32) }))).toEqual(WAITS)
    expect(host.did).toEqual(['started'])
  })

  it('that nobody goes on with free the key, if nothing was done so far', async () => {
    const host = await asking(idempotent)
    await host.call()
    host.pass(600_000)
    expect(gistOf(await host.call())).toBe('waits')
  })

  it('that nobody goes on with hold the key, if a step was taken that must not be taken twice', async () => {
    const reserve: Executor = ({ once }) => once('reserve', () => 'reserved')
    const host = await asking(idempotent, { before: reserve })
    await host.call()
    host.pass(600_000)
    expect(gistOf(await host.call())).toEqual(WAITS)
    const safe = await asking(idempotent, { before: reserve, metadata: { idempotent: true } })
    await safe.call()
    safe.pass(600_000)
    expect(gistOf(await safe.call())).toBe('waits')
  })

  it('are not begun anew when a later one fails, if a step was taken before', async () => {
    const reserveAndFail: Executor = async ({ once, round }) => {
      await once('reserve', () => 'reserved')
      if (round > 1) throw new UpstreamError('no connection', { outcome: 'not-started' })
    }
    const host = await asking(idempotent, { before: reserveAndFail })
    await host.answer(await host.call())
    expect(gistOf(await host.call())).toEqual({ code: 'UPSTREAM_FAILED', outcome: 'unknown' })
    expect(host.did).toEqual(['started', 'started'])
  })
})

describe('the rounds of a call behind a cache', () => {
  it('are not cached, and are in the way of nobody', async () => {
    const metadata = { readOnly: true }
    const host = await asking((store) => new CacheInterceptor({ store }), {
      metadata,
      before: () => new Promise(setImmediate),
    })
    const both = await Promise.all([host.call(), host.call()])
    expect(both.map(gistOf)).toEqual(['waits', 'waits'])
    expect(gistOf(await host.answer(both[0]))).toEqual({ value: 4 })
    expect(gistOf(await host.call())).toBe('waits')
  })
})
