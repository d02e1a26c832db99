import { describe, expect, it } from 'vitest'
import { redact } from '../../src/interceptors/redaction.js'
import { ToolExecutionError, UpstreamError } from '../../src/registry/tool-error.js'

describe('secret names', () => {
  it.each([
    'password',
    'Passwd',
    'dbPassword',
    'DB_PASSWORD',
    'password2',
    'client_secret',
    'secretKey',
    'token',
    'accessToken',
    'access_token',
    'refresh_token',
    'GITHUB_TOKEN',
    'apiKey',
    'api_key',
    'x-api-key',
    'X-Api-Key',
    'Authorization',
    'Cookie',
    'set-cookie',
    'private_key',
    'aws.credentials',
    'X-Amz-Signature',
  ])('hides the value of %s', (name) => {
    expect(redact({ [name]: 'SENTINEL' })).toEqual({ [name]: '[redacted]' })
  })

  it.each(['secretary', 'authorName', 'tokenizer', 'keyboard', 'config', 'city'])(
    'shows the value of %s',
    (name) => {
      expect(redact({ [name]: 'Oslo' })).toEqual({ [name]: 'Oslo' })
    },
  )

  it('hides whole objects and lists, at any depth', () => {
    expect(redact({ a: [{ credentials: { user: 'ada', value: 'x' } }], cookies: ['a=1'] })).toEqual({
      a: [{ credentials: '[redacted]' }],
      cookies: '[redacted]',
    })
  })

  it('hides numbers, and shows what tells nothing: null, undefined, booleans, counts of tokens', () => {
    const value = { secret: 42, password: null, token: undefined, auth: true, maxTokens: 500, tokens: ['x'] }
    expect(redact(value)).toEqual({ ...value, secret: '[redacted]', tokens: '[redacted]' })
  })

  it('takes more names, as a whole and in any spelling', () => {
    expect(redact({ PIN_CODE: '1', pinCodeLength: 4 }, { names: ['pinCode'] })).toEqual({
      PIN_CODE: '[redacted]',
      pinCodeLength: 4,
    })
  })

  it('refuses a name that is none', () => {
    expect(() => redact({}, { names: ['-'] })).toThrow(
      new TypeError('redact.names must be names of members (got "-")'),
    )
  })
})

describe('secret paths', () => {
  it('hides what a JSON Pointer leads to, and `*` is any member or item', () => {
    const value = {
      card: { number: '42', 'a/b': 1 },
      items: [
        { pin: 1, n: 1 },
        { pin: 2, n: 2 },
      ],
    }
    expect(redact(value, { paths: ['/card/number', '/card/a~1b', '/items/*/pin'] })).toEqual({
      card: { number: '[redacted]', 'a/b': '[redacted]' },
      items: [
        { pin: '[redacted]', n: 1 },
        { pin: '[redacted]', n: 2 },
      ],
    })
  })

  it('hides nothing but that place', () => {
    expect(redact({ number: 1, card: { number: 2, x: { number: 3 } } }, { paths: ['/card/number'] })).toEqual(
      {
        number: 1,
        card: { number: '[redacted]', x: { number: 3 } },
      },
    )
  })

  it('hides everything under the empty pointer', () => {
    expect(redact({ a: 1 }, { paths: [''] })).toBe('[redacted]')
  })

  it('refuses what is no pointer', () => {
    expect(() => redact({}, { paths: ['card.number'] })).toThrow(
      new TypeError(
        'redact.paths must be JSON Pointers such as "/card/number" or "/items/*/pin" (got "card.number")',
      ),
    )
  })
})

