import { describe, expect, it } from 'vitest'
import { messages } from './schema-fixture.js'

describe('unions', () => {
  const pet = {
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'cat' }, lives: { type: 'integer' } },
        required: ['kind', 'lives'],
      },
      {
        type: 'object',
        properties: { kind: { const: 'dog' }, name: { type: 'string' } },
        required: ['kind'],
      },
    ],
  }

  it('summarises the forms in one sentence', () => {
    const schema = {
      properties: { a: { anyOf: [{ type: 'string' }, { const: 7 }, { type: 'object', required: ['x'] }] } },
    }
    expect(messages(schema, { a: true })).toEqual([
      '"a" must match one of the allowed forms: a string; 7; an object with "x" (got true)',
    ])
  })

  it('reports the branch that is meant, by type or by tag', () => {
    expect(messages({ anyOf: [{ type: 'string', minLength: 3 }, { type: 'null' }] }, 'a')).toEqual([
      'the value must have at least 3 characters (got "a")',
    ])
    expect(messages(pet, { kind: 'cat' })).toEqual(['missing required argument "lives"'])
    expect(messages({ properties: { pet } }, { pet: { kind: 'dog', name: 1 } })).toEqual([
      '"pet.name" must be a string (got 1)',
    ])
  })

  it('lists the tags when none matches, through references too', () => {
    const [cat, dog] = pet.oneOf
    const referring = { $defs: { cat, dog }, oneOf: [{ $ref: '#/$defs/cat' }, { $ref: '#/$defs/dog' }] }
    for (const schema of [pet, referring]) {
      expect(messages(schema, { kind: 'cow' })).toEqual(['"kind" must be one of "cat", "dog" (got "cow")'])
    }
  })

  it('keeps what is wrong beside the union', () => {
    const schema = {
      required: ['b'],
      properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] }, c: { type: 'string' } },
    }
    expect(messages(schema, { a: 1, c: 2 })).toEqual([
      'missing required argument "b"',
      '"a" must match one of the allowed forms: a string; null (got 1)',
      '"c" must be a string (got 2)',
    ])
  })

  it('says when more than one form matches', () => {
    expect(messages({ oneOf: [{ type: 'integer' }, { minimum: 0 }] }, 5)).toEqual([
      'the value matches more than one of the allowed forms; it must match exactly one (got 5)',
    ])
  })
})
