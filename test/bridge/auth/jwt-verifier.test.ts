import { SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type JwtVerifierOptions, jwtVerifier } from '../../../src/bridge/index.js'
import { ForbiddenError, UnauthenticatedError } from '../../../src/registry/tool-error.js'
import { AUDIENCE, Issuer, newKey } from './issuer.js'

const { signal } = new AbortController()

let issuer: Issuer

beforeAll(async () => {
  issuer = await Issuer.start()
})
afterAll(() => issuer[Symbol.asyncDispose]())

function verifier(options: Partial<JwtVerifierOptions> = {}, of = issuer) {
  return jwtVerifier({ issuer: of.url, audience: AUDIENCE, jwksUri: of.jwksUri, ...options })
}

/** Who the token is of, or the code of the refusal, or the message of what is no refusal. */
async function outcome(token: string, by = verifier()): Promise<unknown> {
  try {
    const { subject, tenant, scopes } = await by.verify(token, { signal })
    return { subject, tenant, scopes }
  } catch (thrown) {
    if (thrown instanceof UnauthenticatedError) return thrown.code
    throw thrown
  }
}

const REFUSED = 'UNAUTHENTICATED'
const ALICE = { subject: 'alice', tenant: undefined, scopes: [] }
const now = () => Math.floor(Date.now() / 1_000)

describe('a token that is in order', () => {
  it('says who is calling, with scopes and all claims', async () => {
    const token = await issuer.token({ claims: { scope: 'read  write', client_id: 'app' } })
    const principal = await verifier().verify(token, { signal })
    expect(principal).toMatchObject({ subject: 'alice', scopes: ['read', 'write'] })
    expect(principal.claims).toMatchObject({ sub: 'alice', client_id: 'app', iss: issuer.url })
  })

  it.each<[string, Record<string, unknown>, readonly string[]]>([
    ['scp as a list', { scp: ['a', 'b'] }, ['a', 'b']],
    ['scp as a text', { scp: 'a b' }, ['a', 'b']],
    ['scope before scp', { scope: 'a', scp: ['b'] }, ['a']],
    ['neither', {}, []],
    ['something else', { scope: 5 }, []],
    ['something else in the list', { scp: ['a', 5] }, ['a']],
  ])('has scopes from %s', async (_what, claims, scopes) => {
    expect(await outcome(await issuer.token({ claims }))).toEqual({ ...ALICE, scopes })
  })

  it.each<[string, Parameters<Issuer['token']>[0]]>([
    ['several audiences', { claims: { aud: ['https://other.example.com', AUDIENCE] } }],
    ['no typ', { header: { typ: undefined } }],
    ['the typ JWT', { header: { typ: 'JWT' } }],
    ['the typ of RFC 9068 in full', { header: { typ: 'application/at+jwt' } }],
    ['a clock that is a little ahead', { claims: { nbf: now() + 3, iat: now() + 3 } }],
  ])('may have %s', async (_what, parts) => {
    expect(await outcome(await issuer.token(parts))).toEqual(ALICE)
  })

  it('has a tenant where there are tenants, and then must have', async () => {
    const by = verifier({ tenantClaim: 'org_id' })
    expect([
      await outcome(await issuer.token({ claims: { org_id: 'acme' } }), by),
      await outcome(await issuer.token(), by),
      await outcome(await issuer.token({ claims: { org_id: 5 } }), by),
    ]).toEqual([{ ...ALICE, tenant: 'acme' }, REFUSED, REFUSED])
  })

  it('is read by the service, if that knows better', async () => {
    const by = verifier({
      principal: async ({ client_id }) => {
        if (client_id === 'blocked') throw new UnauthenticatedError()
        return { subject: `client:${client_id}`, scopes: ['all'] }
      },
    })
    const token = (client_id: string) => issuer.token({ claims: { sub: undefined, client_id } })
    expect([await outcome(await token('app'), by), await outcome(await token('blocked'), by)]).toEqual([
      { subject: 'client:app', tenant: undefined, scopes: ['all'] },
      REFUSED,
    ])
  })

  it('is not refused, but cannot be told, when the service fails to read it', async () => {
    const by = verifier({ principal: () => ({ subject: '' }) })
    await expect(outcome(await issuer.token(), by)).rejects.toThrow('A principal needs a subject')
    const forbids = verifier({
      principal: () => {
        throw new ForbiddenError()
      },
    })
    await expect(outcome(await issuer.token(), forbids)).rejects.toThrow(ForbiddenError)
  })
})

