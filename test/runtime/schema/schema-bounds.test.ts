import { describe, expect, it } from 'vitest'
import { compile, isValid, type Loose, messages } from './schema-fixture.js'

describe('bounds', () => {
  it('lists only the first error of a huge value, and holds on to none', () => {
    const validate = compile({ items: { $ref: '#/$defs/s' }, $defs: { s: { type: 'string' } } })
    expect(validate(Array(1_000_000).fill(1)).map(({ message }) => message)).toEqual([
      '"[0]" must be a string (got 1)',
    ])
  })

  it('refuses a value that is too large for a wide schema, and takes a smaller one', () => {
    const validate = compile({ items: { anyOf: Array.from({ length: 400 }, (_, i) => ({ const: i })) } })
    expect(validate(Array(20_000).fill(399)).map(({ keyword }) => keyword)).toEqual(['size'])
    expect(validate(Array(400).fill(399))).toEqual([])
  })

  it('sums up nested unions whose branches all fail alike', () => {
    const link = (i: number) => ({ $ref: `#/$defs/d${i}` })
    const $defs = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`d${i}`, { anyOf: [link(i + 1), link(i + 1)] }]),
    )
    expect(
      messages({ $defs: { ...$defs, d10: { type: 'integer' } }, properties: { x: link(0) } }, { x: 'no' }),
    ).toEqual(['"x" must match one of the allowed forms (got "no")'])
  })

  it('compares a long list of objects in one pass', () => {
    const items = Array.from({ length: 100_000 }, (_, id) => ({ id }))
    expect(isValid({ uniqueItems: true, items: { type: 'object' } }, items)).toBe(true)
  })

  it('gives up on a value that a recursive union would make exponential, and recovers', () => {
    const form = (leaf: string) => ({ properties: { k: { $ref: '#/$defs/n' }, leaf: { const: leaf } } })
    const validate = compile({ $defs: { n: { anyOf: [form('x'), form('y')] } }, $ref: '#/$defs/n' })
    let value: Loose = { leaf: 'z' }
    for (let level = 0; level < 60; level++) value = { k: value }
    expect(validate(value).map(({ message }) => message)).toEqual([
      'the value is too large or too deeply nested to be checked against the schema',
    ])
    expect(validate({ leaf: 'x', k: { leaf: 'y' } })).toEqual([])
  })

  it('gives up on a value that is nested too deeply for the stack', () => {
    let value: Loose = {}
    for (let level = 0; level < 50_000; level++) value = { k: value }
    expect(messages({ properties: { k: { $ref: '#' } } }, value)).toEqual([
      'the value is too large or too deeply nested to be checked against the schema',
    ])
  })

  it('compiles a schema of as many properties as are taken', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 490 }, (_, i) => [`p${i}`, { type: 'string' }]),
    )
    expect(messages({ properties }, { p489: 1 })).toEqual(['"p489" must be a string (got 1)'])
  })

  it.each([
    'date-time',
    'duration',
    'email',
    'hostname',
    'ipv6',
    'uri',
    'uri-reference',
    'uri-template',
    'url',
    'json-pointer',
    'byte',
    'uuid',
  ])('answers on a long text for the format %s', (format) => {
    const validate = compile({ format })
    for (const part of ['a', ':', '/', '1', '.', '-', '%20', '{a', '::', 'a@', 'http://', '\n']) {
      validate(`http://${part.repeat(20_000)}!`)
      validate(`a@${part.repeat(20_000)}!`)
      validate(`${part.repeat(20_000)}\u0000`)
    }
    expect(validate('\u0000!')).toHaveLength(1)
  })
})
