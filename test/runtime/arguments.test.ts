import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { gist, started, tool } from './runtime-fixture.js'

describe('the arguments of a call', () => {
  it.each([undefined, null])('takes no input as {}: %s', async (input) => {
    const { runtime } = await started({ tools: [tool('echo', ({ args }) => args)] })
    expect(gist(await runtime.call('echo', input))).toEqual({ value: {} })
  })

  it.each([7, 'x', false, [], [1], new Map()])('refuses arguments that are no object: %s', async (input) => {
    const { runtime } = await started({ tools: [tool('echo')] })
    const result = await runtime.call('echo', input)
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'INVALID_ARGUMENTS', issues: [{ path: '', keyword: 'type' }] },
    })
  })

  it('gives the executor a deeply frozen copy and leaves the input alone', async () => {
    let seen: unknown
    const { runtime } = await started({
      tools: [
        tool('keep', ({ args }) => {
          seen = args
        }),
      ],
    })
    const input = { list: [{ n: 1 }], gone: undefined }
    await runtime.call('keep', input)
    expect(seen).toEqual({ list: [{ n: 1 }] })
    expect(seen).not.toBe(input)
    expect(Object.isFrozen((seen as typeof input).list[0])).toBe(true)
    expect(Object.isFrozen(input.list)).toBe(false)
  })

  it('keeps a property called __proto__ a property', async () => {
    let seen: object = {}
    const { runtime } = await started({
      tools: [
        tool('keep', ({ args }) => {
          seen = args
        }),
      ],
    })
    await runtime.call('keep', JSON.parse('{"__proto__":{"admin":true},"n":1}'))
    expect(Object.getPrototypeOf(seen)).toBe(Object.prototype)
    expect(Object.keys(seen)).toEqual(['__proto__', 'n'])
  })

  it.each([
    ['a Date', new Date(0), '/when'],
    ['a function', () => 1, '/when'],
    ['NaN', Number.NaN, '/when'],
    ['a BigInt', 1n, '/when'],
  ])('refuses %s as an argument, with the place', async (_name, value, path) => {
    const { runtime } = await started({ tools: [tool('echo')] })
    expect(await runtime.call('echo', { when: value })).toMatchObject({ error: { issues: [{ path }] } })
  })

  it('refuses arguments nested beyond reason instead of overflowing the stack', async () => {
    const { runtime } = await started({ tools: [tool('echo')] })
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)
    expect(gist(await runtime.call('echo', deep))).toEqual({
      code: 'INVALID_ARGUMENTS',
      outcome: 'not-started',
    })
  })

  it('freezes what a schema library made, also below what that froze itself', async () => {
    let tags: readonly string[] = []
    const tagged = ToolDefinition.builder()
      .name('tagged')
      .description('Takes tags')
      .parameterSchema(z.object({ tags: z.array(z.string()) }).readonly())
      .executor(({ args }) => {
        tags = args.tags
      })
      .build()
    const { runtime } = await started({ tools: [tagged] })
    await runtime.call(tagged, { tags: ['a'] })
    expect(Object.isFrozen(tags)).toBe(true)
  })

  it('are refused in arguments: shared objects, sparse arrays', async () => {
    const { runtime } = await started({ tools: [tool('echo')] })
    let shared: unknown = 1
    for (let i = 0; i < 60; i++) shared = { l: shared, r: shared }
    for (const input of [{ shared }, { sparse: new Array(50_000_000) }]) {
      expect(await runtime.call('echo', input)).toMatchObject({
        error: { code: 'INVALID_ARGUMENTS', issues: [{ keyword: 'size' }] },
      })
    }
  })

  it('do not make an error larger than the arguments: a schema library reports each of many faults', async () => {
    const numbers = ToolDefinition.builder()
      .name('numbers')
      .description('Takes numbers')
      .parameterSchema(z.object({ n: z.array(z.number()) }))
      .executor(() => 1)
      .build()
    const { runtime } = await started({ tools: [numbers] })
    const result = await runtime.call('numbers', { n: Array(10_000).fill('x') })
    if (result.ok || result.error.code !== 'INVALID_ARGUMENTS') throw new Error('must be refused')
    expect(result.error.issues).toHaveLength(21)
    expect(result.error.issues.at(-1)).toMatchObject({ keyword: 'more', message: 'and 9980 more' })
    expect(result.error.message.length).toBeLessThan(5_000)
  })
})
