import { describe, expect, it } from 'vitest'
import { toolMetadata } from '../../src/registry/tool-metadata.js'
import { unfrozenIn } from './tool-fixture.js'

/** The three answers that retry, cache and approval decide on. */
function decisions(...args: Parameters<typeof toolMetadata>) {
  const { readOnly, destructive, idempotent } = toolMetadata(...args)
  return { readOnly, destructive, idempotent }
}

describe('toolMetadata()', () => {
  it('takes a tool that says nothing for one that destroys and must not be repeated, as MCP does', () => {
    expect(toolMetadata()).toEqual({ tags: [], readOnly: false, destructive: true, idempotent: false })
  })

  it.each([
    [{ readOnlyHint: true }, { readOnly: true, destructive: false, idempotent: true }],
    [{ destructiveHint: false }, { readOnly: false, destructive: false, idempotent: false }],
    [{ idempotentHint: true }, { readOnly: false, destructive: true, idempotent: true }],
    [
      { readOnlyHint: true, idempotentHint: false },
      { readOnly: true, destructive: false, idempotent: false },
    ],
    [
      { readOnlyHint: true, destructiveHint: true },
      { readOnly: true, destructive: true, idempotent: true },
    ],
    [{ readOnlyHint: false }, { readOnly: false, destructive: true, idempotent: false }],
    [
      { openWorldHint: false, title: 'T' },
      { readOnly: false, destructive: true, idempotent: false },
    ],
  ])('counts the annotations %j as said', (annotations, expected) => {
    expect(decisions({}, annotations)).toEqual(expected)
  })

  it.each([
    [{ readOnly: false }, { readOnlyHint: true }, { readOnly: false, destructive: true, idempotent: false }],
    [
      { destructive: false },
      { destructiveHint: true },
      { readOnly: false, destructive: false, idempotent: false },
    ],
    [
      { idempotent: false },
      { idempotentHint: true },
      { readOnly: false, destructive: true, idempotent: false },
    ],
    [{ readOnly: true }, {}, { readOnly: true, destructive: false, idempotent: true }],
  ])('lets %j win over the annotations %j', (init, annotations, expected) => {
    expect(decisions(init, annotations)).toEqual(expected)
  })

  it('keeps what is said, deeply frozen, and leaves the original alone', () => {
    const init = {
      owner: 'weather-team',
      version: '1.0.0',
      timeoutMs: 10_000,
      rateLimit: { perMinute: 0 },
      tags: ['a', 'b', 'a'],
      deprecated: 'Use get_forecast',
      links: { runbook: 'https://example.test' },
    }
    const metadata = toolMetadata(init)
    expect(metadata).toEqual({
      ...init,
      tags: ['a', 'b'],
      readOnly: false,
      destructive: true,
      idempotent: false,
    })
    expect(unfrozenIn(metadata)).toEqual([])
    expect(unfrozenIn(init)).toEqual(['$', '$.rateLimit', '$.tags', '$.links'])
  })

  it('takes tags from whatever gives strings', () => {
    expect(toolMetadata({ tags: new Set(['a', 'b']) }).tags).toEqual(['a', 'b'])
  })

  it.each([
    [null, 'metadata must be an object (got null)'],
    ['private', 'metadata must be an object (got a string)'],
    [[], 'metadata must be an object (got an array)'],
    [
      { visibility: 'private' },
      'metadata.visibility must be { scopes } or a function of the principal (got a string)',
    ],
    [
      { visibility: { scopes: 'a' } },
      "metadata.visibility.scopes must be a list of strings, such as ['a', 'b'] (got a string)",
    ],
    [{ maxResultSize: 0 }, 'metadata.maxResultSize must be a whole number from 1 (got 0)'],
    [{ largeResult: 'cut' }, "metadata.largeResult must be 'refuse' or 'spill' (got a string)"],
    [{ timeoutMs: 0 }, 'metadata.timeoutMs must be a positive number of milliseconds (got 0)'],
    [{ timeoutMs: -5 }, 'metadata.timeoutMs must be a positive number of milliseconds (got -5)'],
    [{ timeoutMs: Number.NaN }, 'metadata.timeoutMs must be a positive number of milliseconds (got NaN)'],
    [{ timeoutMs: Infinity }, 'metadata.timeoutMs must be a positive number of milliseconds (got Infinity)'],
    [{ timeoutMs: '50' }, 'metadata.timeoutMs must be a positive number of milliseconds (got a string)'],
    [{ rateLimit: { perMinute: -1 } }, 'metadata.rateLimit.perMinute must be a whole number from 0 (got -1)'],
    [
      { rateLimit: { perMinute: 1.5 } },
      'metadata.rateLimit.perMinute must be a whole number from 0 (got 1.5)',
    ],
    [{ rateLimit: {} }, 'metadata.rateLimit.perMinute must be a whole number from 0 (got undefined)'],
    [{ rateLimit: 60 }, 'metadata.rateLimit.perMinute must be a whole number from 0 (got undefined)'],
    [{ rateLimit: null }, 'metadata.rateLimit.perMinute must be a whole number from 0 (got undefined)'],
    [{ readOnly: 'false' }, 'metadata.readOnly must be true or false (got a string)'],
    [{ destructive: 0 }, 'metadata.destructive must be true or false (got 0)'],
    [{ idempotent: null }, 'metadata.idempotent must be true or false (got null)'],
    [{ tags: 'weather' }, "metadata.tags must be a list of strings, such as ['a', 'b'] (got a string)"],
    [{ tags: { a: true } }, "metadata.tags must be a list of strings, such as ['a', 'b'] (got an object)"],
    [{ tags: ['a', undefined] }, 'metadata.tags must hold strings alone (got undefined)'],
    [{ links: { runbook: () => 1 } }, 'metadata must be plain JSON (got a function) (at /links/runbook)'],
  ])('refuses %j', (init, message) => {
    expect(() => toolMetadata(init as never)).toThrow(message)
    expect(() => toolMetadata(init as never)).toThrow(TypeError)
  })
})
