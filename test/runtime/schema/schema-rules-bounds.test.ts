import { describe, expect, it } from 'vitest'
import { MAX_SCHEMA_CHAIN } from '../../../src/runtime/schema/schema-expansion.js'
import {
  MAX_SCHEMA_DEPTH,
  MAX_SCHEMA_TEXT,
  MAX_SUBSCHEMAS,
  readSchema,
} from '../../../src/runtime/schema/schema-rules.js'
import { compile, type Loose } from './schema-fixture.js'

const faultsOf = (schema: Loose) => readSchema(schema).faults
const messagesOf = (schema: Loose) => faultsOf(schema).map(({ path, message }) => `${path}: ${message}`)

describe('bounds of a schema', () => {
  const nested = (depth: number): Loose => (depth === 0 ? {} : { not: nested(depth - 1) })
  const doubling = (depth: number, keyword: string): Loose => ({
    $defs: Object.fromEntries(
      Array.from({ length: depth }, (_, i) => [
        `d${i}`,
        { [keyword]: [`#/$defs/d${i + 1}`, `#/$defs/d${i + 1}`].map(($ref) => ({ $ref })) },
      ]).concat([[`d${depth}`, { type: 'integer' } as Loose]]),
    ),
    $ref: '#/$defs/d0',
  })

  it('refuses a schema that is nested too deeply', () => {
    expect(faultsOf(nested(MAX_SCHEMA_DEPTH - 1))).toEqual([])
    expect(faultsOf(nested(MAX_SCHEMA_DEPTH)).map(({ message }) => message)).toEqual([
      'the schema is nested deeper than 128 levels',
    ])
  })

  it('refuses a default that is nested too deeply', () => {
    let value: unknown = 1
    for (let level = 0; level < 5_000; level++) value = [value]
    expect(faultsOf({ default: value }).map(({ message }) => message)).toEqual([
      'the schema is nested deeper than 128 levels',
    ])
  })

  it('refuses too many subschemas, and shared objects count wherever they stand', () => {
    const leaf = { type: 'string' }
    const branch = { anyOf: Array.from({ length: 100 }, () => leaf) }
    expect(faultsOf({ anyOf: Array.from({ length: MAX_SUBSCHEMAS - 1 }, () => leaf) })).toEqual([])
    expect(
      faultsOf({ anyOf: Array.from({ length: 100 }, () => branch) }).map(({ message }) => message),
    ).toEqual(['the schema has more than 500 subschemas'])
  })

  it('refuses too many values', () => {
    const schema = { enum: Array.from({ length: 60_000 }, (_, i) => i) }
    expect(messagesOf(schema)).toEqual([expect.stringContaining('more than 50000 values')])
  })

  it.each<[string, Loose]>([
    ['a title', { title: 'x'.repeat(MAX_SCHEMA_TEXT) }],
    ['a property name', { properties: { ['x'.repeat(MAX_SCHEMA_TEXT)]: {} } }],
    ['an enum', { enum: Array.from({ length: 1_001 }, (_, i) => String(i).padStart(1_000, 'x')) }],
    ['names of a vendor keyword', { 'x-a': { ['x'.repeat(MAX_SCHEMA_TEXT)]: 1 } }],
  ])('refuses too much text in %s', (_, schema) => {
    expect(faultsOf(schema).map(({ message }) => message)).toEqual([
      'the schema has more than 1000000 characters of text',
    ])
  })

  it.each(['anyOf', 'oneOf', 'allOf'])('refuses doubling through %s and $ref', (keyword) => {
    expect(faultsOf(doubling(10, keyword))).toEqual([])
    expect(messagesOf(doubling(22, keyword))).toEqual([
      ': the schema has more than 20000 subschemas when its references are written out',
    ])
  })

  it.each<[string, (link: Loose) => Loose]>([
    ['properties', (link) => ({ type: 'object', properties: { a: link } })],
    ['anyOf', (link) => ({ anyOf: [link] })],
    ['items', (link) => ({ items: link })],
    ['patternProperties', (link) => ({ patternProperties: { a: link } })],
  ])('refuses a chain of references through %s before it is too long to compile', (_, through) => {
    const chain = (links: number): Loose => ({
      $defs: Object.fromEntries(
        Array.from({ length: links }, (_, i) => [`d${i}`, through({ $ref: `#/$defs/d${i + 1}` })]).concat([
          [`d${links}`, { type: 'integer' }],
        ]),
      ),
      $ref: '#/$defs/d0',
    })
    const longest = MAX_SCHEMA_CHAIN / 2 - 1
    expect(faultsOf(chain(longest))).toEqual([])
    expect(compile(chain(longest))).toBeTypeOf('function')
    expect(messagesOf(chain(longest + 1))).toEqual([
      ': the schema is nested deeper than 128 subschemas when its references are followed',
    ])
  })

  it('refuses more patterns than can be looked at in no time', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`p${i}`, { pattern: `^${'[ab]'.repeat(300)}$` }]),
    )
    expect(messagesOf({ properties })).toEqual([
      '/properties/p16/pattern: the patterns of the schema have more than 20000 characters in all',
    ])
  })

  it('counts a recursion once', () => {
    const node = { properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } } }
    expect(faultsOf({ $defs: { node }, $ref: '#/$defs/node' })).toEqual([])
  })

  it.each<Loose>([
    { $ref: '#' },
    {
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      properties: { x: { $ref: '#/$defs/a' } },
    },
    { $defs: { a: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
  ])('refuses %j, which would never end', (schema) => {
    expect(messagesOf(schema)).toEqual([
      ': the schema refers to itself for the same value, so that validation would never end',
    ])
  })
})
