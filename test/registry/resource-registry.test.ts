import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { ResourceRegistry } from '../../src/registry/resource-registry.js'
import { DuplicateToolError, ResourceNotFoundError } from '../../src/registry/tool-error.js'
import { namedTool } from './tool-fixture.js'

function doc(uri: string, name = 'doc') {
  const builder = ResourceDefinition.builder().name(name)
  return uri.includes('{')
    ? builder
        .uriTemplate(uri)
        .reader(() => name)
        .build()
    : builder
        .uri(uri)
        .reader(() => name)
        .build()
}

/** A registry that holds resources of these addresses, all of source P1. */
function registryWith(...uris: readonly string[]): ResourceRegistry {
  const registry = new ResourceRegistry()
  registry.registerAll(
    uris.map((uri) => doc(uri)),
    { name: 'P1' },
  )
  return registry
}

/** What a URI names, as `address variables`, or `address malformed`. */
function matches(registry: ResourceRegistry, uri: string): readonly unknown[] {
  return [...registry.matches(uri)].map((match) => [
    registry.keyOf(match.registered.definition),
    'variables' in match ? { ...match.variables } : match.malformed.name,
  ])
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('resources in a registry', () => {
  it('are kept by URI or by URI template, whatever their names', () => {
    const registry = registryWith('docs://b', 'docs://{name}', 'docs://a')
    expect(registry.list().map((one) => registry.keyOf(one))).toEqual([
      'docs://a',
      'docs://b',
      'docs://{name}',
    ])
    expect(registry.lookup('docs://{name}')?.uriTemplate).toBe('docs://{name}')
    expect([registry.contains('docs://a'), registry.contains('docs://c'), registry.size]).toEqual([
      true,
      false,
      3,
    ])
  })

  it('are refused under an address that is taken, naming both sources', () => {
    const registry = registryWith('docs://a', 'docs://{name}')
    expect(() => registry.register(doc('docs://a'), { name: 'P2' })).toThrow(
      new DuplicateToolError('docs://a', 'P1', 'P2', { kind: 'resource' }),
    )
    expect(() => registry.register(doc('docs://{name}'), { name: 'P2' })).toThrow(
      'Resource "docs://{name}" of P2 is already registered by P1',
    )
    expect(() => registry.registerAll([doc('docs://new'), doc('docs://new')], { name: 'P3' })).toThrow(
      'Resource "docs://new" of P3 is already registered by P3',
    )
    expect(registry.contains('docs://new')).toBe(false)
  })

  it('are missing by name', () => {
    const registry = registryWith()
    expect(() => registry.getRequired('docs://a')).toThrow(new ResourceNotFoundError('docs://a'))
    expect(() => registry.replace(doc('docs://a'))).toThrow(new ResourceNotFoundError('docs://a'))
    expect(registry.lookup('docs://a')).toBeUndefined()
  })

  it.each([
    ['a tool', namedTool('t') as unknown as ResourceDefinition],
    ['a look-alike', { ...doc('docs://a') } as unknown as ResourceDefinition],
    ['nothing', undefined as unknown as ResourceDefinition],
  ])('must be resources: not %s', (_what, given) => {
    const registry = registryWith('docs://a')
    const refusal = 'A resource must be a ResourceDefinition, made with ResourceDefinition.builder()'
    expect(() => registry.register(given)).toThrow(refusal)
    expect(() => registry.replace(given)).toThrow(refusal)
    expect(registry.size).toBe(1)
  })

  it('come, change and go one event each, and one coalesced', async () => {
    const registry = registryWith()
    const heard: unknown[] = []
    registry.addListener({
      onResourceRegistered: (...all) => void heard.push(['registered', ...all]),
      onResourceReplaced: (...all) => void heard.push(['replaced', ...all]),
      onResourceRemoved: (...all) => void heard.push(['removed', ...all]),
      onResourceUpdated: (...all) => void heard.push(['updated', ...all]),
      onChanged: (change) => void heard.push(change),
    })
    const [one, two, other] = [doc('docs://a', 'one'), doc('docs://a', 'two'), doc('docs://{x}')]
    registry.registerAll([one, other])
    registry.replace(two)
    registry.notifyUpdated('docs://a')
    expect(await registry.unregister('docs://{x}')).toBe(true)
    expect(await registry.unregister('docs://{x}')).toBe(false)
    vi.runAllTimers()
    expect(heard).toEqual([
      ['registered', one],
      ['registered', other],
      ['replaced', two, one],
      ['removed', other],
      { registered: ['docs://a'], replaced: [], removed: [] },
      ['updated', 'docs://a'],
    ])
  })

  it('tell of updates of whatever URI, once for a burst, and those who listen then', () => {
    const registry = registryWith('docs://a')
    const heard: string[] = []
    const onResourceUpdated = (uri: string) => void heard.push(uri)
    const gone = registry.addListener({ onResourceUpdated: () => void heard.push('gone') })
    registry.addListener({ onResourceUpdated })
    for (const uri of ['docs://a', 'docs://not-there', 'docs://a']) registry.notifyUpdated(uri)
    gone[Symbol.dispose]()
    expect(heard).toEqual([])
    vi.runAllTimers()
    expect(heard).toEqual(['docs://a', 'docs://not-there'])
    registry.notifyUpdated('docs://a')
    vi.runAllTimers()
    expect(heard).toEqual(['docs://a', 'docs://not-there', 'docs://a'])
  })

  it('keep what an admission has changed meanwhile: nothing is replaced that is gone', () => {
    const registry = registryWith('docs://a')
    const heard: string[] = []
    registry.addListener({ onResourceReplaced: ({ name }) => void heard.push(name) })
    registry.addAdmission(({ name }) => {
      if (name === 'removes') void registry.unregister('docs://a')
    })
    expect(() => registry.replace(doc('docs://a', 'removes'))).toThrow(ResourceNotFoundError)
    expect([registry.size, heard]).toEqual([0, []])
  })
})

describe('what a URI names', () => {
  it('is the resource of that URI before any template', () => {
    const registry = registryWith('docs://{name}', 'docs://a')
    expect(matches(registry, 'docs://a')).toEqual([
      ['docs://a', {}],
      ['docs://{name}', { name: 'a' }],
    ])
  })

  it('is every template that it fits, in the order of the list, with decoded values', () => {
    const registry = registryWith('docs://{name}', 'docs://{+path}', 'docs://x{rest}', 'other://{name}')
    expect(matches(registry, 'docs://x%20y')).toEqual([
      ['docs://x{rest}', { rest: ' y' }],
      ['docs://{+path}', { path: 'x y' }],
      ['docs://{name}', { name: 'x y' }],
    ])
    expect(matches(registry, 'docs://x/y')).toEqual([['docs://{+path}', { path: 'x/y' }]])
    expect(matches(registry, 'nothing://x')).toEqual([])
    expect(matches(registry, '')).toEqual([])
  })

  it('is not the template itself that is kept under the same text', () => {
    expect(matches(registryWith('docs://{name}'), 'docs://{name}')).toEqual([
      ['docs://{name}', { name: '{name}' }],
    ])
  })

  it('says which template it fits but for its escapes, beside those that it fits', () => {
    const registry = registryWith('docs://{name}', 'docs://50{+rest}', 'docs://50%25')
    expect(matches(registry, 'docs://50%')).toEqual([
      ['docs://50{+rest}', 'MalformedUriError'],
      ['docs://{name}', 'MalformedUriError'],
    ])
    expect(matches(registry, 'docs://50%25')).toEqual([
      ['docs://50%25', {}],
      ['docs://50{+rest}', { rest: '%' }],
      ['docs://{name}', { name: '50%' }],
    ])
  })

  it('takes names of prototypes for values like any other', () => {
    const registry = registryWith('docs://{__proto__}/{constructor}')
    const [match] = [...registry.matches('docs://a/b')]
    expect(match && 'variables' in match && Object.entries(match.variables)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
    expect(registry.lookup('__proto__')).toBeUndefined()
    expect(matches(registry, '__proto__')).toEqual([])
  })

  it('leaves out what is removed while the matches are looked at', () => {
    const registry = registryWith('docs://{a}', 'docs://{b}')
    const found: string[] = []
    for (const { registered } of registry.matches('docs://x')) {
      found.push(registry.keyOf(registered.definition))
      void registry.unregister('docs://{b}', { drainMs: 0 })
    }
    expect(found).toEqual(['docs://{a}'])
  })
})

describe('ten thousand resources', () => {
  it('are one change, in the order of their URIs, and each is found', () => {
    const registry = new ResourceRegistry()
    const changes: number[] = []
    registry.addListener({ onChanged: ({ registered }) => void changes.push(registered.length) })
    const uris = Array.from({ length: 10_000 }, (_, i) => `docs://r${i}/{x}`)
    for (const uri of uris) registry.register(doc(uri))
    vi.runAllTimers()
    expect(changes).toEqual([10_000])
    expect(registry.list().map(({ uriTemplate }) => uriTemplate)).toEqual([...uris].sort())
    expect(matches(registry, 'docs://r9999/y')).toEqual([['docs://r9999/{x}', { x: 'y' }]])
  })
})
