import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Principal } from '../../src/registry/principal.js'
import { unfrozenIn } from './tool-fixture.js'

describe('Principal', () => {
  it('keeps who is calling', () => {
    const principal = new Principal({
      subject: 'alice',
      tenant: 'acme',
      scopes: ['read', 'write', 'read'],
      claims: { email: 'alice@example.test', roles: ['admin'] },
    })
    expect({ ...principal }).toEqual({
      subject: 'alice',
      tenant: 'acme',
      scopes: ['read', 'write'],
      claims: { email: 'alice@example.test', roles: ['admin'] },
      key: '["acme","alice"]',
    })
    expect(['read', 'write', 'delete'].map((scope) => principal.hasScope(scope))).toEqual([true, true, false])
  })

  it('has no scopes and no claims unless they are given', () => {
    expect({ ...new Principal({ subject: 'alice' }) }).toEqual({
      subject: 'alice',
      scopes: [],
      claims: {},
      key: '[null,"alice"]',
    })
  })

  it('is deeply frozen, and neither freezes nor follows what it was made from', () => {
    const scopes = ['read']
    const claims = { roles: ['user'], nested: { deep: { level: 1 } } }
    const principal = new Principal({ subject: 'alice', scopes, claims })
    expect(unfrozenIn(principal)).toEqual([])
    scopes.push('write')
    claims.roles.push('admin')
    claims.nested.deep.level = 2
    expect([principal.scopes, principal.claims]).toEqual([
      ['read'],
      { roles: ['user'], nested: { deep: { level: 1 } } },
    ])
  })

  it.each(['', undefined, null, 5, {}])('refuses the subject %j', (subject) => {
    expect(() => new Principal({ subject: subject as string })).toThrow(
      new TypeError('A principal needs a subject: a non-empty string that names the caller'),
    )
  })

  it.each([
    [{ tenant: 5 }, 'tenant must be a string, or left out (got 5)'],
    [{ tenant: null }, 'tenant must be a string, or left out (got null)'],
    [{ scopes: 'read write' }, "scopes must be a list of strings, such as ['a', 'b'] (got a string)"],
    [{ scopes: [['read']] }, 'scopes must hold strings alone (got an array)'],
    [{ claims: { at: new Date() } }, 'claims must be plain JSON (got an instance of Date) (at /at)'],
  ])('refuses %j', (wrong, message) => {
    expect(() => new Principal({ subject: 'alice', ...(wrong as object) })).toThrow(message)
  })

  it.each([
    [
      { tenant: 'a', subject: 'b","c' },
      { tenant: 'a","b', subject: 'c' },
    ],
    [{ tenant: 'a', subject: 'b' }, { subject: 'ab' }],
    [
      { tenant: 'a:b', subject: 'c' },
      { tenant: 'a', subject: 'b:c' },
    ],
    [{ tenant: '', subject: 'a' }, { subject: 'a' }],
    [{ tenant: 'null', subject: 'a' }, { subject: 'a' }],
    [{ subject: '\ud800' }, { subject: '\\ud800' }],
  ])('gives %j and %j different keys', (one, other) => {
    expect(new Principal(one).key).not.toBe(new Principal(other).key)
  })

  it('has the same key as another exactly if tenant and subject are the same', () => {
    // Few characters, those that a careless key would trip over, so that equal and nearly equal pairs come up.
    const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\\', ':', '\0'), maxLength: 3 })
    const who = fc.record(
      { subject: text.filter((subject) => subject !== ''), tenant: text },
      { requiredKeys: ['subject'] },
    )
    fc.assert(
      fc.property(who, who, (one, other) => {
        const same = one.subject === other.subject && one.tenant === other.tenant
        expect(new Principal(one).key === new Principal(other).key).toBe(same)
      }),
    )
  })
})
