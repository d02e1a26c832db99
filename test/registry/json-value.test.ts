import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaError } from '../../src/registry/schema-error.js'

describe('a schema that is not plain JSON', () => {
  const cycle: Record<string, unknown> = { type: 'object' }
  cycle.properties = { self: cycle }
  it.each<[string, string, unknown]>([
    ['a function', '/properties/a', { properties: { a: () => 1 } }],
    ['NaN', '/properties/a/minimum', { properties: { a: { minimum: Number.NaN } } }],
    ['an instance of Date', '/default', { default: new Date(0) }],
    ['an instance of Map', '/properties', { properties: new Map() }],
    ['undefined', '/enum/1', { enum: ['a', undefined] }],
    ['a bigint', '/maximum', { maximum: 1n }],
    ['an object with symbol keys', '', { [Symbol('a')]: 1 }],
    ['itself', '/properties/self', cycle],
    ['$id must be a string', '/$id', { $id: 1 }],
    ['an array', '', []],
    ['null', '', null],
    ['a boolean', '', true],
    ['undefined', '', undefined],
    ['a function', '', () => ({})],
  ])('refuses %s at "%s"', (what, pointer, source) => {
    const read = () => JsonSchema.from(source as never)
    expect(read).toThrow(SchemaError)
    expect(read).toThrow(what)
    expect(read).toThrow(expect.objectContaining({ pointer }))
  })

  it('answers bottomless and exploding documents with an error', () => {
    let deep: unknown = {}
    for (let level = 0; level < 100_000; level++) deep = { not: deep }
    expect(() => JsonSchema.from(deep as object)).toThrow('nested deeper than 200 levels')
    let wide: unknown = {}
    for (let level = 0; level < 60; level++) wide = { anyOf: [wide, wide] }
    expect(() => JsonSchema.from(wide as object)).toThrow('more than 100000 values')
  })
})

describe('plain JSON', () => {
  it('may come from another realm', () => {
    const source = runInNewContext('({ type: "object", required: ["a"] })')
    expect(JsonSchema.from(source).toMap()).toStrictEqual({ type: 'object', required: ['a'] })
  })
})
