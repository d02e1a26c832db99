import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_FAULTS, readSchema } from '../../../src/runtime/schema/schema-rules.js'
import type { Loose } from './schema-fixture.js'

const faultsOf = (schema: Loose) => readSchema(schema).faults
const messagesOf = (schema: Loose) => faultsOf(schema).map(({ path, message }) => `${path}: ${message}`)

describe('readSchema', () => {
  it('finds nothing wrong with an ordinary schema', () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string', enum: ['北京'] },
        from: { type: 'string', format: 'date', pattern: '^2' },
      },
      required: ['city'],
      additionalProperties: false,
    }
    expect(faultsOf(schema)).toEqual([])
  })

  describe('dialect', () => {
    it.each([
      undefined,
      'https://json-schema.org/draft/2020-12/schema',
      'http://json-schema.org/draft/2020-12/schema#',
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft-07/schema',
    ])('takes %s', ($schema) => {
      expect(faultsOf($schema === undefined ? {} : { $schema })).toEqual([])
    })

    it.each([
      'https://json-schema.org/draft/2019-09/schema',
      'http://json-schema.org/draft-04/schema#',
      '',
      7,
    ])('refuses %j and names what it takes', ($schema) => {
      expect(messagesOf({ $schema })).toEqual([
        '/$schema: $schema must be "https://json-schema.org/draft/2020-12/schema" (also without $schema) and "http://json-schema.org/draft-07/schema#"',
      ])
    })

    it('reads items by its dialect', () => {
      const tuple = { items: [{ type: 'string' }] }
      expect(messagesOf(tuple)).toEqual(['/items: a schema must be an object, true or false'])
      expect(faultsOf({ ...tuple, $schema: 'http://json-schema.org/draft-07/schema#' })).toEqual([])
    })
  })

  describe('meta-schema', () => {
    const value = fc.constantFrom<unknown>(
      ...[
        0,
        1,
        -1,
        1.5,
        2,
        '',
        'string',
        'a',
        true,
        false,
        null,
        {},
        [],
        ['a'],
        ['a', 'a'],
        ['string', 'null'],
        [1],
        [{}],
      ],
      ...[{ a: {} }, { a: 1 }, { a: ['b'] }, { a: ['b', 'b'] }, { a: true }, [true], [[]]],
    )
    const keywords = (dialect: string | undefined) => {
      // Ours is stricter by design on `$…` (references, `$async`), on an empty enum, and takes both `$defs` and `definitions`.
      const own = readSchema(dialect === undefined ? {} : { $schema: dialect }).dialect?.keywords ?? new Map()
      // Ajv's copy of draft-07 is older: no `writeOnly`, no repeated enum values.
      const left = new Set(['pattern', ...(dialect === undefined ? [] : ['writeOnly', 'enum'])])
      return [...own.keys()].filter((keyword) => !keyword.startsWith('$') && !left.has(keyword))
    }

    it.each([
      [undefined, () => new Ajv2020({ logger: false })],
      ['http://json-schema.org/draft-07/schema#', () => new Ajv({ logger: false })],
    ] as const)('agrees with the meta-schema of %s on every keyword', ($schema, create) => {
      const ajv = create()
      const keyword = fc.constantFrom(...keywords($schema))
      fc.assert(
        fc.property(keyword, value, (name, given) => {
          fc.pre(!(name === 'enum' && Array.isArray(given) && given.length === 0))
          const schema = { ...($schema && { $schema }), properties: { p: { [name]: given } } }
          expect([name, given, faultsOf(schema).length === 0]).toEqual([
            name,
            given,
            ajv.validateSchema(schema),
          ])
        }),
        { numRuns: 3_000 },
      )
    })

    it('names the place and what would be right', () => {
      const schema = {
        type: 'objekt',
        properties: { 'a/b~c': { minLength: -1, required: true, enum: [] }, list: { anyOf: [] }, n: 5 },
      }
      expect(messagesOf(schema)).toEqual([
        '/type: type must be "string", "number", "integer", "boolean", "array", "object" or "null", or a list of different ones',
        '/properties/a~1b~0c/minLength: minLength must be an integer, 0 or more',
        '/properties/a~1b~0c/required: required must be a list of different property names',
        '/properties/a~1b~0c/enum: enum must list at least one value',
        '/properties/list/anyOf: anyOf must be a list of one schema or more',
        '/properties/n: a schema must be an object, true or false',
      ])
    })

    it('stops at ten faults', () => {
      const properties = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, { type: 'x' }]))
      expect(faultsOf({ properties })).toHaveLength(MAX_FAULTS)
    })
  })

  describe('references', () => {
    it.each<[string, Loose]>([
      ['#', { properties: { a: { $ref: '#' } } }],
      ['#/$defs/x', { $defs: { x: {} }, $ref: '#/$defs/x' }],
      ['escaped and percent-encoded', { $defs: { 'a/b~c d': {} }, $ref: '#/$defs/a~1b~0c%20d' }],
      ['into an array', { anyOf: [{ type: 'string' }, { $ref: '#/anyOf/0' }] }],
      ['an anchor', { $defs: { x: { $anchor: 'there' } }, $ref: '#there' }],
      ['a dynamic anchor', { $dynamicAnchor: 'node', properties: { kid: { $dynamicRef: '#node' } } }],
      ['relative to $id', { $id: 'https://s.example.test/a/in', $defs: { x: { $id: 'x' } }, $ref: 'x' }],
      [
        'a fragment of a nested $id',
        { $defs: { x: { $id: 'urn:x', $defs: { y: {} } } }, $ref: 'urn:x#/$defs/y' },
      ],
      ['inside a nested $id', { $defs: { x: { $id: 'urn:x', $ref: '#/$defs/y', $defs: { y: {} } } } }],
      ['a place under a vendor keyword', { 'x-types': { t: { type: 'string' } }, $ref: '#/x-types/t' }],
    ])('resolves %s', (_, schema) => {
      expect(messagesOf(schema)).toEqual([])
    })

    it.each<[Loose, string]>([
      [{ $ref: 'https://example.test/s.json' }, 'leaves the schema; copy what it refers to under $defs'],
      [{ $ref: 'file:///etc/passwd' }, 'leaves the schema; copy what it refers to under $defs'],
      [{ $ref: 'other.json#/x' }, 'leaves the schema; copy what it refers to under $defs'],
      [{ $ref: '#/$defs/x' }, 'leads to nothing'],
      [{ $ref: '#gone' }, 'leads to nothing'],
      [{ $ref: '#/%E0%A4%A' }, 'leads to nothing'],
      [{ $ref: '#/constructor' }, 'leads to nothing'],
      [{ $ref: '#/title', title: 'x' }, 'leads to something that is no schema'],
    ])('refuses %j', (schema, reason) => {
      expect(messagesOf(schema)).toEqual([`/$ref: $ref ${JSON.stringify(schema.$ref)} ${reason}`])
    })

    it('reads what a reference finds where no schema was expected', () => {
      const schema = { 'x-types': { t: { type: 'nonsense' } }, properties: { a: { $ref: '#/x-types/t' } } }
      expect(faultsOf(schema).map(({ path }) => path)).toEqual(['/x-types/t/type'])
    })

    it('refuses an $id or an anchor that is used twice, but not the same property name', () => {
      expect(messagesOf({ $defs: { a: { $id: 'urn:t' }, b: { $id: 'urn:t' } } })).toEqual([
        '/$defs/b/$id: $id "urn:t" is used twice',
      ])
      expect(messagesOf({ $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } })).toEqual([
        '/$defs/b/$anchor: the anchor "x" is used twice',
      ])
      expect(
        faultsOf({ properties: { $id: { type: 'string' }, $ref: { type: 'string' }, $async: {} } }),
      ).toEqual([])
    })

    it('takes the location-like $ids that draft-07 generators write', () => {
      const schema = {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $id: 'http://example.test/root.json',
        properties: { a: { $id: '#/properties/a', type: 'string' }, b: { $id: '#b' }, c: { $ref: '#b' } },
      }
      expect(messagesOf(schema)).toEqual([])
    })
  })

  it.each<[Loose, string]>([
    [{ $async: true }, '/$async: $async is not taken: validation is synchronous'],
    [
      { properties: { a: { $async: false } } },
      '/properties/a/$async: $async is not taken: validation is synchronous',
    ],
    [JSON.parse('{"properties":{"__proto__":{}}}'), '/properties/__proto__: no name may be "__proto__"'],
    [JSON.parse('{"default":{"__proto__":{}}}'), '/default/__proto__: no name may be "__proto__"'],
    [JSON.parse('{"__proto__":{}}'), '/__proto__: no name may be "__proto__"'],
    [
      JSON.parse('{"dependencies":{"__proto__":["a"],"b":{}}}'),
      '/dependencies/__proto__: no name may be "__proto__"',
    ],
    [
      { dependencies: { a: ['b', 'b'] } },
      '/dependencies: dependencies must map property names to schemas, or to lists of different property names',
    ],
  ])('refuses %j', (schema, message) => {
    expect(messagesOf(schema)).toEqual([message])
  })

  it('names a pattern that it cannot use, wherever it stands', () => {
    const schema = {
      properties: { a: { pattern: '(?i)x' }, b: { pattern: '(a)\\1' } },
      patternProperties: { '(': {} },
      propertyNames: { pattern: 'x{3000}' },
    }
    expect(messagesOf(schema)).toEqual([
      '/properties/a/pattern: the pattern "(?i)x" cannot be used: it is not a regular expression of JavaScript (ECMA-262)',
      '/properties/b/pattern: the pattern "(a)\\\\1" cannot be used: it refers back to a group, which cannot be checked in bounded time; spell the alternatives out',
      '/patternProperties/(: the pattern "(" cannot be used: it is not a regular expression of JavaScript (ECMA-262)',
      '/propertyNames/pattern: the pattern "x{3000}" cannot be used: it needs more than 2000 states; use smaller repetition counts or maxLength',
    ])
  })

  it('takes vendor keywords and unknown formats as annotations, whatever stands in them', () => {
    const schema = {
      'x-order': { type: 5, $ref: 'nowhere' },
      nullable: 'yes',
      id: 1,
      format: 'iban',
      properties: { a: { example: {} } },
    }
    expect(faultsOf(schema)).toEqual([])
  })
})