describe('a token is refused', () => {
  it.each<[string, Parameters<Issuer['token']>[0]]>([
    ['expired', { claims: { exp: now() - 60 } }],
    ['without an end', { claims: { exp: undefined } }],
    ['whose time has not come', { claims: { nbf: now() + 60 } }],
    ['of another issuer', { claims: { iss: 'https://evil.example.com' } }],
    ['of no issuer', { claims: { iss: undefined } }],
    ['for another service', { claims: { aud: 'https://other.example.com/mcp' } }],
    ['for a longer name', { claims: { aud: `${AUDIENCE}/v2` } }],
    ['for nobody', { claims: { aud: undefined } }],
    ['of nobody', { claims: { sub: undefined } }],
    ['of an empty name', { claims: { sub: '' } }],
    ['of a number', { claims: { sub: 5 } }],
    ['that is none for access', { header: { typ: 'logout+jwt' } }],
    ['by a key that the issuer does not have', { header: { kid: 'another' } }],
  ])('%s', async (_what, parts) => {
    expect(await outcome(await issuer.token(parts))).toBe(REFUSED)
  })

  it('without a claim that is asked for', async () => {
    const by = verifier({ requiredClaims: ['client_id'] })
    expect(await outcome(await issuer.token(), by)).toBe(REFUSED)
  })

  it('signed by somebody else under the name of the key', async () => {
    const foreign = await newKey(issuer.key.kid)
    expect(await outcome(await issuer.token({ key: foreign }))).toBe(REFUSED)
  })

  it('not signed, or with a key that is no secret', async () => {
    const claims = { iss: issuer.url, aud: AUDIENCE, sub: 'mallory', exp: now() + 60 }
    const unsigned = new UnsecuredJWT(claims).encode()
    const publicKey = new TextEncoder().encode(JSON.stringify(issuer.key.publicJwk))
    const confused = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: issuer.key.kid })
      .sign(publicKey)
    expect([await outcome(unsigned), await outcome(confused)]).toEqual([REFUSED, REFUSED])
  })

  it('by an algorithm that is not among those asked for', async () => {
    expect(await outcome(await issuer.token(), verifier({ algorithms: ['RS256'] }))).toBe(REFUSED)
  })

  it('changed in its middle', async () => {
    const [header, , signature] = (await issuer.token()).split('.')
    const [, payload] = (await issuer.token({ claims: { sub: 'admin' } })).split('.')
    expect(await outcome(`${header}.${payload}.${signature}`)).toBe(REFUSED)
  })

  it.each(['', 'x', 'a.b.c', 'eyJhbGciOiJFUzI1NiJ9..', 'a.b.c.d.e'])('that is none: %j', async (token) => {
    expect(await outcome(token)).toBe(REFUSED)
  })
})

