import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digest, type FingerprintSource, fingerprint } from '../../src/registry/fingerprint.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

function weather() {
  return ToolDefinition.builder()
    .name('get_weather')
    .description('Current weather of a city')
    .parameterSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] })
    .outputSchema({ type: 'object', properties: { degrees: { type: 'number' } } })
    .annotations({ readOnlyHint: true })
    .meta({ 'example.com/scope': 'weather' })
}

describe('fingerprint', () => {
  it('is the SHA-256 of what a caller relies on, in canonical form', () => {
    const source: FingerprintSource = {
      name: 'a',
      kind: 'tool',
      metadata: { readOnly: false, destructive: true, idempotent: false },
      inputSchema: { type: 'object', properties: { b: {}, a: {} } },
    }
    expect(fingerprint(source)).toBe(
      sha256(
        '{"inputSchema":{"properties":{"a":{},"b":{}},"type":"object"},"kind":"tool",' +
          '"metadata":{"destructive":true,"idempotent":false,"readOnly":false},"name":"a"}',
      ),
    )
  })

  it('is the same for two definitions that say the same, whoever operates them', () => {
    const one = weather()
      .metadata({ owner: 'weather-team', timeoutMs: 5_000, tags: ['a'] })
      .executor(() => ({ degrees: 1 }))
      .build()
    const other = weather()
      .title('Weather')
      .executor(() => ({ degrees: 2 }))
      .build()
    expect(fingerprint(other)).toBe(fingerprint(one))
    expect(fingerprint(one)).toBe(fingerprint(one))
  })

  it('differs with each thing that a caller relies on', () => {
    const definition = weather()
      .executor(() => ({ degrees: 1 }))
      .build()
    const { name, description, inputSchema, outputSchema, annotations, meta, metadata } = definition
    const base: FingerprintSource = {
      kind: 'tool',
      name,
      description,
      inputSchema,
      outputSchema,
      annotations,
      meta,
      metadata,
    }
    const changes: FingerprintSource[] = [
      { kind: 'prompt' },
      { name: 'set_weather' },
      { description: 'Current weather' },
      { inputSchema: { type: 'object' } },
      { outputSchema: undefined },
      { annotations: {} },
      { meta: { 'example.com/scope': 'all' } },
      { metadata: { ...metadata, readOnly: false } },
      { metadata: { ...metadata, destructive: true } },
      { metadata: { ...metadata, idempotent: false } },
    ]
    const prints = [base, ...changes.map((change) => ({ ...base, ...change }))].map(fingerprint)
    expect(new Set(prints).size).toBe(1 + changes.length)
  })
})

describe('digest', () => {
  it('does not depend on the order of members, and tells no two values apart that JSON holds for one', () => {
    expect(digest({ b: [1, { d: 2, c: 1.0 }], a: 'é', gone: undefined })).toBe(
      sha256('{"a":"é","b":[1,{"c":1,"d":2}]}'),
    )
    expect(digest(-0)).toBe(digest(0))
  })

  it('takes nothing sent for no arguments', () => {
    expect(digest(undefined)).toBe(digest({}))
    expect(digest(null)).toBe(sha256('null'))
  })

  it('is equal exactly for values whose JSON is equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
        return (digest(a) === digest(b)) === same && digest(JSON.parse(JSON.stringify(a))) === digest(a)
      }),
    )
  })

  it.each([
    ['a function', { a: () => 1 }, 'must be plain JSON'],
    ['a function in a list', [() => 1], 'must be plain JSON'],
    ['a bigint', { a: 1n }, 'must be plain JSON'],
    ['NaN', [Number.NaN], 'must be plain JSON'],
    ['a date', new Date(0), 'must be plain JSON'],
    ['a map', new Map([['a', 1]]), 'must be plain JSON'],
    ['a symbol', { a: Symbol('a') }, 'must be plain JSON'],
    ['half a character', ['\ud800'], 'well-formed Unicode'],
    ['half a character as a name', { '\ud800': 1 }, 'well-formed Unicode'],
  ])('refuses %s', (_, value, message) => {
    expect(() => digest(value)).toThrow(message)
  })

  it('refuses a cycle, and depth that would not end well', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    expect(() => digest(cycle)).toThrow('contains itself')
    let deep: unknown = 1
    for (let level = 0; level < 10_000; level++) deep = [deep]
    expect(() => digest(deep)).toThrow('nested deeper than')
  })
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)])
  return { members: members.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)) }
}
