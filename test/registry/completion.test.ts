import { describe, expect, it, vi } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { contextOf } from '../interceptors/tool-call-fixture.js'

const city = SchemaProperty.STRING.withEnum('Oslo', 'Osaka', 'Rome', '上海')
const prompt = PromptDefinition.builder()
  .name('travel')
  .parameterSchema(JsonSchema.object({ city, note: SchemaProperty.STRING }))
  .template(() => '')
const files = ResourceDefinition.builder()
  .name('files')
  .uriTemplate('file:///{+path}')
  .reader(() => '')
const ctx = contextOf({ kind: 'completion' }, {})

/** The values alone. */
async function complete(definition: PromptDefinition | ResourceDefinition, argument: string, value: string) {
  return (await definition.complete(argument, value, ctx)).values
}

describe('completion', () => {
  it('gives the values of an enum that begin with what is typed, in upper or lower case', async () => {
    const definition = prompt.build()
    expect(await complete(definition, 'city', 'os')).toEqual(['Oslo', 'Osaka'])
    expect(await complete(definition, 'city', 'ROM')).toEqual(['Rome'])
    expect(await complete(definition, 'city', '上')).toEqual(['上海'])
    expect(await complete(definition, 'city', '')).toEqual(['Oslo', 'Osaka', 'Rome', '上海'])
    expect(await complete(definition, 'city', 'x')).toEqual([])
  })

  it('gives what the completer gives instead, unfiltered', async () => {
    const definition = prompt.complete('city', (value) => [`${value}!`, 'Paris']).build()
    expect(await complete(definition, 'city', 'os')).toEqual(['os!', 'Paris'])
  })

  it('gives nothing for an argument without either, or that does not exist', async () => {
    const definition = prompt.build()
    for (const argument of ['note', 'country', 'toString', '__proto__']) {
      expect(await definition.complete(argument, '', ctx)).toEqual({ values: [], total: 0, hasMore: false })
    }
  })

  it('gives a hundred values, and says how many there are', async () => {
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)
    const ofCount = (count: number) => files.complete('path', async () => numbers(count)).build()
    expect(await ofCount(100).complete('path', '', ctx)).toEqual({
      values: numbers(100),
      total: 100,
      hasMore: false,
    })
    const more = await ofCount(101).complete('path', '', ctx)
    expect(more).toEqual({ values: numbers(100), total: 101, hasMore: true })
    expect([more, more.values].map(Object.isFrozen)).toEqual([true, true])
  })

  it('hands the completer the context, with the arguments that are filled in', async () => {
    const completer = vi.fn(() => new Set(['a']))
    const definition = files.complete('path', completer).build()
    const filled = contextOf({ kind: 'completion' }, { path: 'x' })
    expect((await definition.complete('path', 'x', filled)).values).toEqual(['a'])
    expect(completer.mock.calls).toEqual([['x', filled]])
  })

  it.each([['a text'], [[1]], [undefined]])('throws where the completer gives %j', async (given) => {
    const definition = files.complete('path', () => given as unknown as string[]).build()
    await expect(async () => definition.complete('path', '', ctx)).rejects.toThrow(TypeError)
  })

  it('passes on what the completer throws', async () => {
    const error = new Error('offline')
    const definition = files.complete('path', () => Promise.reject(error)).build()
    await expect(definition.complete('path', '', ctx)).rejects.toBe(error)
  })
})
