import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { PromptDefinition } from '../../src/registry/prompt-definition.js'
import type { PromptDefinitionProvider } from '../../src/registry/prompt-definition-provider.js'
import type { PromptMessages } from '../../src/registry/prompt-message.js'
import type { NoArguments, UntypedArguments } from '../../src/registry/schema-inference.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'

const { builder } = PromptDefinition
const schema = JsonSchema.builder()
  .addProperty('topic', SchemaProperty.STRING)
  .addProperty('tone', SchemaProperty.STRING.withEnum('plain', 'solemn'))
  .addRequired('topic')
  .build()

describe('types of a prompt', () => {
  it('come from its schema', () => {
    const open = builder().name('x').parameterSchema(schema).title('X')
    open.template(({ args }) => {
      expectTypeOf(args).toEqualTypeOf<{ readonly topic: string; readonly tone?: 'plain' | 'solemn' }>()
      expectTypeOf(args.tone).toEqualTypeOf<'plain' | 'solemn' | undefined>()
      return args.topic
    })
    type Args = { readonly topic: string; readonly tone?: 'plain' | 'solemn' }
    expectTypeOf(open.template(() => '').build()).toEqualTypeOf<PromptDefinition<Args, Args>>()
  })

  it('hold for the record form, zod and raw JSON Schema, and are none without a schema', () => {
    builder()
      .parameterSchema(JsonSchema.object({ a: SchemaProperty.STRING.withDefault('x') }))
      .template(({ args }) => expectTypeOf(args).toEqualTypeOf<{ readonly a: string }>() && '')
    builder()
      .parameterSchema(z.object({ a: z.string(), b: z.string().optional(), n: z.string().transform(Number) }))
      .template(
        ({ args }) =>
          expectTypeOf(args).toEqualTypeOf<{ a: string; b?: string | undefined; n: number }>() && '',
      )
    builder()
      .parameterSchema({ type: 'object', properties: { a: { type: 'string' } } })
      .template(({ args }) => expectTypeOf(args).toEqualTypeOf<UntypedArguments>() && '')
    expectTypeOf(
      builder()
        .name('x')
        .template(() => '')
        .build(),
    ).toEqualTypeOf<PromptDefinition<NoArguments, NoArguments>>()
  })

  it('refuse arguments that are no strings', () => {
    const counted = JsonSchema.object({ topic: SchemaProperty.STRING, count: SchemaProperty.INTEGER })
    // @ts-expect-error The count is no string.
    const open = builder().name('x').parameterSchema(counted)
    expect(() => open.template(() => '').build()).toThrow(
      'inputSchema/properties/count: must be of type "string"',
    )
    // @ts-expect-error Nor is it here.
    builder().parameterSchema(z.object({ count: z.number() }))
  })

  it('refuse a template that returns something else', () => {
    // @ts-expect-error A number is no message.
    builder().template(() => 12)
    // @ts-expect-error The model has no such role.
    builder().template(() => ({ role: 'system', content: { type: 'text', text: '' } }))
    builder().template(async () => ({ messages: [{ role: 'user', content: { type: 'text', text: '' } }] }))
  })

  it('know the arguments that can be completed', () => {
    const open = builder().name('x').parameterSchema(schema)
    open.complete('topic', (_value, { args }) => {
      expectTypeOf(args).toEqualTypeOf<{ readonly topic?: string; readonly tone?: string }>()
      return []
    })
    // @ts-expect-error There is no such argument.
    const wrong = open.complete('title', () => [])
    expect(() => wrong.template(() => '').build()).toThrow('complete/title: completes no argument')
  })

  it('let precise definitions stand where any definition is wanted', () => {
    const precise = builder()
      .name('x')
      .parameterSchema(schema)
      .template(() => '')
      .build()
    const list: PromptDefinition[] = [precise]
    const provider: PromptDefinitionProvider = { provide: () => list }
    class Provider implements PromptDefinitionProvider {
      *provide() {
        yield precise
      }
    }
    expectTypeOf(new Provider()).toExtend<PromptDefinitionProvider>()
    expect(provider.provide()).toBe(list)
    expectTypeOf(precise.execute).returns.toEqualTypeOf<PromptMessages | Promise<PromptMessages>>()
    expectTypeOf(precise.with({ name: 'y' })).toEqualTypeOf(precise)
    // @ts-expect-error There is no template yet.
    expect(() => builder().name('x').build()).toThrow('template: is missing')
  })
})
