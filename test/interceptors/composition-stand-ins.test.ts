import { expect, it } from 'vitest'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { IdempotencyInterceptor } from '../../src/interceptors/idempotency.js'
import { RetryInterceptor } from '../../src/interceptors/retry.js'
import { UpstreamError } from '../../src/registry/tool-error.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import { started, tool } from '../runtime/runtime-fixture.js'
import { gistOf, isAway, resets } from './composition.js'

/** A tool `pay` that does nothing at first, and `pay_elsewhere`, which stands in for it. */
async function paying(
  { standIn, metadata = {} }: { readonly standIn: () => unknown; readonly metadata?: ToolMetadataInit },
  fallback: Partial<ConstructorParameters<typeof FallbackInterceptor>[0]> = {},
) {
  const ran: string[] = []
  const { runtime } = await started({
    tools: [
      tool('pay', () => (ran.push('pay') === 1 ? isAway() : 'paid')),
      tool('pay_elsewhere', () => ran.push('pay_elsewhere') && standIn(), { metadata }),
    ],
    interceptors: [
      new IdempotencyInterceptor(),
      new FallbackInterceptor({ tool: 'pay_elsewhere', ...fallback }),
    ],
  })
  return { ran, call: () => runtime.call('pay', {}, { idempotencyKey: 'k' }) }
}

it('a key is used up by a stand-in that may have acted: neither it nor the tool acts again', async () => {
  const { ran, call } = await paying({ standIn: () => 'paid' })
  expect(gistOf(await call())).toEqual({ value: 'paid', degraded: true })
  expect(gistOf(await call())).toEqual({ code: 'EXECUTION_FAILED', outcome: 'unknown' })
  expect(ran).toEqual(['pay', 'pay_elsewhere'])
})

it('a key is not used up by a stand-in that only reads, or does nothing', async () => {
  const reads = await paying({ standIn: () => 'to be paid', metadata: { readOnly: true } })
  expect(gistOf(await reads.call())).toEqual({ value: 'to be paid', degraded: true })
  expect(gistOf(await reads.call())).toEqual({ value: 'paid' })
  const away = await paying({ standIn: isAway })
  expect(gistOf(await away.call())).toEqual({ code: 'UPSTREAM_FAILED', outcome: 'not-started' })
  expect(gistOf(await away.call())).toEqual({ value: 'paid' })
})

it('a failure tells of a stand-in that may have acted, and nothing else stands in for it', async () => {
  const { ran, call } = await paying({ standIn: resets }, { value: 'all is well' })
  const failed = { code: 'UPSTREAM_FAILED', outcome: 'unknown' }
  expect([gistOf(await call()), gistOf(await call())]).toEqual([failed, failed])
  expect(ran).toEqual(['pay', 'pay_elsewhere'])
})

it('a call that is given up while its stand-in works may have acted', async () => {
  const controller = new AbortController()
  const { runtime } = await started({
    tools: [tool('pay', isAway), tool('pay_elsewhere', () => new Promise(() => controller.abort()))],
    interceptors: [new FallbackInterceptor({ tool: 'pay_elsewhere' })],
  })
  const { signal } = controller
  expect(gistOf(await runtime.call('pay', {}, { signal }))).toEqual({
    code: 'UPSTREAM_FAILED',
    outcome: 'unknown',
  })
})

it('a tool that has called another is not retried, although it says that nothing was started', async () => {
  const ran: string[] = []
  const both = (order: string, reads: boolean) =>
    tool(order, async ({ call }) => {
      await call(reads ? 'look_up' : 'reserve')
      throw new UpstreamError('the till is away', { outcome: 'not-started' })
    })
  const { runtime } = await started({
    tools: [
      both('order', false),
      both('estimate', true),
      tool('reserve', () => ran.push('reserve')),
      tool('look_up', () => ran.push('look_up'), { metadata: { readOnly: true } }),
    ],
    interceptors: [new RetryInterceptor({ initialDelayMs: 0, maxAttempts: 2 })],
  })
  expect(gistOf(await runtime.call('order'))).toEqual({ code: 'UPSTREAM_FAILED', outcome: 'unknown' })
  expect(gistOf(await runtime.call('estimate'))).toEqual({ code: 'UPSTREAM_FAILED', outcome: 'not-started' })
  expect(ran).toEqual(['reserve', 'look_up', 'look_up'])
})
