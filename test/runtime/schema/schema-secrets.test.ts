import { describe, expect, it } from 'vitest'
import { issues, type Loose } from './schema-fixture.js'

describe('secrets', () => {
  it.each<[string, Loose]>([
    ['writeOnly', { properties: { secret: { type: 'string', writeOnly: true, maxLength: 3 } } }],
    ['format: password', { properties: { secret: { format: 'password', maxLength: 3 } } }],
    [
      'a reference',
      { $defs: { s: { writeOnly: true } }, properties: { secret: { $ref: '#/$defs/s', maxLength: 3 } } },
    ],
    [
      'a branch',
      { properties: { secret: { anyOf: [{ format: 'password', maxLength: 3 }, { type: 'null' }] } } },
    ],
    ['an object around it', { properties: { secret: { writeOnly: true, items: { maxLength: 3 } } } }],
    [
      'a sibling',
      {
        allOf: [{ properties: { secret: { writeOnly: true } } }],
        properties: { secret: { maxLength: 3 } },
      },
    ],
  ])('never repeats a value that %s marks as a secret', (_, schema) => {
    const value = { secret: schema.properties.secret.items ? ['hunter22'] : 'hunter22' }
    const found = issues(schema, value)
    expect(found).toHaveLength(1)
    expect(JSON.stringify(found)).not.toContain('hunter22')
  })
})
