import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolDefinitionProvider } from '../../src/registry/tool-definition-provider.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolInterceptor } from '../../src/registry/tool-interceptor.js'
import { containerWith, deferred, started, tool } from './runtime-fixture.js'

const turn = () => new Promise(setImmediate)

describe('a call that has been answered', () => {
  it('starts no work any more, where an interceptor let go of its next', async () => {
    const gate = deferred()
    const executor = vi.fn(() => 'late')
    const hasty: ToolInterceptor = {
      order: -1,
      aroundExecute: async (_ctx, next) => {
        next().catch(() => undefined)
        return ToolExecutionResult.success('early')
      },
    }
    const slow: ToolInterceptor = { beforeExecute: () => gate.promise }
    const { runtime } = await started({ interceptors: [hasty, slow], tools: [tool('work', executor)] })
    expect(await runtime.call('work')).toMatchObject({ ok: true, value: 'early' })
    gate.resolve()
    await turn()
    expect(executor).not.toHaveBeenCalled()
  })
})

describe('many calls on one signal', () => {
  it('share one listener, which goes with the last of them', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    const gate = deferred<string>()
    const { runtime } = await started({ tools: [tool('slow', () => gate.promise)] })
    const controller = new AbortController()
    const add = vi.spyOn(controller.signal, 'addEventListener')
    const remove = vi.spyOn(controller.signal, 'removeEventListener')
    const calls = Array.from({ length: 20 }, () => runtime.call('slow', {}, { signal: controller.signal }))
    gate.resolve('done')
    await Promise.all(calls)
    await turn()
    process.off('warning', warned)
    expect([add.mock.calls.length, remove.mock.calls.length, warned.mock.calls]).toEqual([1, 1, []])
  })

  it('are all cancelled by it', async () => {
    const { runtime } = await started({ tools: [tool('slow', () => new Promise(() => undefined))] })
    const controller = new AbortController()
    const calls = Array.from({ length: 3 }, () => runtime.call('slow', {}, { signal: controller.signal }))
    await turn()
    controller.abort()
    const codes = (await Promise.all(calls)).map((result) => !result.ok && result.error.code)
    expect(codes).toEqual(['ABORTED', 'ABORTED', 'ABORTED'])
  })
})

describe('a runtime that is closing', () => {
  it('starts anew when it is asked to, and is running then', async () => {
    const { runtime } = await started({ tools: [tool('a')] })
    const closing = runtime.close()
    expect(await runtime.start()).toMatchObject({ tools: 1 })
    await closing
    expect(runtime.isStarted).toBe(true)
    expect(await runtime.call('a')).toMatchObject({ ok: true })
  })
})

describe('a tool that was registered before the start and must not be', () => {
  it('is left out and reported; the others start', async () => {
    const { container, runtime } = containerWith({ tools: [tool('bound')] })
    const bad = ToolDefinition.builder()
      .name('bad')
      .description('Refers to nothing')
      .parameterSchema({ type: 'object', properties: { x: { $ref: '#/$defs/none' } } })
      .executor(() => 1)
      .build()
    runtime.registry.registerAll([bad, tool('early')])
    container.bind(ToolDefinitionProvider).toConstantValue({ provide: () => [tool('provided')] })
    const { problems } = await runtime.start()
    expect(problems).toMatchObject([{ source: 'the application', toolName: 'bad' }])
    expect(runtime.registry.list().map(({ name }) => name)).toEqual(['bound', 'early', 'provided'])
  })
})

describe('a provider that never ends', () => {
  let isOver = false
  async function* waiting() {
    try {
      for (let i = 0; ; i++) {
        await turn()
        yield tool(`t${i}`)
      }
    } finally {
      isOver = true
    }
  }
  function* neverWaiting() {
    try {
      for (let i = 0; ; i++) yield tool(`t${i}`)
    } finally {
      isOver = true
    }
  }

  it.each([
    ['waits', waiting],
    ['never waits', neverWaiting],
  ])('is stopped and left out, whether or not it %s', async (_, provide) => {
    isOver = false
    const { container, runtime } = containerWith({ options: { provideTimeoutMs: 30 } })
    container.bind(ToolDefinitionProvider).toConstantValue({ name: 'Endless', provide })
    const { problems } = await runtime.start()
    expect(problems).toMatchObject([
      { source: 'Endless', error: { message: expect.stringContaining('30 ms') } },
    ])
    await vi.waitFor(() => expect(isOver).toBe(true))
  })

  it('or whose name cannot be read, stops nothing else', async () => {
    const { container, runtime } = containerWith({ tools: [tool('a')] })
    const hostile = {
      get name() {
        throw new Error('no name')
      },
      provide: () => [],
    }
    container.bind(ToolDefinitionProvider).toConstantValue(hostile as never)
    expect(await runtime.start()).toMatchObject({ tools: 1, problems: [{ error: { message: 'no name' } }] })
  })
})

describe('sizes that only look small', () => {
  const doubled = (levels: number): unknown => (levels === 0 ? 1 : Array(2).fill(doubled(levels - 1)))

  it('are refused in arguments: shared objects, sparse arrays', async () => {
    const { runtime } = await started({ tools: [tool('echo')] })
    let shared: unknown = 1
    for (let i = 0; i < 60; i++) shared = { l: shared, r: shared }
    for (const input of [{ shared }, { sparse: new Array(50_000_000) }]) {
      expect(await runtime.call('echo', input)).toMatchObject({
        error: { code: 'INVALID_ARGUMENTS', issues: [{ keyword: 'size' }] },
      })
    }
  })

  it('are refused in results: many empty lists', async () => {
    const { runtime } = await started({
      tools: [tool('big', () => doubled(10))],
      options: { maxResultSize: 1_000 },
    })
    expect(await runtime.call('big')).toMatchObject({ error: { code: 'RESULT_TOO_LARGE' } })
  })

  it('do not make an error larger than the arguments: a schema library reports each of many faults', async () => {
    const numbers = ToolDefinition.builder()
      .name('numbers')
      .description('Takes numbers')
      .parameterSchema(z.object({ n: z.array(z.number()) }))
      .executor(() => 1)
      .build()
    const { runtime } = await started({ tools: [numbers] })
    const result = await runtime.call('numbers', { n: Array(10_000).fill('x') })
    if (result.ok || result.error.code !== 'INVALID_ARGUMENTS') throw new Error('must be refused')
    expect(result.error.issues).toHaveLength(21)
    expect(result.error.issues.at(-1)?.message).toBe('and 9980 more')
    expect(result.error.message.length).toBeLessThan(5_000)
  })
})

describe('calls from JavaScript', () => {
  it.each([[null], [5], [undefined]])('answer whatever the name is: %s', async (name) => {
    const { runtime } = await started({ tools: [tool('a')] })
    expect(await runtime.call(name as never, {}, null as never)).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND' },
    })
  })
})
