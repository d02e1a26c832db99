import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'

describe('JsonSchema.from a Standard JSON Schema', () => {
  const zod = z.object({ city: z.string(), days: z.number().default(1) })
  const arktype = type({ city: 'string', days: 'number = 1' })
  const valibot = toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 1) }))

  // arktype fills defaults in and does not publish them.
  it.each([
    ['zod', zod, { type: 'number', default: 1 }],
    ['arktype', arktype, { type: 'number' }],
    ['valibot', valibot, { type: 'number', default: 1 }],
  ])('publishes what callers pass and keeps the validation of %s', async (_, source, days) => {
    const schema = JsonSchema.from(source as typeof zod)
    expect(schema.document).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { city: { type: 'string' }, days },
      required: ['city'],
    })
    const isTaken = new Ajv2020().compile(schema.document)
    expect(isTaken({ city: 'Rome' })).toBe(true)
    expect(isTaken({})).toBe(false)
    expect(schema.standard).toBe(source)
    expect(await schema.standard?.['~standard'].validate({ city: 'Rome' })).toMatchObject({
      value: { city: 'Rome', days: 1 },
    })
    expect(await schema.standard?.['~standard'].validate({})).toHaveProperty('issues')
    expect(Object.isFrozen(source)).toBe(false)
  })

  it('keeps a validation that is asynchronous', async () => {
    const known = z.object({ id: z.string().refine(async (id) => id === '1', 'unknown id') })
    const { standard } = JsonSchema.from(known)
    expect(await standard?.['~standard'].validate({ id: '2' })).toMatchObject({
      issues: [{ message: 'unknown id' }],
    })
  })

  it('takes one that only describes, without validation', () => {
    const input = () => ({ type: 'object' })
    const schema = JsonSchema.from({
      '~standard': { version: 1, vendor: 'acme', jsonSchema: { input, output: input } },
    })
    expect(schema.document).toEqual({ type: 'object' })
    expect(schema.standard).toBeUndefined()
  })

  it('names the library that does not describe itself, or cannot', () => {
    expect(() => JsonSchema.from(v.object({}) as never)).toThrow(
      'The schema of "valibot" does not describe itself',
    )
    const cannot = () => JsonSchema.from(z.object({ at: z.date() }))
    expect(cannot).toThrow('"zod" cannot express the schema as JSON Schema draft-2020-12: ')
    expect(cannot).toThrow(expect.objectContaining({ cause: expect.any(Error) }))
    expect(() => JsonSchema.from({ '~standard': null } as never)).toThrow('"unknown vendor"')
  })

  it('is not nested, for its validation would not run', () => {
    expect(() => SchemaProperty.object(JsonSchema.from(zod))).toThrow('its validate() would not run')
  })
})