describe('secrets inside a text', () => {
  it.each([
    ['sent Bearer abc.def to it', 'sent Bearer [redacted] to it'],
    ['Authorization: Bearer SENTINEL', 'Authorization: [redacted]'],
    ['authorization: Basic YTpi', 'authorization: [redacted]'],
    ['used Basic YWRhOnNlY3JldA== there', 'used Basic [redacted] there'],
    ['connect postgres://app:pw@db.internal/x', 'connect postgres://[redacted]@db.internal/x'],
    ['http://u:p@ss@h/', 'http://[redacted]@h/'],
    ['GET https://h/p?q=1&api_key=SENTINEL&x=2', 'GET https://h/p?q=1&api_key=[redacted]&x=2'],
    ['https://h/?apiKey=SENTINEL#top', 'https://h/?apiKey=[redacted]#top'],
    ['https://h/cb#access_token=SENTINEL', 'https://h/cb#access_token=[redacted]'],
    ['failed: password=hunter2, retrying', 'failed: password=[redacted], retrying'],
    ['{"password":"a \\" b","n":1}', '{"password":"[redacted]","n":1}'],
    ['"{\\"apiKey\\":\\"a b\\",\\"n\\":1}"', '"{\\"apiKey\\":\\"[redacted]\\",\\"n\\":1}"'],
    ['X-Api-Key: SENTINEL', 'X-Api-Key: [redacted]'],
    ['got eyJhbGciOi.eyJzdWIi.c2ln back', 'got [redacted] back'],
    ['key sk-proj-0123456789abcdef0123', 'key [redacted]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nrest', '[redacted]\nrest'],
    ['-----BEGIN PRIVATE KEY-----\nMII cut', '[redacted]'],
  ])('%s', (text, masked) => {
    expect(redact(text)).toBe(masked)
  })

  it.each([
    'Basic auth failed for the bearer',
    'mail ada@example.com about https://example.com/@scope/pkg',
    'Unexpected token } in JSON at position 3',
    'at run (file:///srv/app/node_modules/.pnpm/a@1.2.3/index.js:10:5)',
    'a=1&b=2; c: 3',
  ])('leaves alone: %s', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('knows names that were added', () => {
    expect(redact('https://h/?pin=1', { names: ['pin'] })).toBe('https://h/?pin=[redacted]')
  })

  it('changes nothing the second time', () => {
    const text = 'https://a:b@h/?token=x Authorization: Bearer y {"secret":"z"}'
    expect(redact(redact(text))).toBe(redact(text))
  })

  // Each would take a regular expression that backtracks from minutes to ages.
  it.each([
    'a',
    'a-',
    'a.',
    'a://',
    '://a',
    'eyJ',
    'eyJa.',
    'bearer ',
    '?a=',
    'token="\\',
    '-----BEGIN PRIVATE KEY-----',
    ' ',
  ])('is quick with many of %j', (part) => {
    expect(typeof redact(Array.from({ length: 100 }, () => part.repeat(8_000)))).toBe('object')
  })
})

describe('the copy', () => {
  it('leaves the original alone, and shares nothing with it', () => {
    const value = Object.freeze({ list: Object.freeze([Object.freeze({ token: 'x' })]), n: 1 })
    const copy = redact(value) as typeof value
    expect(copy).toEqual({ list: [{ token: '[redacted]' }], n: 1 })
    expect(value.list[0]).toEqual({ token: 'x' })
    expect(copy.list).not.toBe(value.list)
  })

  it('is fit for JSON whatever it is of', () => {
    const value = {
      big: 10n,
      nan: Number.NaN,
      date: new Date(0),
      url: new URL('https://a:b@h/'),
      map: new Map<unknown, unknown>([
        ['token', 'x'],
        [1, 'one'],
        [{}, 'o'],
      ]),
      set: new Set([1, { password: 'x' }]),
      bytes: new Uint8Array(3),
      fn: () => 1,
      symbol: Symbol('s'),
      none: null,
      zero: 0,
      no: false,
      empty: '',
    }
    const copy = redact(value)
    expect(copy).toEqual({
      big: '10',
      nan: 'NaN',
      date: '1970-01-01T00:00:00.000Z',
      url: 'https://[redacted]@h/',
      map: { token: '[redacted]', 1: 'one', '[object]': 'o' },
      set: [1, { password: '[redacted]' }],
      bytes: '[3 bytes]',
      fn: '[function]',
      symbol: 'Symbol(s)',
      none: null,
      zero: 0,
      no: false,
      empty: '',
    })
    expect(JSON.parse(JSON.stringify(copy))).toEqual(copy)
  })

  it('ends at a cycle, and shows a shared object in both places', () => {
    const shared = { a: 1 }
    const value: Record<string, unknown> = { one: shared, two: shared }
    value.self = value
    expect(redact(value)).toEqual({ one: { a: 1 }, two: { a: 1 }, self: '[circular]' })
  })

  it('survives what throws when it is read', () => {
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const value = {
      get bad(): string {
        throw new Error('no')
      },
      proxy: revoked.proxy,
      json: {
        toJSON() {
          throw new Error('no')
        },
      },
      good: 1,
    }
    expect(redact(value)).toEqual({
      bad: '[unreadable]',
      proxy: '[unreadable]',
      json: '[unreadable]',
      good: 1,
    })
  })

  it('keeps an own __proto__ a member', () => {
    const copy = redact(JSON.parse('{"__proto__":{"token":"x"}}'))
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"token":"[redacted]"}}')
  })

  it('is bounded in depth, members, texts and as a whole', () => {
    let deep: unknown = 'end'
    for (let i = 0; i < 5_000; i++) deep = { deep }
    expect(JSON.stringify(redact(deep))).toBe(`${'{"deep":'.repeat(12)}"[…]"${'}'.repeat(12)}`)

    const list = redact(Array.from({ length: 250 }, (_, n) => n)) as unknown[]
    expect([list.length, list[99], list[100]]).toEqual([101, 99, '… 150 more'])

    const members = redact(Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`m${n}`, n]))) as object
    expect(Object.entries(members).at(-1)).toEqual(['…', '… 150 more'])

    expect(redact('x'.repeat(10_000))).toBe(`${'x'.repeat(4_096)}… (10000 characters)`)

    let wide: unknown = 'x'.repeat(4_000)
    for (let i = 0; i < 8; i++) wide = Array.from({ length: 20 }, () => wide)
    expect(JSON.stringify(redact(wide)).length).toBeLessThan(150_000)
  })

  it('does not show the half of a secret that is left by a cut', () => {
    const text = `${'x '.repeat(2_040)}https://ada:${'p'.repeat(100)}@host/`
    expect(redact(text)).toContain('… (4')
    expect(redact(text)).not.toContain('ppp')
  })
})

