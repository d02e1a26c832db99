import { describe, expect, it } from 'vitest'
import { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { contextOf, toolCall } from '../interceptors/tool-call-fixture.js'

describe('ToolExecutionContext', () => {
  it('shows every part of the call', () => {
    const call = toolCall({ callId: 0, sessionId: '', agentId: 'agent-1', round: 2 })
    const ctx = new ToolExecutionContext(call, { city: 'Oslo' })
    const { origin, beginDetached, callTool, whenWorkSettles, ...seen } = call
    const shown = Object.fromEntries(Object.keys(seen).map((name) => [name, ctx[name as keyof typeof ctx]]))
    expect(shown).toEqual(seen)
    expect(ctx.args).toEqual({ city: 'Oslo' })
    expect([ctx.callId, ctx.sessionId]).toEqual([0, ''])
  })

  it('is frozen, and its parts cannot be set', () => {
    const ctx = contextOf()
    expect(ctx).toSatisfy(Object.isFrozen)
    // @ts-expect-error Everything is read only.
    expect(() => (ctx.toolName = 'other')).toThrow(TypeError)
    // @ts-expect-error Everything is read only.
    expect(() => (ctx.args = {})).toThrow(TypeError)
  })

  it('looks the parts up when they are asked for, so that a call makes only what is used', () => {
    let made = 0
    const call = Object.defineProperty({ ...toolCall() }, 'signal', {
      get: () => {
        made++
        return AbortSignal.abort()
      },
    })
    const ctx = new ToolExecutionContext(call, {})
    expect([ctx.callId, made]).toEqual(['call-1', 0])
    expect([ctx.signal.aborted, made]).toEqual([true, 1])
  })

  describe('with()', () => {
    it('gives a copy with other arguments and leaves the original alone', () => {
      const ctx = contextOf()
      const copy = ctx.with({ args: { city: 'Bergen' } })
      expect([copy.args, ctx.args]).toEqual([{ city: 'Bergen' }, { city: 'Oslo' }])
      expect([copy.callId, copy.attributes === ctx.attributes, copy.signal === ctx.signal]).toEqual([
        ctx.callId,
        true,
        true,
      ])
      expect(copy).toSatisfy(Object.isFrozen)
    })

    it.each([0, '', false, null])('takes %j as arguments', (args) => {
      expect(contextOf().with({ args }).args).toBe(args)
    })

    it('gives a copy with another signal, which its own copies keep', () => {
      const { signal } = new AbortController()
      const ctx = contextOf()
      const copy = ctx.with({ signal })
      expect([copy.signal, copy.with({ args: {} }).signal, copy.args]).toEqual([
        signal,
        signal,
        { city: 'Oslo' },
      ])
      expect(copy.with({ args: {} }).signal).toBe(signal)
      expect(ctx.signal).not.toBe(signal)
    })
  })

  describe('is()', () => {
    it('knows a context and its copies', () => {
      const ctx = contextOf()
      expect([ctx, ctx.with({ args: 1 })].map(ToolExecutionContext.is)).toEqual([true, true])
    })

    it('takes nothing else for one, and no proxy makes it fail', () => {
      const ctx = contextOf()
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      const hostile = new Proxy(
        {},
        {
          has: () => {
            throw new Error('has')
          },
          get: () => {
            throw new Error('get')
          },
        },
      )
      const others = [
        { ...ctx, args: {} },
        Object.create(ctx),
        new Proxy(ctx, {}),
        hostile,
        proxy,
        toolCall(),
        null,
        undefined,
        1,
      ]
      expect(others.map(ToolExecutionContext.is)).toEqual(others.map(() => false))
    })
  })

  it('knows the contexts of its own call, however equal another call is', () => {
    const call = toolCall()
    const ctx = new ToolExecutionContext(call, {})
    expect(ctx.isOfSameCall(ctx.with({ args: 1 }))).toBe(true)
    expect(ctx.isOfSameCall(new ToolExecutionContext(call, {}))).toBe(true)
    expect(ctx.isOfSameCall(new ToolExecutionContext(toolCall({ origin: call }), {}))).toBe(true)
    expect(ctx.isOfSameCall(new ToolExecutionContext(toolCall(), {}))).toBe(false)
  })

  describe('getArg() and getArgOrDefault()', () => {
    it('read an argument by name', () => {
      const ctx = contextOf({}, { city: 'Oslo' })
      expect([ctx.getArg('city'), ctx.getArg('town')]).toEqual(['Oslo', undefined])
      expect([ctx.getArgOrDefault('city', 'Bergen'), ctx.getArgOrDefault('town', 'Bergen')]).toEqual([
        'Oslo',
        'Bergen',
      ])
    })

    it.each([0, '', false, null, Number.NaN])('take %j for present', (value) => {
      expect(contextOf({}, { value }).getArgOrDefault('value', 'fallback')).toBe(value)
    })

    it('take undefined for absent', () => {
      expect(contextOf({}, { value: undefined }).getArgOrDefault('value', 'fallback')).toBe('fallback')
    })

    it.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])(
      'do not find the inherited %s',
      (name) => {
        const ctx = contextOf({}, { city: 'Oslo' })
        expect([ctx.getArg(name), ctx.getArgOrDefault(name, 'none')]).toEqual([undefined, 'none'])
      },
    )

    it('find an own argument of such a name', () => {
      const ctx = contextOf({}, JSON.parse('{"__proto__":1,"toString":2}'))
      expect([ctx.getArg('__proto__'), ctx.getArg('toString')]).toEqual([1, 2])
    })

    it.each([undefined, null, 'Oslo', ['Oslo'], 5])('cope with the raw arguments %j', (args) => {
      expect(new ToolExecutionContext(toolCall(), args).getArgOrDefault('city', 'none')).toBe('none')
    })

    it('can be destructured', () => {
      const { getArg, getArgOrDefault } = contextOf()
      expect([getArg('city'), getArgOrDefault('town', 'none')]).toEqual(['Oslo', 'none'])
    })
  })
})
