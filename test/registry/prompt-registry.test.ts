import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { PromptRegistry } from '../../src/registry/prompt-registry.js'
import { DuplicateToolError, PromptNotFoundError } from '../../src/registry/tool-error.js'
import { namedTool } from './tool-fixture.js'

function greeting(name: string, text = 'Hello') {
  return PromptDefinition.builder()
    .name(name)
    .description(text)
    .template(() => text)
    .build()
}

/** A registry that holds prompts of these names, all of source P1. */
function registryWith(...names: readonly string[]): PromptRegistry {
  const registry = new PromptRegistry()
  registry.registerAll(
    names.map((name) => greeting(name)),
    { name: 'P1' },
  )
  return registry
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('prompts in a registry', () => {
  it('are kept by name, in the order of the names', () => {
    const registry = registryWith('b', 'two words', 'a', '__proto__')
    expect(registry.list().map(({ name }) => name)).toEqual(['__proto__', 'a', 'b', 'two words'])
    expect(registry.list()).toBe(registry.list())
    expect(registry.lookup('__proto__')?.name).toBe('__proto__')
    expect([registry.lookup('constructor'), registry.contains('toString')]).toEqual([undefined, false])
  })

  it('are refused under a name that is taken, naming both sources', () => {
    const registry = registryWith('a')
    expect(() => registry.register(greeting('a'), { name: 'P2' })).toThrow(
      new DuplicateToolError('a', 'P1', 'P2', { kind: 'prompt' }),
    )
    expect(() => registry.registerAll([greeting('b'), greeting('a')], { name: 'P3' })).toThrow(
      'Prompt "a" of P3 is already registered by P1',
    )
    expect(registry.list().map(({ name }) => name)).toEqual(['a'])
  })

  it('are missing by name', () => {
    const registry = registryWith()
    expect(() => registry.getRequired('a')).toThrow(new PromptNotFoundError('a'))
    expect(() => registry.replace(greeting('a'))).toThrow(new PromptNotFoundError('a'))
  })

  it('must be prompts', () => {
    const registry = registryWith()
    for (const given of [namedTool('t'), { ...greeting('a') }, null]) {
      expect(() => registry.register(given as unknown as PromptDefinition)).toThrow(
        'A prompt must be a PromptDefinition, made with PromptDefinition.builder()',
      )
    }
    expect(registry.size).toBe(0)
  })

  it('come, change and go one event each, and one coalesced', async () => {
    const registry = registryWith('old')
    vi.runAllTimers()
    const heard: unknown[] = []
    registry.addListener({
      onPromptRegistered: (...all) => void heard.push(['registered', ...all]),
      onPromptReplaced: (...all) => void heard.push(['replaced', ...all]),
      onPromptRemoved: (...all) => void heard.push(['removed', ...all]),
      onChanged: (change) => void heard.push(change),
    })
    const old = registry.getRequired('old')
    const [one, two] = [greeting('a', 'one'), greeting('a', 'two')]
    registry.register(one)
    registry.replace(two)
    await registry.unregister('old')
    vi.runAllTimers()
    expect(heard).toEqual([
      ['registered', one],
      ['replaced', two, one],
      ['removed', old],
      { registered: ['a'], replaced: [], removed: ['old'] },
    ])
  })
})
