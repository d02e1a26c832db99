import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type AudioContent,
  Content,
  type EmbeddedResourceContent,
  type ImageContent,
  type ResourceLinkContent,
  type TextContent,
} from '../../src/registry/content.js'
import { type ToolContent, ToolExecutionResult } from '../../src/registry/tool-execution-result.js'

describe('types of content', () => {
  it('are told apart by type', () => {
    const textOf = (block: Content) => {
      switch (block.type) {
        case 'text':
          return block.text
        case 'image':
        case 'audio':
          return block.mimeType
        case 'resource_link':
          return block.uri
        case 'resource':
          return 'text' in block.resource ? block.resource.text : block.resource.blob
      }
    }
    expectTypeOf(textOf).returns.toEqualTypeOf<string>()
    expect(textOf(Content.resource({ uri: 'docs://x', text: 'x' }))).toBe('x')
  })

  it('fit where a result takes content', () => {
    expectTypeOf<TextContent>().toExtend<ToolContent>()
    expectTypeOf<ImageContent>().toExtend<ToolContent>()
    expectTypeOf<AudioContent>().toExtend<ToolContent>()
    expectTypeOf<ResourceLinkContent>().toExtend<ToolContent>()
    expectTypeOf<EmbeddedResourceContent>().toExtend<ToolContent>()
    const content: readonly Content[] = [Content.text('x')]
    expect(ToolExecutionResult.success(1, { content }).content).toEqual([{ type: 'text', text: 'x' }])
  })

  it('want either text or blob of an embedded resource', () => {
    // @ts-expect-error It has neither.
    expect(() => Content.resource({ uri: 'docs://x' })).toThrow(TypeError)
    // @ts-expect-error It has both.
    expect(() => Content.resource({ uri: 'docs://x', text: '', blob: '' })).toThrow(TypeError)
  })

  it('refuse a wrong audience and a type that is unknown', () => {
    // @ts-expect-error There is no such role.
    expect(() => Content.text('x', { annotations: { audience: ['model'] } })).toThrow(TypeError)
    // @ts-expect-error There is no such field.
    expectTypeOf(Content.text('x').uri).toBeAny()
  })
})
