import { describe, expect, it } from 'vitest'
import { SchemaValidator } from '../../../src/runtime/schema/schema-validator.js'
import { DRAFT_07, deepFreeze, issues, isValid, type Loose, messages } from './schema-fixture.js'

describe('dialects and references', () => {
  it('reads draft-07 by its own rules: tuples in items, nothing beside $ref', () => {
    const tuple = { $schema: DRAFT_07, items: [{ type: 'string' }], additionalItems: false }
    expect([isValid(tuple, ['a']), isValid(tuple, [1]), isValid(tuple, ['a', 1])]).toEqual([
      true,
      false,
      false,
    ])
    const beside = {
      definitions: { s: { type: 'string' } },
      properties: { a: { $ref: '#/definitions/s', maxLength: 1 } },
    }
    expect(isValid({ ...beside, $schema: DRAFT_07 }, { a: 'long' })).toBe(true)
    expect(isValid(beside, { a: 'long' })).toBe(false)
  })

  it.each<[string, Loose]>([
    [
      'a pointer with escapes',
      { $defs: { 'a/b~c d%': { type: 'string' } }, properties: { v: { $ref: '#/$defs/a~1b~0c%20d%25' } } },
    ],
    [
      'an anchor',
      { $defs: { x: { $anchor: 'there', type: 'string' } }, properties: { v: { $ref: '#there' } } },
    ],
    ['another property', { properties: { w: { type: 'string' }, v: { $ref: '#/properties/w' } } }],
    [
      'a vendor keyword',
      { 'x-types': { t: { type: 'string' } }, properties: { v: { $ref: '#/x-types/t' } } },
    ],
    [
      'a nested $id',
      {
        $id: 'https://s.example.test/in',
        $defs: { x: { $id: 'x', type: 'string' } },
        properties: { v: { $ref: 'x' } },
      },
    ],
    [
      'its own # inside a nested $id',
      {
        properties: { v: { $id: 'urn:inner', $ref: '#/$defs/y', $defs: { y: { type: 'string' } } } },
        $defs: { y: true },
      },
    ],
    [
      'a draft-07 name',
      {
        $schema: DRAFT_07,
        definitions: { x: { $id: '#x', type: 'string' } },
        properties: { v: { $ref: '#x' } },
      },
    ],
    [
      'two references in a row',
      {
        $defs: { a: { $ref: '#/$defs/b' }, b: { type: 'string' } },
        properties: { v: { $ref: '#/$defs/a' } },
      },
    ],
    [
      'a boolean',
      { $defs: { no: false }, properties: { v: { anyOf: [{ $ref: '#/$defs/no' }, { type: 'string' }] } } },
    ],
  ])('follows a reference to %s', (_, schema) => {
    expect([isValid(schema, { v: 'x' }), isValid(schema, { v: 1 })]).toEqual([true, false])
  })

  it('follows a dynamic reference', () => {
    const schema = {
      $dynamicAnchor: 'node',
      properties: { label: { type: 'string' }, kids: { items: { $dynamicRef: '#node' } } },
    }
    expect(isValid(schema, { kids: [{ kids: [{ label: 'a' }] }] })).toBe(true)
    expect(issues(schema, { kids: [{ kids: [{ label: 1 }] }] }).map(({ path }) => path)).toEqual([
      '/kids/0/kids/0/label',
    ])
  })

  it('sees what a reference evaluates', () => {
    const schema = {
      $defs: { base: { properties: { a: { type: 'string' } } } },
      $ref: '#/$defs/base',
      properties: { b: true },
      unevaluatedProperties: false,
    }
    expect(isValid(schema, { a: 'x', b: 1 })).toBe(true)
    expect(messages(schema, { a: 'x', c: 1 })).toEqual(['unknown argument "c"; allowed: "b"'])
  })

  it('keeps foreign $ids apart, nested ones too', () => {
    const validator = new SchemaValidator()
    const of = (type: string) =>
      deepFreeze({
        $id: 'urn:t',
        $defs: { v: { $id: 'urn:v', $anchor: 'x', type } },
        properties: { v: { $ref: 'urn:v#x' } },
      })
    const [text, number] = [validator.compile(of('string')), validator.compile(of('number'))]
    expect([text({ v: 'a' }), number({ v: 1 })]).toEqual([[], []])
    expect([text({ v: 1 }).length, number({ v: 'a' }).length]).toEqual([1, 1])
  })
})
