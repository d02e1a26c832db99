import { describe, expect, it } from 'vitest'
import { FallbackInterceptor } from '../../src/interceptors/fallback.js'
import { LoggingInterceptor } from '../../src/interceptors/logging.js'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolDefinitionProvider } from '../../src/registry/tool-definition-provider.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { toolRoutes } from '../../src/runtime/tool-routes.js'
import { recordingLogger } from '../interceptors/recording-logger.js'
import { containerWith, started, tool } from './runtime-fixture.js'

const BUILT_IN = ['repair', 'aliases', 'bound', 'coercion', 'defaults', 'validation'].map((step) => ({
  step,
  from: 'built-in',
}))

/** What an explanation says of an interceptor that says nothing itself. */
const plain = (name: string, scope: string, order = 0, mandatory = false) => ({
  name,
  ring: 'execution',
  scope,
  order,
  mandatory,
})

describe('explain', () => {
  it('shows all of a tool: where it comes from, how it is run, and what stands around it', async () => {
    class Audit implements ToolInterceptor {}
    const limit = new RateLimitInterceptor()
    const { container, runtime } = containerWith({
      interceptors: [limit],
      options: { mandatoryInterceptors: ['Audit'], defaultTimeoutMs: 1_234, maxResultSize: 99 },
    })
    container.bind(ToolDefinitionProvider).toConstantValue({
      name: 'shop',
      interceptors: [{ name: 'ofProvider' }, limit],
      provide: () => [
        tool('orders', () => 1, {
          metadata: { owner: 'shop', readOnly: true, tags: ['a'], visibility: { scopes: ['orders'] } },
          interceptors: [new Audit(), new FallbackInterceptor({ tool: 'archive' })],
        }),
      ],
    })
    await runtime.start()
    expect(runtime.explain('orders')).toEqual({
      name: 'orders',
      source: 'shop',
      metadata: {
        owner: 'shop',
        tags: ['a'],
        readOnly: true,
        destructive: false,
        idempotent: true,
        timeoutMs: 1_234,
        maxResultSize: 99,
        visibility: { scopes: ['orders'] },
      },
      interceptors: [
        expect.objectContaining({
          name: 'RateLimitInterceptor',
          ring: 'request',
          scope: 'shared',
          order: -700,
        }),
        plain('Audit', 'shared', 0, true),
        plain('ofProvider', 'provider'),
        { ...plain('FallbackInterceptor', 'tool', -500), details: { tool: 'archive' } },
      ],
      argumentSteps: BUILT_IN,
    })
    expect(() => runtime.explain('nowhere')).toThrow('Unknown tool "nowhere"')
  })

  it('is plain JSON, deeply frozen', async () => {
    const { runtime } = await started({
      tools: [tool('t', () => 1, { metadata: { visibility: () => true, timeoutMs: 7 } })],
      interceptors: [
        new LoggingInterceptor({ logger: recordingLogger() }),
        { order: Number.POSITIVE_INFINITY },
      ],
    })
    const explanation = runtime.explain('t')
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation)
    expect(explanation.metadata).toMatchObject({ visibility: 'function', timeoutMs: 7 })
    expect(Object.isFrozen(explanation.interceptors[0])).toBe(true)
    expect(explanation.interceptors.map(({ order }) => order)).toEqual([-900, Number.MAX_VALUE])
  })

  it('shows the state that an interceptor is in, as it is now', async () => {
    let isOpen = false
    const breaker: ToolInterceptor = {
      name: 'breaker',
      explain: ({ name, metadata }) => ({ of: name, repeats: metadata.idempotent, isOpen }),
    }
    const { runtime } = await started({ tools: [tool('t', () => 1, { interceptors: [breaker] })] })
    const details = () => runtime.explain('t').interceptors[0]?.details
    expect(details()).toEqual({ of: 't', repeats: false, isOpen: false })
    isOpen = true
    expect(details()).toEqual({ of: 't', repeats: false, isOpen: true })
  })

  it('says of an interceptor that cannot explain itself why, and shows the others', async () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    const saying = (name: string, explain: () => unknown): ToolInterceptor => ({
      name,
      explain: explain as never,
    })
    const { runtime } = await started({
      tools: [tool('t')],
      interceptors: [
        saying('throws', () => {
          throw new Error('no idea')
        }),
        saying('throws text', () => {
          throw 'no idea'
        }),
        saying('cycle', () => cycle),
        saying('number', () => 1),
        saying('list', () => [1]),
        saying('nothing', () => undefined),
        saying('date', () => ({ at: new Date(0), none: undefined, max: Number.POSITIVE_INFINITY })),
      ],
    })
    expect(
      runtime.explain('t').interceptors.map(({ name, details, fault }) => [name, details ?? fault]),
    ).toEqual([
      ['throws', 'explain() failed: no idea'],
      ['throws text', 'explain() failed: no Error was thrown'],
      ['cycle', expect.stringContaining('explain() failed: Converting circular structure')],
      ['number', 'explain() must return an object'],
      ['list', 'explain() must return an object'],
      ['nothing', undefined],
      ['date', { at: '1970-01-01T00:00:00.000Z', max: null }],
    ])
  })

  it('shows what becomes of the arguments where it is not the usual', async () => {
    const strict = ToolDefinition.builder()
      .name('strict')
      .description('Takes what it is given')
      .argumentSteps({ coercion: false, repair: (args) => args })
      .executor(() => 1)
      .build()
    const { runtime } = await started({ tools: [strict] })
    expect(runtime.explain('strict').argumentSteps.filter(({ from }) => from !== 'built-in')).toEqual([
      { step: 'repair', from: 'tool' },
      { step: 'coercion', from: 'off' },
    ])
  })

  it('shows of alternatives what is theirs, and of the tool what is around all', async () => {
    const a = tool('a', () => 1, { interceptors: [{ name: 'of a' }, { name: 'audit', ring: 'request' }] })
    const b = tool('b', () => 1, { interceptors: [{ name: 'of b' }] })
    const broken = () => {
      throw new Error('no idea')
    }
    const { runtime } = await started({
      tools: [toolRoutes({ tool: a, isHealthy: () => true }, { tool: b, isHealthy: broken })],
      interceptors: [{ name: 'shared' }],
    })
    const { interceptors, argumentSteps, alternatives } = runtime.explain('a')
    expect({ interceptors, argumentSteps, alternatives }).toEqual({
      interceptors: [{ ...plain('audit', 'tool'), ring: 'request' }],
      argumentSteps: [],
      alternatives: [
        {
          label: 'a',
          healthy: true,
          interceptors: [plain('shared', 'shared'), plain('of a', 'tool')],
          argumentSteps: BUILT_IN,
        },
        {
          label: 'b',
          healthy: false,
          interceptors: [plain('shared', 'shared'), plain('of b', 'tool')],
          argumentSteps: BUILT_IN,
        },
      ],
    })
  })
})
