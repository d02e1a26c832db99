import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { JsonSchema } from '../../src/registry/json-schema.js'
import type { ResourceContents } from '../../src/registry/resource-contents.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import type { ResourceDefinitionProvider } from '../../src/registry/resource-definition-provider.js'
import type { NoArguments } from '../../src/registry/schema-inference.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'

const { builder } = ResourceDefinition

describe('types of a resource', () => {
  it('come from its template', () => {
    const open = builder().name('docs').uriTemplate('docs://{name}/{+path}{?page}').title('Docs')
    open.reader(({ args }, uri) => {
      expectTypeOf(uri).toEqualTypeOf<string>()
      expectTypeOf(args).toEqualTypeOf<{
        readonly name: string
        readonly path: string
        readonly page?: string
      }>()
      // @ts-expect-error There is no such variable.
      return args.title
    })
    type Variables = { readonly name: string; readonly path: string; readonly page?: string }
    expectTypeOf(open.reader(() => '').build()).toEqualTypeOf<ResourceDefinition<Variables, Variables>>()
  })

  it('come from the schema of its variables, where there is one', () => {
    const schema = JsonSchema.object(
      { id: SchemaProperty.STRING, unit: SchemaProperty.STRING.withEnum('c', 'f').withDefault('c') },
      { required: ['id'] },
    )
    const open = builder().name('x').uriTemplate('x://{id}{?unit}').parameterSchema(schema)
    open.reader(({ args }) => {
      expectTypeOf(args).toEqualTypeOf<{ readonly id: string; readonly unit: 'c' | 'f' }>()
    })
    const parsed = builder()
      .uriTemplate('x://{id}')
      .parameterSchema(z.object({ id: z.string().transform(Number) }))
    parsed.reader(({ args }) => expectTypeOf(args).toEqualTypeOf<{ id: number }>())
  })

  it('are none for a single resource, and any names for a template that only the running program knows', () => {
    const single = builder()
      .name('x')
      .uri('docs://x')
      .reader(() => '')
      .build()
    expectTypeOf(single).toEqualTypeOf<ResourceDefinition<NoArguments, NoArguments>>()
    const read = (template: string) =>
      builder()
        .name('x')
        .uriTemplate(template)
        .reader(({ args }) => args.anything)
        .build()
    expectTypeOf(read).returns.toEqualTypeOf<
      ResourceDefinition<Readonly<Record<string, string>>, Readonly<Record<string, string>>>
    >()
  })

  it('let completers see what is filled in, as strings', () => {
    const open = builder().name('x').uriTemplate('x://{owner}/{repo}')
    const closed = open
      .complete('repo', (value, { args }) => {
        expectTypeOf(value).toEqualTypeOf<string>()
        expectTypeOf(args).toEqualTypeOf<{ readonly owner?: string; readonly repo?: string }>()
        return [`${args.owner}/${value}`]
      })
      .reader(() => '')
      .complete('owner', async () => new Set(['a']))
    // @ts-expect-error There is no such variable.
    expect(() => closed.complete('name', () => []).build()).toThrow('completes no variable')
  })

  it('close the address with reader(), and build() until then', () => {
    const closed = builder()
      .name('x')
      .uri('docs://x')
      .reader(() => '')
    // @ts-expect-error The address is settled.
    expect(() => closed.uri('docs://y')).toThrow(TypeError)
    // @ts-expect-error The address is settled.
    expect(() => closed.uriTemplate('docs://{y}')).toThrow(TypeError)
    // @ts-expect-error There is no reader yet.
    expect(() => builder().name('x').uri('docs://x').build()).toThrow('reader: is missing')
  })

  it('let precise definitions stand where any definition is wanted', () => {
    const precise = builder()
      .name('x')
      .uriTemplate('x://{id}')
      .reader(() => '')
      .build()
    const list: ResourceDefinition[] = [
      precise,
      builder()
        .name('y')
        .uri('docs://y')
        .reader(() => '')
        .build(),
    ]
    class Provider implements ResourceDefinitionProvider {
      *provide() {
        yield precise
        yield* list
      }
    }
    class AsyncProvider implements ResourceDefinitionProvider {
      async provide() {
        return [precise]
      }
    }
    expectTypeOf(new Provider()).toExtend<ResourceDefinitionProvider>()
    expectTypeOf(new AsyncProvider()).toExtend<ResourceDefinitionProvider>()
    expectTypeOf(precise.execute).returns.toEqualTypeOf<
      readonly ResourceContents[] | Promise<readonly ResourceContents[]>
    >()
    expectTypeOf(precise.with({ name: 'y' })).toEqualTypeOf(precise)
  })
})
