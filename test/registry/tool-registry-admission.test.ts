import { describe, expect, it, vi } from 'vitest'
import type { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolRegistry } from '../../src/registry/tool-registry.js'
import { namedTool, namesIn, registryWith } from './tool-fixture.js'

describe('addAdmission()', () => {
  const refusing = (name: string) => (tool: ToolDefinition) => {
    if (tool.name === name) throw new Error(`no ${name}`)
  }

  it('asks for every tool that comes later, with its source', () => {
    const registry = new ToolRegistry()
    const admission = vi.fn()
    registry.addAdmission(admission)
    const [a, b] = [namedTool('a'), namedTool('b')]
    registry.register(a)
    registry.registerAll([b], { name: 'P2' })
    registry.replace(a, { name: 'P3' })
    expect(admission.mock.calls).toEqual([
      [a, { name: 'the application' }],
      [b, { name: 'P2' }],
      [a, { name: 'P3' }],
    ])
  })

  it('refuses a tool by throwing', () => {
    const registry = new ToolRegistry()
    registry.addAdmission(refusing('b'))
    expect(() => registry.register(namedTool('b'))).toThrow('no b')
    registry.register(namedTool('a'))
    expect(namesIn(registry)).toEqual(['a'])
  })

  it('throws for a tool that is here already, and is not added', () => {
    const registry = registryWith('a', 'b')
    expect(() => registry.addAdmission(refusing('b'))).toThrow('no b')
    registry.replace(namedTool('b', 'again'))
    expect(registry.lookup('b')?.description).toBe('again')
  })

  it('ends with its disposal, each for itself where the same one is added twice', () => {
    const registry = new ToolRegistry()
    const admission = refusing('a')
    const [first, second] = [registry.addAdmission(admission), registry.addAdmission(admission)]
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    expect(() => registry.register(namedTool('a'))).toThrow('no a')
    second[Symbol.dispose]()
    registry.register(namedTool('a'))
    expect(namesIn(registry)).toEqual(['a'])
  })
})
