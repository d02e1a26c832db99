import { describe, expect, it } from 'vitest'
import { JsonSchema } from '../../../src/registry/json-schema.js'
import { defaultFaults } from '../../../src/runtime/schema/schema-default-faults.js'
import { echoOf } from '../arguments-fixture.js'
import { containerWith } from '../runtime-fixture.js'

const faults = (schema: object) =>
  defaultFaults(JsonSchema.from(schema).document).map(({ path, message }) => `${path}: ${message}`)

describe('a default that breaks its own schema', () => {
  it('is found where it would be written', () => {
    expect(
      faults({
        properties: {
          n: { type: 'integer', default: 'x' },
          list: { items: { properties: { unit: { enum: ['c', 'f'], default: 'k' } } } },
        },
      }),
    ).toEqual([
      '/properties/list/items/properties/unit/default: the default is not one of ["c","f"]',
      '/properties/n/default: the default is not of type integer',
    ])
  })

  it('is let be where it would not, and where its pattern alone could refuse it', () => {
    expect(faults({ anyOf: [{ properties: { n: { type: 'integer', default: 'x' } } }] })).toEqual([])
    expect(faults({ properties: { s: { type: 'string', pattern: '^(a+)+$', default: 'b' } } })).toEqual([])
    expect(faults({ properties: { o: { enum: [{ pattern: 'x' }], default: { pattern: 'x' } } } })).toEqual([])
  })

  it('keeps a tool from being registered, by name and place', async () => {
    const { runtime } = containerWith({
      tools: [echoOf({ type: 'object', properties: { n: { type: 'integer', default: 'x' } } })],
    })
    expect((await runtime.start()).problems.map(({ error }) => String(error))).toEqual([
      'ToolDefinitionError: Tool "echo" cannot be used: inputSchema/properties/n/default: the default is not of type integer',
    ])
  })
})
