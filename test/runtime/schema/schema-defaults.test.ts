import { describe, expect, it } from 'vitest'
import { compile, DRAFT_07, type Loose } from './schema-fixture.js'

function filled(schema: Loose, value: unknown): unknown {
  const found = compile(schema, { applyDefaults: true })(value)
  return found.length === 0 ? value : found
}

describe('defaults', () => {
  it('fills them in at any depth, through references, and only where nothing was given', () => {
    const schema = {
      $defs: { page: { properties: { size: { type: 'integer', default: 20 } } } },
      properties: {
        page: { $ref: '#/$defs/page', default: {} },
        unit: { enum: ['c', 'f'], default: 'c' },
        zero: { default: 1 },
      },
      required: ['unit'],
    }
    expect(filled(schema, { zero: 0 })).toEqual({ page: { size: 20 }, unit: 'c', zero: 0 })
    expect(filled({ ...schema, $schema: DRAFT_07 }, { unit: 'f' })).toEqual({
      page: { size: 20 },
      unit: 'f',
      zero: 1,
    })
  })

  it('copies them freshly for every value', () => {
    const validate = compile({ properties: { tags: { default: [{ a: 1 }] } } }, { applyDefaults: true })
    const values: Loose[] = [{}, {}]
    values.forEach(validate)
    values[0].tags[0].a = 2
    expect(values[1]).toEqual({ tags: [{ a: 1 }] })
  })

  it.each(['anyOf', 'oneOf'])(
    'does not write those of a branch of %s that need not match, not even through a reference',
    (keyword) => {
      const schema = {
        $defs: {
          circle: { properties: { kind: { const: 'circle' }, radius: { default: 1 } }, required: ['kind'] },
        },
        [keyword]: [
          { $ref: '#/$defs/circle' },
          { properties: { kind: { const: 'square' }, side: { default: 2 } }, required: ['kind'] },
        ],
      }
      expect(filled(schema, { kind: 'square' })).toEqual({ kind: 'square' })
    },
  )

  it('fills them in before it asks for required properties, also through a reference and among hundreds', () => {
    const base = { properties: { a: { default: 1 } } }
    expect(filled({ $defs: { base }, $ref: '#/$defs/base', required: ['a'] }, {})).toEqual({ a: 1 })
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`p${i}`, { type: 'integer' }]))
    const wide = {
      properties: { ...many, last: { default: 1 } },
      required: ['last'],
      additionalProperties: false,
    }
    expect(filled(wide, { p7: 7 })).toEqual({ p7: 7, last: 1 })
    expect(filled(wide, { q: 7 })).toEqual([
      expect.objectContaining({ path: '/q', keyword: 'additionalProperties' }),
    ])
  })

  it('fills in a recursive schema', () => {
    const schema = { properties: { open: { default: true }, kid: { $ref: '#' } } }
    expect(filled(schema, { kid: { kid: {} } })).toEqual({
      open: true,
      kid: { open: true, kid: { open: true } },
    })
  })

  it('reports what is wrong although a default stands behind it', () => {
    const schema = {
      properties: { a: { type: 'string' }, b: { properties: { c: { default: 1 } }, required: ['c'] } },
      required: ['a'],
    }
    expect(filled(schema, { b: {} })).toEqual([
      expect.objectContaining({ message: 'missing required argument "a"' }),
    ])
  })
})
