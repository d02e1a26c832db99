import { describe, expect, expectTypeOf, it } from 'vitest'
import type { NoArguments } from '../../src/registry/schema-inference.js'
import { UriTemplate } from '../../src/registry/uri-template.js'
import type { UriTemplateVariables } from '../../src/registry/uri-template-variables.js'

describe('types of a URI template', () => {
  it('are read off its text', () => {
    expectTypeOf<UriTemplateVariables<'test://template/{id}/data'>>().toEqualTypeOf<{ readonly id: string }>()
    expectTypeOf<UriTemplateVariables<'a://{x}/{+path}{?q,r,s}'>>().toEqualTypeOf<{
      readonly x: string
      readonly path: string
      readonly q?: string
      readonly r?: string
      readonly s?: string
    }>()
    expectTypeOf<UriTemplateVariables<'a://{?q}'>>().toEqualTypeOf<{ readonly q?: string }>()
    expectTypeOf<UriTemplateVariables<'a://x'>>().toEqualTypeOf<NoArguments>()
    expectTypeOf<UriTemplateVariables<string>>().toEqualTypeOf<Readonly<Record<string, string>>>()
    expectTypeOf<UriTemplateVariables<'a://{x}' | 'b://{y}'>>().toEqualTypeOf<
      { readonly x: string } | { readonly y: string }
    >()
  })

  it('hold for what is matched and expanded', () => {
    const template = UriTemplate.parse('docs://{name}{?page}')
    expectTypeOf(template.match('docs://x')).toEqualTypeOf<
      { readonly name: string; readonly page?: string } | undefined
    >()
    template.expand({ name: 'x' })
    // @ts-expect-error The page alone is no document.
    expect(() => template.expand({ page: '1' })).toThrow(TypeError)
    // @ts-expect-error There is no such variable.
    expect(() => template.expand({ name: 'x', title: 'X' })).toThrow(TypeError)
  })

  it('let a known template stand where any is wanted', () => {
    const any: UriTemplate = UriTemplate.parse('docs://{name}{?page}')
    expectTypeOf(any.match('docs://x')).toEqualTypeOf<Readonly<Record<string, string>> | undefined>()
  })
})