describe('errors', () => {
  it('shows class, message, stack, code, causes and fields, all redacted', () => {
    class DatabaseError extends Error {
      readonly code = 'ECONN'
      readonly password = 'SENTINEL'
      readonly host = 'db'
    }
    const cause = new DatabaseError('connect postgres://app:SENTINEL@db/x')
    const error = new UpstreamError('the database is away', { cause, status: 503 })
    error.stack = 'stack'
    cause.stack = 'DatabaseError: connect postgres://app:SENTINEL@db/x\n  at x'
    expect(redact({ err: error })).toEqual({
      err: {
        type: 'UpstreamError',
        message: 'the database is away',
        stack: 'stack',
        code: 'UPSTREAM_FAILED',
        retryable: true,
        outcome: 'unknown',
        status: 503,
        cause: {
          type: 'DatabaseError',
          message: 'connect postgres://[redacted]@db/x',
          stack: 'DatabaseError: connect postgres://[redacted]@db/x\n  at x',
          code: 'ECONN',
          password: '[redacted]',
          host: 'db',
        },
      },
    })
  })

  it('shows every error of an AggregateError, and ends at a cause that is a cycle', () => {
    const inner = new ToolExecutionError('inner')
    const outer = new AggregateError([inner], 'outer')
    Object.defineProperty(inner, 'cause', { value: outer })
    expect(redact(outer)).toMatchObject({
      message: 'outer',
      errors: [{ message: 'inner', cause: '[circular]' }],
    })
  })
})
