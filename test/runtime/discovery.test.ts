import { describe, expect, it, vi } from 'vitest'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolDefinitionProvider } from '../../src/registry/tool-definition-provider.js'
import { containerWith, tool } from './runtime-fixture.js'

const turn = () => new Promise(setImmediate)

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
