import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createSafePattern,
  MAX_PATTERN_LENGTH,
  PatternError,
} from '../../../../src/runtime/schema/pattern/safe-pattern.js'

const construct = (source: string) => {
  try {
    return new RegExp(source, 'u')
  } catch {
    return new RegExp(source)
  }
}

const isNative = (source: string) => createSafePattern(source).isNative

const ORDINARY = [
  '',
  '^$',
  '^[a-z]+$',
  '^https\\:\\/\\/',
  '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '[\\w-.]+@[\\w-]+',
  '^(?:foo|foobar)$',
  'a.c',
  '^.{1,3}$',
  '\\bcat\\b',
  'a\\Bb',
  '^\\p{L}+$',
  '^\\P{L}+$',
  '[\\p{Script=Han}a-c]+',
  '^\\u{1F600}$',
  '[\\u{1F600}-\\u{1F64F}]',
  '\\uD83D\\uDE00',
  '^[^a]$',
  '[^]',
  '[]',
  '^\\s*\\S+\\s*$',
  'a{2,3}b',
  'a{2,}?b',
  'x{,5}',
  'a{',
  '(a|b)*c',
  '(?<year>\\d\\d)-(?<month>\\d)',
  '\\x41\\cA?',
  '\\07|\\8',
  '[\\b]',
  '\\t|\\n|\\v|\\f|\\r',
  '\\-?\\c',
  '\\-?\\c1',
  '\\-?\\k',
  '\\-?\\p{2}',
  '\\-?\\u{2}',
  '\\-?\\1',
  '^(?=.*[A-Z])(?=.*\\d).{3,}$',
  '^(?!-)[a-z-]+(?<!-)$',
  '(?<=a)b(?!c)',
  'a(?=b(?!c))',
  '(?=a)*b',
  '(a?)*b',
  '(?:a|a?)+$',
  '^(?:a*)*$',
  '[\\s\\S]-[\\d\\D]',
  '[^\\s]+-$',
  'b$|^a',
]

const CHARS = [...'aabbckpuuxAZ059 -_.@:/\n\t\r\u2028\u00a0é中{},<>\\^', '\x01', '\x07', '\b']
const text = fc.string({ unit: fc.constantFrom(...CHARS, '😀', '\ud83d'), maxLength: 12 })
// V8 also tries a look-behind between the halves of a surrogate pair, which ECMA-262 does not.
const plainText = fc.string({ unit: fc.constantFrom(...CHARS), maxLength: 12 })

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '\\w',
  '\\s',
  '[ab]',
  '[^a]',
  '\\b',
  '^',
  '$',
  '\\d',
  '-',
  '[^\\s]',
  '[a-c-]',
)
const pattern = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc.tuple(tie('node'), tie('node')).map(([left, right]) => left + right),
    fc.tuple(tie('node'), tie('node')).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?'))
      .map(([body, times]) => `(?:${body})${times}`),
    fc
      .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('node'))
      .map(([open, body]) => `${open}${body})`),
  ),
})).node

describe('createSafePattern', () => {
  it.each(ORDINARY)('agrees with RegExp on %j', (source) => {
    const safe = createSafePattern(source)
    const native = construct(source)
    fc.assert(
      fc.property(text, (value) => safe.test(value) === native.test(value)),
      { numRuns: 300 },
    )
  })

  it('agrees with RegExp on generated patterns, look-around included', () => {
    fc.assert(
      fc.property(pattern, fc.array(plainText, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const safe = createSafePattern(source)
        const native = new RegExp(source, 'u')
        return texts.every((value) => safe.test(value) === native.test(value))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['^(a+)+$', false],
    ['(a|a)*b', false],
    ['(.*a){20}', true],
    ['\\s*\\s*\\s*x', false],
    ['(a|aa)+$', false],
    ['^(\\w+\\s?)+$', false],
    ['(a*)*b', false],
    ['^(?:a?){30}a{30}$', false],
    ['^(?=(a+)+$)', false],
    ['(?<=(a+)+)b', false],
    ['(x+x+)+y', false],
    ['a+b', false],
    ['^[^\\s]+-$', false],
  ])('does not run the ambiguous pattern %j natively, and answers on a long text', (source, matches) => {
    expect(isNative(source)).toBe(false)
    expect(createSafePattern(source).test(`${'a'.repeat(20_000)}!`)).toBe(matches)
  })

  it.each([
    '^[a-z]+$',
    '^\\d{4}-\\d{2}$',
    '^[A-Z]{2}\\d+$',
    'abc',
    '^(?:get|set)_[a-z]+$',
    '^[a-z]{0,4096}$',
  ])('runs the decided pattern %j natively', (source) => {
    expect(isNative(source)).toBe(true)
  })

  it('takes patterns that are legal only without the u flag', () => {
    const safe = createSafePattern('^https\\:\\/\\/')
    expect([safe.test('https://example.test'), safe.test('ftp://x')]).toEqual([true, false])
  })

  it.each(['(?:){1000000000}', '(?:(?:(?:(?:(?:(?:){64}){64}){64}){64}){64}){64}'])(
    'reads the repeated nothing %j in no time',
    (source) => {
      expect(createSafePattern(source).test('a')).toBe(true)
    },
  )

  it.each([
    ['(?i)x', /not a regular expression/],
    ['(', /not a regular expression/],
    ['(a)\\1', /refers back to a group/],
    ['(?<n>a)\\k<n>', /refers back to a group/],
    ['(?:.*,){1000}(?:.*,){1000}(?:.*,){1000}', /more than 2000 states/],
    ['a'.repeat(MAX_PATTERN_LENGTH + 1), /longer than 2000 characters/],
  ])('refuses %.40s', (source, reason) => {
    expect(() => createSafePattern(source)).toThrow(PatternError)
    expect(() => createSafePattern(source)).toThrow(reason)
  })

  it.each([
    ['^(?:[a-z]|[a-y]z?)+$', 20],
    ['(a|b|ab)+c', 30],
    ['^(?=.*[A-Z])(?=.*\\d).{3,}$', 20],
    ['^[a-z]+$', 1],
    ['[a-z]{2}\\d', 1],
  ])('takes steps for %s as the text grows, and no answer once they are refused', (source, perCharacter) => {
    let steps = 0
    let limit = Number.POSITIVE_INFINITY
    const safe = createSafePattern(source, (taken) => {
      steps += taken
      if (steps > limit) throw new Error('spent')
    })
    safe.test('a'.repeat(10_000))
    expect(steps).toBeGreaterThan(1_000)
    expect(steps).toBeLessThan(10_000 * perCharacter + 100)
    limit = 1_000
    expect(() => safe.test('a'.repeat(10_000))).toThrow('spent')
  })

  it('looks at a pattern for a bounded time to see how it may run', () => {
    const characters = Array.from({ length: 900 }, (_, i) => String.fromCharCode(0x4e00 + i))
    expect(isNative(`^(?:${characters.join('|')})*$`)).toBe(true)
    expect(isNative(`^(?:${characters.map((character) => `${character}?`).join('')})*$`)).toBe(false)
  })

  it('gives different patterns different texts, by which Ajv tells them apart', () => {
    const texts = ['(a|a)*b', '(a|a)*c', '^a$'].map((source) => String(createSafePattern(source)))
    expect(texts).toEqual(['/(a|a)*b/u', '/(a|a)*c/u', '/^a$/u'])
  })
})
