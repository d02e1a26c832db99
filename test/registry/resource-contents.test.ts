import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { type ReadContents, ResourceContents } from '../../src/registry/resource-contents.js'

describe('ResourceContents', () => {
  it('makes contents of text and of bytes, frozen', () => {
    const made = [
      ResourceContents.text('', { mimeType: 'text/markdown' }),
      ResourceContents.blob(Uint8Array.of(1), { uri: 'docs://other', meta: { etag: 'x' } }),
      ResourceContents.blob('AQ=='),
    ]
    expect(made.map((contents) => ({ ...contents }))).toEqual([
      { text: '', mimeType: 'text/markdown' },
      { blob: 'AQ==', uri: 'docs://other', meta: { etag: 'x' } },
      { blob: 'AQ==' },
    ])
    expect(made.map(Object.isFrozen)).toEqual([true, true, true])
    expectTypeOf(ResourceContents.text).returns.toEqualTypeOf<ReadContents>()
  })

  it.each([
    [
      () => ResourceContents.text(1 as unknown as string),
      'ResourceContents.text: text must be a string (got 1)',
    ],
    [
      () => ResourceContents.blob('!'),
      'ResourceContents.blob: blob must be base64, of A-Z a-z 0-9 + / alone, without line breaks or "data:" (got "!" at 0)',
    ],
    [
      () => ResourceContents.text('', { uri: 'readme' }),
      'ResourceContents.text: uri must be an absolute URI with a scheme, such as docs://readme',
    ],
    [
      () => ResourceContents.text('', { mimeType: 'plain' }),
      'ResourceContents.text: mimeType must be a MIME type such as text/plain (got "plain")',
    ],
  ])('says what would be right: %#', (make, message) => {
    expect(make).toThrow(new TypeError(message))
  })

  it('recognises its own, also of another copy of the module, and no look-alike', async () => {
    vi.resetModules()
    const other = await import('../../src/registry/resource-contents.js')
    expect(other.ResourceContents).not.toBe(ResourceContents)
    const values = [
      ResourceContents.text(''),
      other.ResourceContents.blob(''),
      { text: '', uri: 'docs://x' },
      { ...ResourceContents.text('') },
      'text',
      null,
    ]
    expect(values.map(ResourceContents.is)).toEqual([true, true, false, false, false, false])
  })

  it('cannot be written by hand', () => {
    // @ts-expect-error Only ResourceContents makes them.
    const contents: ReadContents = { text: 'x' }
    expect(ResourceContents.is(contents)).toBe(false)
  })
})
