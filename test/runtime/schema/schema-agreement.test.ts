import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SchemaValidator } from '../../../src/runtime/schema/schema-validator.js'
import { compile, type Loose } from './schema-fixture.js'

// Left out: `$dynamicRef`, which Ajv takes for the root while its anchor has not been met, and `unevaluated…`, where `if` and `not`
// make it generate code that throws.
it('accepts what Ajv itself accepts', () => {
  const leaf = fc.constantFrom<Loose>(
    ...[
      true,
      false,
      {},
      { type: 'integer' },
      { type: ['string', 'null'] },
      { const: 1 },
      { enum: ['x', [1]] },
      { minimum: 1 },
    ],
    ...[
      { required: ['a'] },
      { pattern: '^x' },
      { minItems: 1 },
      { uniqueItems: true },
      { maxProperties: 1 },
      { minLength: 1 },
    ],
    ...[{ $ref: '#/$defs/d' }, { $ref: '#n' }, { dependentRequired: { a: ['b'] } }],
  )
  const { node } = fc.letrec<{ node: Loose }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc
        .tuple(tie('node'), tie('node'))
        .map(([a, b]) => ({ properties: { a, b }, additionalProperties: false })),
      fc.tuple(tie('node'), tie('node')).map(([a, items]) => ({ prefixItems: [a], items })),
      fc
        .tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf'), tie('node'), tie('node'))
        .map(([k, a, b]) => ({ [k]: [a, b] })),
      fc.tuple(tie('node'), tie('node')).map(([a, b]) => ({ ...b, not: a, minItems: 1 })),
      fc
        .tuple(tie('node'), tie('node'), tie('node'))
        .map(([a, b, c]) => ({ if: a, [String('then')]: b, else: c })),
      fc.tuple(tie('node'), tie('node')).map(([a, b]) => ({
        patternProperties: { '^a': a },
        contains: b,
        propertyNames: { maxLength: 1 },
      })),
    ),
  }))
  // Ajv throws on objects without a prototype.
  const near = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(0, 1, 2, 'x', 'xy', '', null, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'ab'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).value
  fc.assert(
    fc.property(node, node, fc.array(near, { minLength: 8, maxLength: 8 }), (root, definition, values) => {
      const schema = {
        properties: { a: root },
        anyOf: [root, true],
        $defs: { d: definition, n: { $anchor: 'n', type: 'string' } },
      }
      fc.pre(new SchemaValidator().check(schema).length === 0)
      const ajv = new Ajv2020({ strict: false, logger: false, meta: false, validateSchema: false })
      // Nothing here asks what was evaluated, and counting it is where Ajv generates such code.
      ajv.opts.unevaluated = false
      const theirs = ajv.compile(schema)
      const ours = compile(schema)
      for (const given of values) {
        for (const sent of [given, { a: given }])
          expect([ours(sent).length === 0, schema, sent]).toEqual([theirs(sent), schema, sent])
      }
    }),
    { numRuns: 60 },
  )
})
