import { describe, expect, expectTypeOf, it } from 'vitest'
import { AttributeKey, CallAttributes } from '../../src/registry/call-attributes.js'

describe('CallAttributes', () => {
  it('gives back under a key what was set under it', () => {
    const startedAt = new AttributeKey<number>('startedAt')
    const attributes = new CallAttributes()
    expect([attributes.get(startedAt), attributes.has(startedAt)]).toEqual([undefined, false])
    attributes.set(startedAt, 5)
    attributes.set(startedAt, 0)
    expect([attributes.get(startedAt), attributes.has(startedAt)]).toEqual([0, true])
    expect([attributes.delete(startedAt), attributes.delete(startedAt)]).toEqual([true, false])
    expect([attributes.get(startedAt), attributes.has(startedAt)]).toEqual([undefined, false])
  })

  it('keeps two keys of the same name apart', () => {
    const mine = new AttributeKey<string>('user')
    const theirs = new AttributeKey<string>('user')
    const attributes = new CallAttributes()
    attributes.set(mine, 'alice')
    expect([attributes.get(mine), attributes.get(theirs)]).toEqual(['alice', undefined])
  })

  it('shares nothing with the attributes of another call', () => {
    const key = new AttributeKey<string>('user')
    const [one, other] = [new CallAttributes(), new CallAttributes()]
    one.set(key, 'alice')
    expect(other.has(key)).toBe(false)
  })

  it('tells a key that is set to undefined from one that is not set', () => {
    const key = new AttributeKey<string | undefined>('maybe')
    const attributes = new CallAttributes()
    attributes.set(key, undefined)
    expect(attributes.has(key)).toBe(true)
  })

  it('types the value by the key', () => {
    const unit = new AttributeKey<'celsius' | 'fahrenheit'>('unit')
    const attributes = new CallAttributes()
    attributes.set(unit, 'celsius')
    // @ts-expect-error The key takes no such value.
    attributes.set(unit, 'kelvin')
    expectTypeOf(attributes.get(unit)).toEqualTypeOf<'celsius' | 'fahrenheit' | undefined>()
  })

  it('has frozen keys', () => {
    expect(new AttributeKey('name')).toSatisfy(Object.isFrozen)
  })
})
