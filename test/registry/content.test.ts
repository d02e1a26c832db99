import { ContentBlockSchema } from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Content } from '../../src/registry/content.js'
import { contentFaults } from '../../src/registry/content-fault.js'

const pixel = Uint8Array.of(0x89, 0x50, 0x4e, 0x47)
const options = {
  annotations: { audience: ['user'], priority: 0, lastModified: '2026-01-12T15:00:58Z' },
  meta: { 'example.test/source': { station: 7 } },
} as const

describe('Content', () => {
  it('makes the five blocks of MCP', () => {
    expect([
      Content.text('21 °C'),
      Content.image(pixel, 'image/png'),
      Content.audio('UklGRg==', 'audio/wav'),
      Content.resourceLink({ uri: 'docs://readme', name: 'readme', title: 'Read me', size: 0 }),
      Content.resource({ uri: 'docs://readme', mimeType: 'text/plain', text: '' }),
      Content.resource({ uri: 'docs://logo', blob: pixel, meta: { etag: 'x' } }),
    ]).toEqual([
      { type: 'text', text: '21 °C' },
      { type: 'image', data: 'iVBORw==', mimeType: 'image/png' },
      { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'docs://readme', name: 'readme', title: 'Read me', size: 0 },
      { type: 'resource', resource: { uri: 'docs://readme', mimeType: 'text/plain', text: '' } },
      { type: 'resource', resource: { uri: 'docs://logo', blob: 'iVBORw==', _meta: { etag: 'x' } } },
    ])
  })

  it('keeps annotations and _meta on each of them', () => {
    const { annotations, meta: _meta } = options
    const blocks = [
      Content.text('x', options),
      Content.image(pixel, 'image/png', options),
      Content.audio(pixel, 'audio/wav', options),
      Content.resourceLink({ uri: 'docs://readme', name: 'readme', ...options }),
      Content.resource({ uri: 'docs://readme', text: 'x' }, options),
    ]
    expect(blocks.map((block) => ({ annotations: block.annotations, _meta: block._meta }))).toEqual(
      blocks.map(() => ({ annotations, _meta })),
    )
  })

  it('makes what the SDK takes for a block, and nothing is lost in it', () => {
    const made = fc.oneof(
      fc.string().map((text) => Content.text(text, options)),
      fc.uint8Array().map((bytes) => Content.image(bytes, 'image/png', options)),
      fc.uint8Array().map((bytes) => Content.audio(bytes, 'audio/wav')),
      fc
        .webUrl()
        .map((uri) => Content.resourceLink({ uri, name: 'x', mimeType: 'text/plain; charset=utf-8' })),
      fc.uint8Array().map((blob) => Content.resource({ uri: 'docs://x', blob }, options)),
    )
    fc.assert(
      fc.property(made, (block) => {
        expect(ContentBlockSchema.parse(block)).toEqual(block)
      }),
    )
  })

  it('is deeply frozen, and a copy', () => {
    const meta = { list: [1] }
    const block = Content.text('x', { meta })
    meta.list.push(2)
    expect(block._meta).toEqual({ list: [1] })
    expect([block, block._meta, block._meta?.list].map(Object.isFrozen)).toEqual([true, true, true])
    expect(meta).not.toSatisfy(Object.isFrozen)
  })

  it('encodes the part of a buffer that it is given, and no more', () => {
    const part = new Uint8Array(Uint8Array.of(1, 2, 3, 4).buffer, 1, 2)
    expect(Content.image(part, 'image/png').data).toBe(Buffer.from([2, 3]).toString('base64'))
    expect(Content.image(Buffer.from('abc'), 'image/png').data).toBe('YWJj')
  })

  it.each([
    [
      'data:image/png;base64,AA==',
      'data must be base64, of A-Z a-z 0-9 + / alone, without line breaks or "data:" (got ":" at 4)',
    ],
    ['AA-_', 'data must be base64, of A-Z a-z 0-9 + / alone, without line breaks or "data:" (got "-" at 2)'],
    [
      'AA==\n',
      'data must be base64, of A-Z a-z 0-9 + / alone, without line breaks or "data:" (got "=" at 2)',
    ],
    ['A===', 'data must be base64, of A-Z a-z 0-9 + / alone, without line breaks or "data:" (got "=" at 1)'],
    ['AAA', 'data must be base64, filled up with "=" to a multiple of 4 characters'],
    ['=', 'data must be base64, filled up with "=" to a multiple of 4 characters'],
    [12, 'data must be a string (got 12)'],
  ])('refuses the data %j', (data, reason) => {
    expect(() => Content.image(data as string, 'image/png')).toThrow(
      new TypeError(`Content.image: ${reason}`),
    )
  })

  it.each([
    [() => Content.text(1 as unknown as string), 'Content.text: text must be a string (got 1)'],
    [
      () => Content.image(pixel, 'text/plain'),
      'Content.image: mimeType must be a MIME type such as image/png (got "text/plain")',
    ],
    [
      () => Content.audio(pixel, 'wav'),
      'Content.audio: mimeType must be a MIME type such as audio/wav (got "wav")',
    ],
    [
      () => Content.text('x', { annotations: { priority: 2 } }),
      'Content.text: annotations/priority must be a number from 0 to 1 (got 2)',
    ],
    [
      () => Content.text('x', { annotations: { audience: ['model'] as unknown as ['user'] } }),
      'Content.text: annotations/audience must be a list of "user" and "assistant" (got an array)',
    ],
    [
      () => Content.text('x', { annotations: { lastModified: 'yesterday' } }),
      'Content.text: annotations/lastModified must be a time such as 2026-01-12T15:00:58Z (got a string)',
    ],
    [
      () => Content.resourceLink({ uri: 'readme.md', name: 'x' }),
      'Content.resourceLink: uri must be an absolute URI with a scheme, such as docs://readme',
    ],
    [
      () => Content.resourceLink({ uri: 'docs://my file', name: 'x' }),
      'Content.resourceLink: uri must be a URI: " " has to be percent-encoded in it',
    ],
    [
      () => Content.resourceLink({ uri: 'docs://x', name: '' }),
      'Content.resourceLink: name must be a string that is not empty (got a string)',
    ],
    [
      () => Content.resourceLink({ uri: 'docs://x', name: 'x', size: -1 }),
      'Content.resourceLink: size must be a whole number of bytes (got -1)',
    ],
    [
      () => Content.resource({ uri: 'docs://x' } as { uri: string; text: string }),
      'Content.resource: resource must have either text or blob',
    ],
    [
      () => Content.resource({ uri: 'docs://x', blob: '!' }),
      'Content.resource: resource/blob must be base64, of A-Z a-z 0-9 + / alone, without line breaks or "data:" (got "!" at 0)',
    ],
  ])('says what would be right: %#', (make, message) => {
    expect(make).toThrow(new TypeError(message))
  })

  it('refuses bytes of another kind', () => {
    // @ts-expect-error A view of it would do.
    expect(() => Content.image(new ArrayBuffer(2), 'image/png')).toThrow(
      'Content.image must be plain JSON (got an instance of ArrayBuffer) (at /data)',
    )
  })

  it('refuses _meta that is not JSON', () => {
    expect(() => Content.text('x', { meta: { at: new Date(0) } })).toThrow(
      'Content.text must be plain JSON (got an instance of Date) (at /_meta/at)',
    )
  })
})

describe('contentFaults', () => {
  it('finds nothing wrong in what Content makes, and says where a block made by hand is wrong', () => {
    expect(contentFaults(Content.text('x'))).toEqual([])
    expect(contentFaults({ type: 'video', data: '' }, 'content/0')).toEqual([
      {
        path: 'content/0/type',
        message: 'must be one of text, image, audio, resource_link, resource (got a string)',
      },
    ])
    expect(contentFaults({ type: 'resource', resource: { text: 'x', blob: 'AA==' } }, 'content/1')).toEqual([
      { path: 'content/1/resource', message: 'must have either text or blob' },
      { path: 'content/1/resource/uri', message: 'must be a string (got undefined)' },
    ])
    expect(contentFaults('x', 'content/2')).toEqual([
      { path: 'content/2', message: 'must be a block of content, such as Content.text(…) (got a string)' },
    ])
    expect(contentFaults({ type: 'toString' })).toHaveLength(1)
  })
})
