import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UriTemplate } from '../../src/registry/uri-template.js'
import { MalformedUriError, UriTemplateError } from '../../src/registry/uri-template-error.js'

/** What a template reads in a URI. */
function read(template: string, uri: string) {
  return UriTemplate.parse(template).match(uri)
}

describe('UriTemplate.match', () => {
  it.each([
    ['docs://{name}', 'docs://readme', { name: 'readme' }],
    ['test://template/{id}/data', 'test://template/42/data', { id: '42' }],
    ['a://{x}/{y}', 'a://1/2', { x: '1', y: '2' }],
    ['a://{user}@{host}', 'a://me:1@there', { user: 'me:1', host: 'there' }],
    ['a://文档/{name}', 'a://文档/ü', { name: 'ü' }],
    ['a://list?id={id}&v={v}', 'a://list?id=1&v=2', { id: '1', v: '2' }],
    ['static://x', 'static://x', {}],
  ])('of %s reads %s', (template, uri, values) => {
    expect(read(template, uri)).toEqual(values)
  })

  it.each([
    ['docs://{name}', 'docs://'],
    ['docs://{name}', 'docs://a/b'],
    ['docs://{name}', 'docs://a?b'],
    ['docs://{name}', 'docs://a#b'],
    ['docs://{name}', 'xdocs://a'],
    ['docs://{name}', 'DOCS://a'],
    ['docs://{name}.txt', 'docs://a.txt2'],
    ['docs://{name}.txt', 'docs://.txt'],
    ['docs://{name}', ''],
    ['a://{+path}', 'a://x?y'],
    ['a://{+path}', 'a://x#y'],
    ['a://list?id={id}&v={v}', 'a://list?id=1&v=2&v=3'],
    ['static://x', 'static://xy'],
  ])('of %s refuses %s', (template, uri) => {
    expect(read(template, uri)).toBeUndefined()
  })

  it('lets {+path} hold slashes, and the last segment be another variable', () => {
    expect(read('file:///{+path}', 'file:///a/b/c.txt')).toEqual({ path: 'a/b/c.txt' })
    expect(read('file:///{+folder}/{file}', 'file:///a/b/c.txt')).toEqual({ folder: 'a/b', file: 'c.txt' })
    expect(read('git://{+path}/at/{commit}', 'git://at/at/at/at/x')).toEqual({
      path: 'at/at/at',
      commit: 'x',
    })
  })

  it('gives the earlier variable as much as it can, where there is a choice', () => {
    expect(read('a://{name}.{type}', 'a://x.tar.gz')).toEqual({ name: 'x.tar', type: 'gz' })
    expect(read('a://{a}-{b}-{c}', 'a://1-2-3-4')).toEqual({ a: '1-2', b: '3', c: '4' })
  })

  it('reads the query in any order, each part of it optional', () => {
    const template = 'docs://{name}{?page,lang}'
    expect(read(template, 'docs://x')).toEqual({ name: 'x' })
    expect(read(template, 'docs://x?')).toEqual({ name: 'x' })
    expect(read(template, 'docs://x?page=2')).toEqual({ name: 'x', page: '2' })
    expect(read(template, 'docs://x?lang=de&page=2')).toEqual({ name: 'x', page: '2', lang: 'de' })
    expect(read(template, 'docs://x?lang=&page=1=1')).toEqual({ name: 'x', page: '1=1', lang: '' })
    expect(read(template, 'docs://x?lang')).toEqual({ name: 'x', lang: '' })
  })

  it('refuses a query with a name that is unknown or comes twice', () => {
    const template = 'docs://{name}{?page}'
    const others = [
      'x?pages=1',
      'x?page=1&page=2',
      'x?page=1&',
      'x?Page=1',
      'x?page=1#top',
      'x?page=1&toString=1',
    ]
    expect(others.map((rest) => read(template, `docs://${rest}`))).toEqual(others.map(() => undefined))
  })

  it('decodes values exactly once, as UTF-8 (BRG-13)', () => {
    expect(read('docs://{name}', 'docs://My%20File.txt')).toEqual({ name: 'My File.txt' })
    expect(read('docs://{name}', 'docs://%C3%BC')).toEqual({ name: 'ü' })
    expect(read('docs://{name}', 'docs://%2520')).toEqual({ name: '%20' })
    expect(read('docs://{name}{?q}', 'docs://a+b?q=%26+%3D')).toEqual({ name: 'a+b', q: '&+=' })
  })

  it('decodes after the match, so that an encoded slash is data', () => {
    expect(read('docs://{name}', 'docs://..%2Fsecret%00')).toEqual({ name: '../secret\0' })
    expect(read('a://{x}/{y}', 'a://1%2F2/3')).toEqual({ x: '1/2', y: '3' })
  })

  it.each(['50%', '%4', '%zz', '%FF', '%C0%AF', '%ED%A0%80', '\ud800'])(
    'throws for the broken value %j',
    (value) => {
      expect(() => read('docs://{name}', `docs://${value}`)).toThrow(MalformedUriError)
      expect(() => read('docs://x{?name}', `docs://x?name=${value}`)).toThrow(MalformedUriError)
      expect(read('other://{name}', `docs://${value}`)).toBeUndefined()
    },
  )

  it('says which URI is malformed and why', () => {
    const error = thrownBy(() => read('docs://{name}', 'docs://50%'))
    expect(error).toBeInstanceOf(URIError)
    expect(error).toMatchObject({
      name: 'MalformedUriError',
      uri: 'docs://50%',
      message: 'URI "docs://50%" has a broken escape: % begins an escape of UTF-8 (%25 stands for % itself)',
    })
  })

  it('reads URIs of up to 8192 characters', () => {
    const fits = 'x'.repeat(8192 - 'docs://'.length)
    expect(read('docs://{name}', `docs://${fits}`)).toEqual({ name: fits })
    expect(() => read('docs://{name}', `docs://${fits}x`)).toThrow('is longer than 8192 characters')
  })

  it('gives frozen values, whatever their names', () => {
    const values = read('a://{__proto__}/{toString}', 'a://x/y')
    expect(Object.entries(values ?? {})).toEqual([
      ['__proto__', 'x'],
      ['toString', 'y'],
    ])
    expect(values).toSatisfy(Object.isFrozen)
  })

  it('reads what a greedy regular expression would', () => {
    const template = UriTemplate.parse('a:{x}-{+y}/{z}')
    const model = /^a:(?<x>[^/?#]+)-(?<y>[^?#]+)\/(?<z>[^/?#]+)$/
    const text = fc.array(fc.constantFrom('a', 'b', '-', '/', '?', '#'), { maxLength: 12 })
    fc.assert(
      fc.property(text, (characters) => {
        const uri = `a:${characters.join('')}`
        expect(template.match(uri)).toEqual(model.exec(uri)?.groups)
      }),
      { numRuns: 1000 },
    )
  })

  it('asks for each place once, however many ways there seem to be', () => {
    // Tried one way after the other this would take 2^30 steps and more: the test would not end.
    const names = Array.from({ length: 31 }, (_, index) => `{+v${index}}`)
    expect(read(`a://${names.join('a')}b`, `a://${'a'.repeat(8000)}`)).toBeUndefined()
  })
})

describe('UriTemplate.expand', () => {
  it('encodes what a value may not hold as it is', () => {
    const template = UriTemplate.parse('a://{name}/{+path}{?q,r}')
    expect(template.expand({ name: "a/b c?ü!'(~", path: 'x/ÿ?#&', r: '&=' })).toBe(
      'a://a%2Fb%20c%3F%C3%BC%21%27%28~/x/%C3%BF%3F%23&?r=%26%3D',
    )
    expect(template.expand({ name: '50%', path: '%41' })).toBe('a://50%25/%2541')
  })

  it.each([
    [{}, 'the value of "name" is missing'],
    [{ name: '' }, 'the value of "name" must not be empty'],
    [{ name: 1 }, 'the value of "name" must be a string (got 1)'],
    [{ name: '\ud800' }, 'the value of "name" holds half a character'],
    [{ name: 'x', toString: 'y' }, '"toString" is none of its variables, which are: name, page'],
  ])('refuses %j', (values, reason) => {
    const template: UriTemplate = UriTemplate.parse('docs://{name}{?page}')
    expect(() => template.expand(values as Record<string, string>)).toThrow(
      new TypeError(`URI template "docs://{name}{?page}" cannot be expanded: ${reason}`),
    )
  })

  it('is what match reads back', () => {
    const segment = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((text) => !/\p{Surrogate}/u.test(text))
    const path = segment.filter(
      (text) => !text.includes('/at/') && !text.startsWith('at/') && !text.endsWith('/at'),
    )
    const template = UriTemplate.parse('docs://{name}/{+path}/at/{id}.txt{?q,r}')
    fc.assert(
      fc.property(
        fc.record(
          { name: segment, path, id: segment, q: fc.string(), r: fc.string() },
          { requiredKeys: ['name', 'path', 'id'] },
        ),
        (values) => {
          expect(template.match(template.expand(values))).toEqual(values)
        },
      ),
    )
  })
})

describe('UriTemplate.parse', () => {
  it('tells the variables, in order', () => {
    expect(UriTemplate.parse('a://{x}/{+y.z}{?p,q}').variables).toEqual([
      { name: 'x', required: true },
      { name: 'y.z', required: true },
      { name: 'p', required: false },
      { name: 'q', required: false },
    ])
  })

  it.each([
    ['docs://{name', 7, '"{" is not closed'],
    ['docs://{na{me}', 7, '"{" is not closed'],
    ['docs://name}', 11, '"}" closes nothing'],
    ['docs://{}', 7, 'a variable is named with A-Z a-z 0-9 _ and dots, without modifiers (got "")'],
    [
      'docs://{my name}',
      7,
      'a variable is named with A-Z a-z 0-9 _ and dots, without modifiers (got "my name")',
    ],
    ['docs://{name*}', 7, 'a variable is named with A-Z a-z 0-9 _ and dots, without modifiers (got "name*")'],
    [
      'docs://{name:3}',
      7,
      'a variable is named with A-Z a-z 0-9 _ and dots, without modifiers (got "name:3")',
    ],
    ['docs://{#name}', 7, 'operator "#" is not known; use {name}, {+path} or {?a,b}'],
    ['docs://x{&name}', 8, 'operator "&" is not known; use {name}, {+path} or {?a,b}'],
    ['docs://{a}/{a}', 11, 'variable "a" is there twice'],
    ['docs://{a}{?b,a}', 10, 'variable "a" is there twice'],
    ['docs://{a,b}', 7, 'one variable at a time, such as {a}/{b}'],
    [
      'docs://{a}{+b}',
      10,
      'a variable cannot follow another without text between them: nobody could tell where one ends',
    ],
    ['docs://{?a}/b', 11, 'nothing may follow {?…}, which takes the rest of the URI'],
    [
      'docs://x?y=1{?a}',
      12,
      '{?…} begins the query, and "?" or "#" stands before it; write it in place of that',
    ],
    ['docs://my file/{a}', 9, '" " must be percent-encoded'],
    ['docs://50%/{a}', 9, '"%" must be percent-encoded'],
  ])('refuses %s', (text, position, reason) => {
    const error = thrownBy(() => UriTemplate.parse(text))
    expect(error).toBeInstanceOf(UriTemplateError)
    expect(error).toMatchObject({ position, reason })
    expect(error).toHaveProperty(
      'message',
      `URI template ${JSON.stringify(text)} is wrong at character ${position}: ${reason}`,
    )
  })

  it('refuses what is no string, too long, or has too many variables', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `{v${index}}`).join('/')
    expect(UriTemplate.parse(many(32)).variables).toHaveLength(32)
    expect(() => UriTemplate.parse(many(33))).toThrow('there are more than 32 variables')
    expect(() => UriTemplate.parse('x'.repeat(2049))).toThrow('it is longer than 2048 characters')
    // @ts-expect-error A template is a text.
    expect(() => UriTemplate.parse(1)).toThrow('it must be a string (got 1)')
  })
})

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown')
}