describe('the keys', () => {
  it('are fetched when the first token comes, and once', async () => {
    await using own = await Issuer.start()
    const by = verifier({}, own)
    expect(own.asked).toBe(0)
    const tokens = await Promise.all(Array.from({ length: 20 }, () => own.token()))
    expect(await Promise.all(tokens.map((token) => outcome(token, by)))).toEqual(Array(20).fill(ALICE))
    expect(own.asked).toBe(1)
  })

  it('are fetched again for a new one, and an old one that is gone counts no more', async () => {
    await using own = await Issuer.start()
    const by = verifier({ jwksCooldownMs: 0 }, own)
    const old = await own.token()
    expect(await outcome(old, by)).toEqual(ALICE)
    await own.rotate()
    expect(await outcome(await own.token(), by)).toEqual(ALICE)
    expect([await outcome(old, by), own.asked]).toEqual([REFUSED, 3])
  })

  it('are not fetched for each token that names a key of its own invention', async () => {
    await using own = await Issuer.start()
    const by = verifier({}, own)
    for (let i = 0; i < 10; i++) {
      expect(await outcome(await own.token({ header: { kid: `made-up-${i}` } }), by)).toBe(REFUSED)
    }
    expect(own.asked).toBe(1)
  })

  it('are all tried for a token that names none', async () => {
    await using own = await Issuer.start()
    const old = await own.token({ header: { kid: undefined } })
    await own.rotate({ keep: 1 })
    const by = verifier({}, own)
    const foreign = await own.token({ header: { kid: undefined }, key: await newKey('foreign') })
    expect([
      await outcome(old, by),
      await outcome(await own.token({ header: { kid: undefined } }), by),
      await outcome(foreign, by),
    ]).toEqual([ALICE, ALICE, REFUSED])
  })

  it('that cannot be had make no token good or bad, and are asked for again in a while', async () => {
    await using own = await Issuer.start()
    const by = verifier({}, own)
    const token = await own.token()
    own.isDown = true
    for (let i = 0; i < 5; i++) {
      await expect(outcome(token, by)).rejects.toThrow('The issuer answered 500 when asked for its keys')
    }
    expect(own.asked).toBe(1)
    own.isDown = false
    await vi.waitFor(async () => expect(await outcome(token, by)).toEqual(ALICE), { timeout: 10_000 })
    expect(own.asked).toBe(2)
  })

  it.each<[string, string, string]>([
    ['no JSON', '<html>', 'no JSON Web Key Set'],
    ['null', 'null', 'no JSON Web Key Set'],
    ['no list', '{"keys":{}}', 'no JSON Web Key Set'],
    ['a list of no keys', '{"keys":[null]}', 'no JSON Web Key Set'],
    [
      'more than a megabyte',
      JSON.stringify({ keys: [], pad: 'x'.repeat(1024 * 1024) }),
      'more than 1048576 bytes of keys',
    ],
  ])('that are %s cannot be had, and are asked for again in a while', async (_what, answer, message) => {
    await using own = await Issuer.start()
    const by = verifier({}, own)
    const token = await own.token()
    own.answer = answer
    for (let i = 0; i < 5; i++) await expect(outcome(token, by)).rejects.toThrow(message)
    expect(own.asked).toBe(1)
    own.answer = undefined
    await vi.waitFor(async () => expect(await outcome(token, by)).toEqual(ALICE), { timeout: 10_000 })
    expect(own.asked).toBe(2)
  })

  it('of an issuer that is gone cannot be had', async () => {
    const own = await Issuer.start()
    const [by, token] = [verifier({}, own), await own.token()]
    await own[Symbol.asyncDispose]()
    await expect(outcome(token, by)).rejects.toThrow('fetch failed')
  })

  it('can be given', async () => {
    const { jwks } = issuer
    const by = jwtVerifier({ issuer: issuer.url, audience: [AUDIENCE], jwks })
    expect(await outcome(await issuer.token(), by)).toEqual(ALICE)
  })
})

describe('an option that would let anybody in', () => {
  const options = {
    issuer: 'https://login.example.com',
    audience: AUDIENCE,
    jwksUri: 'https://login.example.com/jwks',
  }

  it.each<[string, object, string]>([
    ['no issuer', { issuer: '' }, 'issuer must be the iss of the tokens'],
    ['no audience', { audience: [] }, 'audience must say what a token has to be meant for'],
    ['an empty audience', { audience: '' }, 'audience must say what a token has to be meant for'],
    ['no keys', { jwksUri: undefined }, 'either jwksUri or jwks'],
    ['keys twice', { jwks: { keys: [] } }, 'either jwksUri or jwks'],
    ['keys in the clear', { jwksUri: 'http://login.example.com/jwks' }, 'jwksUri must be an https URL'],
    ['keys at no URL', { jwksUri: '/jwks' }, 'jwksUri must be an https URL (got "/jwks")'],
    ['keys that are none', { jwksUri: undefined, jwks: [] }, 'jwks must be a JSON Web Key Set'],
    [
      'keys that are no objects',
      { jwksUri: undefined, jwks: { keys: [null] } },
      'jwks must be a JSON Web Key Set',
    ],
    ['no algorithm', { algorithms: [] }, 'algorithms must be some of RS256'],
    ['the algorithm none', { algorithms: ['RS256', 'none'] }, '(got "none")'],
    [
      'no clock',
      { clockToleranceSec: Number.NaN },
      'clockToleranceSec must be a whole number from 0 (got NaN)',
    ],
    [
      'keys for ever',
      { jwksMaxAgeMs: Infinity },
      'jwksMaxAgeMs must be a whole number from 1 (got Infinity)',
    ],
    ['a shared secret', { algorithms: ['HS256'] }, '(got "HS256")'],
  ])('is refused: %s', (_what, changed, message) => {
    expect(() => jwtVerifier({ ...options, ...changed } as JwtVerifierOptions)).toThrow(message)
  })
})
