import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { asking, echo, echoOf } from './arguments-fixture.js'

const schema = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    x: { type: 'number' },
    b: { type: 'boolean' },
    s: { type: 'string' },
    list: { type: 'array', items: { type: 'integer' } },
    opt: { type: 'object', properties: { n: { type: 'integer' }, deep: { type: 'array' } } },
    either: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
    textOrList: { type: ['string', 'array'] },
    nullable: { type: ['integer', 'null'] },
  },
}

describe('coercion', () => {
  it.each([
    [{ n: '5' }, { n: 5 }],
    [{ n: '-12' }, { n: -12 }],
    [{ n: '5.0' }, { n: 5 }],
    [{ x: '0.50' }, { x: 0.5 }],
    [{ x: '-0.1' }, { x: -0.1 }],
    [
      { b: 'true', s: 7 },
      { b: true, s: '7' },
    ],
    [{ list: ['1', 2, '3'] }, { list: [1, 2, 3] }],
    [{ either: '3' }, { either: 3 }],
    [{ either: 'false' }, { either: false }],
    [{ nullable: '3' }, { nullable: 3 }],
    [{ opt: { n: '1' } }, { opt: { n: 1 } }],
  ])('turns %j into %j', async (input, expected) => {
    const { seen } = await asking(echoOf(schema))
    expect(await seen(input)).toEqual(expected)
  })

  it.each([
    [{ n: '007' }, '"n" must be an integer (got "007")'],
    [{ n: '5.5' }, '"n" must be an integer (got "5.5")'],
    [{ x: '1.0000000000000000001' }, '"x" must be a number (got "1.0000000000000000001")'],
    [{ x: '-0.0' }, '"x" must be a number (got "-0.0")'],
    [{ x: '.5' }, '"x" must be a number (got ".5")'],
    [{ b: 'True' }, '"b" must be true or false (got "True")'],
    [{ b: 1 }, '"b" must be true or false (got 1)'],
    [{ s: true }, '"s" must be a string (got true)'],
    [{ s: 1.5 }, '"s" must be a string (got 1.5)'],
    [{ s: 1e21 }, '"s" must be a string (got 1e+21)'],
    [{ list: 1 }, '"list" must be an array (got 1)'],
    [{ nullable: 'null' }, '"nullable" must be an integer or null (got "null")'],
    [
      { n: '9007199254740993' },
      '"n" must be an integer (got "9007199254740993", outside the safe range of integers, -9007199254740991 to 9007199254740991)',
    ],
    [
      { either: '-9007199254740993' },
      '"either" must match one of the allowed forms: an integer; true or false (got "-9007199254740993", outside the safe range of integers, -9007199254740991 to 9007199254740991)',
    ],
  ])('refuses %j', async (input, message) => {
    const { issues } = await asking(echoOf(schema))
    expect(await issues(input)).toEqual([message])
  })

  it('tells of a constraint that the converted value breaks, and nothing of its type', async () => {
    const { issues } = await asking(
      echoOf({ type: 'object', properties: { n: { type: 'integer', maximum: 7 } } }),
    )
    expect(await issues({ n: '9' })).toEqual(['"n" must be <= 7 (got 9)'])
  })

  it('leaves a value that a union accepts, also while another argument is converted', async () => {
    const union = { anyOf: [{ type: 'integer' }, { type: 'string' }] }
    const { seen } = await asking(
      echoOf({
        type: 'object',
        properties: { u: union, list: { type: 'array', items: union }, n: { type: 'integer' } },
      }),
    )
    expect(await seen({ u: '5', list: ['1', 1], n: '5' })).toEqual({ u: '5', list: ['1', 1], n: 5 })
  })

  it('converts what the branch wants that a tag names, and puts back what helps no branch', async () => {
    const branch = (kind: string, type: string) => ({
      type: 'object',
      properties: { kind: { const: kind }, v: { type } },
      required: ['kind', 'v'],
    })
    const { seen, issues } = await asking(
      echoOf({
        type: 'object',
        properties: { o: { oneOf: [branch('a', 'integer'), branch('b', 'boolean')] } },
      }),
    )
    expect(await seen({ o: { kind: 'a', v: '1' } })).toEqual({ o: { kind: 'a', v: 1 } })
    expect(await seen({ o: { kind: 'b', v: 'true' } })).toEqual({ o: { kind: 'b', v: true } })
    expect(await issues({ o: { kind: 'a', v: 'true' } })).toEqual(['"o.v" must be an integer (got "true")'])
  })

  it.each([
    ['5.0', 'integer', 'string'],
    ['5', 'integer', ['string', 'integer']],
    ['{"x":1}', 'object', ['string', 'object']],
  ])(
    'leaves %j for the branch that takes it, though another wants %s and the branch converts something else',
    async (v, other, own) => {
      const branch = (kind: string, properties: object) => ({
        type: 'object',
        properties: { kind: { const: kind }, ...properties },
        required: ['kind'],
      })
      const branches = [
        branch('a', { v: { type: other } }),
        branch('b', { v: { type: own }, w: { type: 'integer' } }),
      ]
      const { seen } = await asking(
        echoOf({ type: 'object', properties: { o: { oneOf: branches } } } as object),
      )
      expect(await seen({ o: { kind: 'b', v, w: '7' } })).toEqual({ o: { kind: 'b', v, w: 7 } })
      const asText = JSON.stringify({ kind: 'b', v, w: '7' })
      expect(await seen({ o: asText })).toEqual({ o: { kind: 'b', v, w: 7 } })
    },
  )

  it('leaves what no branch needs to be another: of two that could be meant, the one that takes more as it is', async () => {
    const branches = [
      { properties: { v: { type: 'integer' }, w: { type: 'integer' } } },
      { properties: { v: { type: 'string' }, w: { type: 'integer' } } },
    ]
    const list = { type: 'array', items: { type: 'object', anyOf: branches } }
    const { seen } = await asking(echoOf({ type: 'object', properties: { list } } as object))
    expect(await seen({ list: [{ v: '5', w: '7' }, { v: 5, w: '7' }, { w: '1' }] })).toEqual({
      list: [{ v: '5', w: 7 }, { v: 5, w: 7 }, { w: 1 }],
    })
  })

  it('puts a text back as it was sent when its number is wanted as text after all', async () => {
    const { seen } = await asking(
      echoOf({
        type: 'object',
        properties: { w: { type: 'integer' } },
        if: { properties: { w: { type: 'integer' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { properties: { v: { type: 'string' } } },
        else: { properties: { v: { type: 'integer' } } },
      }),
    )
    expect(await seen({ v: '5.0', w: '7' })).toEqual({ v: '5.0', w: 7 })
  })

  it('converts nothing for `contains`, whose form not every item has', async () => {
    const { issues } = await asking(
      echoOf({ type: 'object', properties: { list: { type: 'array', contains: { type: 'integer' } } } }),
    )
    expect(await issues({ list: ['1', 'a'] })).toEqual([
      '"list" must contain at least 1 item of the required form (got a list of 2)',
    ])
  })

  it('works for a schema library, which gets the converted arguments, and says why a large integer is refused', async () => {
    const { seen, issues } = await asking(
      echoOf(z.object({ n: z.int(), s: z.string().optional(), o: z.object({ b: z.boolean() }).optional() })),
    )
    expect(await seen({ n: '5', s: 7, o: '{"b":"true"}' })).toEqual({ n: 5, s: '7', o: { b: true } })
    expect(await issues({ n: 'x' })).toEqual(['"n": Invalid input: expected number, received string'])
    expect(await issues({ n: '9007199254740993' })).toEqual([
      '"n": Invalid input: expected number, received string (the text is outside the safe range of integers, -9007199254740991 to 9007199254740991)',
    ])
  })
})

describe('repair', () => {
  it.each([
    [{ list: '[1,2]' }, { list: [1, 2] }],
    [{ list: ' ["1", 2] ' }, { list: [1, 2] }],
    [{ opt: '{"n":"1","deep":"[{}]"}' }, { opt: { n: 1, deep: [{}] } }],
    [
      { list: ['1'], opt: '{}' },
      { list: [1], opt: {} },
    ],
    [{ textOrList: '[1]' }, { textOrList: '[1]' }],
    [
      { textOrList: '[1]', n: '1' },
      { textOrList: '[1]', n: 1 },
    ],
  ])('turns %j into %j', async (input, expected) => {
    const { seen } = await asking(echoOf(schema))
    expect(await seen(input)).toEqual(expected)
  })

  it.each([
    [{ list: '[1,' }, '"list" must be an array (got "[1,")'],
    [{ list: '{}' }, '"list" must be an array (got "{}")'],
    [{ list: '1,2' }, '"list" must be an array (got "1,2")'],
    [{ list: 'null' }, '"list" must be an array (got "null")'],
    [{ list: '[12345678901234567]' }, '"list" must be an array (got "[12345678901234567]")'],
    [{ list: `${'['.repeat(300)}${']'.repeat(300)}` }, `"list" must be an array (got "${'['.repeat(60)}…")`],
  ])('leaves %j', async (input, message) => {
    const { issues } = await asking(echoOf(schema))
    expect(await issues(input)).toEqual([message])
  })

  it('reads a number within a text of the JSON as text', async () => {
    const { seen } = await asking(echoOf(schema))
    expect(await seen({ opt: '{"id":"12345678901234567","q":"\\"1 [12345678901234567"}' })).toEqual({
      opt: { id: '12345678901234567', q: '"1 [12345678901234567' },
    })
  })

  it('reads a text of many megabytes, whatever its strings are full of', async () => {
    const sizes = echo(schema)
      .executor(({ args }) =>
        Object.entries(args.opt ?? {}).map(([name, text]) => [name, String(text).length]),
      )
      .build()
    const { seen } = await asking(sizes)
    const opt = { q: 'x'.repeat(20_000_000), quotes: '"\\'.repeat(1_000_000) }
    expect(await seen({ opt: JSON.stringify(opt) })).toEqual([
      ['q', 20_000_000],
      ['quotes', 2_000_000],
    ])
  })

  it('keeps a member called __proto__ a member', async () => {
    const { seen } = await asking(echoOf(schema))
    const value = (await seen({ opt: '{"__proto__":{"admin":true}}' })) as { opt: object }
    expect(Object.keys(value.opt)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value.opt)).toBe(Object.prototype)
  })
})
