import { describe, expect, it, vi } from 'vitest'
import { RateLimitInterceptor } from '../../src/interceptors/rate-limit.js'
import type { Descriptor } from '../../src/registry/descriptor.js'
import { Principal } from '../../src/registry/principal.js'
import type { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import type { ToolMetadataInit } from '../../src/registry/tool-metadata.js'
import type { VisibilityRule } from '../../src/runtime/catalog.js'
import { visibilityByTag } from '../../src/runtime/visibility-by-tag.js'
import { prompt, recordingInterceptor, resource, started, tool } from './runtime-fixture.js'

const nobody = undefined
const reader = new Principal({ subject: 'ann', scopes: ['read'], claims: { ssn: 'secret-claim' } })
const writer = new Principal({ subject: 'ann', scopes: ['read', 'write'] })

/** A tool, a resource and a prompt of the same metadata, started; what each caller may see of them, at every door. */
async function guardedBy(metadata: ToolMetadataInit, visibility?: VisibilityRule) {
  const made = await started({
    options: visibility === undefined ? {} : { visibility },
    tools: [tool('guarded', () => 'done', { metadata })],
    resources: [resource('guarded', 'docs://guarded/{x}', () => 'done', { metadata })],
    prompts: [prompt('guarded', ['a?'], () => 'done', { metadata })],
  })
  const { runtime } = made
  const argument = { name: 'a', value: '' }
  const sees = async (principal: Principal | undefined) => {
    const options = principal === undefined ? {} : { principal }
    const results = [
      await runtime.call('guarded', {}, options),
      await runtime.read('docs://guarded/1', options),
      await runtime.getPrompt('guarded', {}, options),
      await runtime.complete({ of: { prompt: 'guarded' }, argument }, options),
      await runtime.complete({ of: { resourceTemplate: 'docs://guarded/{x}' }, argument }, options),
    ]
    const { registry, resources, prompts, catalog } = runtime
    const viewer = { principal }
    const lists = [
      catalog.list(registry, viewer),
      catalog.list(resources, viewer),
      catalog.list(prompts, viewer),
    ]
    const all = [...results.map(({ ok }) => ok), ...lists.map(({ length }) => length === 1)]
    // Whatever the door, the answer is the same.
    return all.every(Boolean) ? 'seen' : all.some(Boolean) ? all : 'hidden'
  }
  return { ...made, sees: async () => Promise.all([sees(nobody), sees(reader), sees(writer)]) }
}

describe('metadata.visibility', () => {
  it.each([
    ['says nothing', undefined, ['seen', 'seen', 'seen']],
    ['asks for scopes', { scopes: ['write'] }, ['hidden', 'hidden', 'seen']],
    ['asks for several', { scopes: ['read', 'write'] }, ['hidden', 'hidden', 'seen']],
    ['asks for no scope but for a principal', { scopes: [] }, ['hidden', 'seen', 'seen']],
    ['is a function', (principal?: Principal) => principal?.subject === 'ann', ['hidden', 'seen', 'seen']],
    ['hides from everybody', () => false, ['hidden', 'hidden', 'hidden']],
  ])('%s: decides at every door, by principal', async (_how, visibility, expected) => {
    const { sees } = await guardedBy(visibility === undefined ? {} : { visibility })
    expect(await sees()).toEqual(expected)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('rule failed')
      },
      'rule failed',
    ],
    ['gives 1', () => 1, 'must return true or false, at once (got 1)'],
    ['gives nothing', () => undefined, 'must return true or false, at once (got undefined)'],
    ['promises', async () => true, 'must return true or false, at once (got a promise)'],
    ['fails later', () => Promise.reject(new Error('later')), '(got a promise)'],
  ])('hides when its function %s, which is logged without the principal', async (_what, rule, reason) => {
    const visibility = rule as unknown as () => boolean
    const { sees, logger } = await guardedBy({ visibility })
    expect(await sees()).toEqual(['hidden', 'hidden', 'hidden'])
    const lines = logger.lines.filter(({ level }) => level === 'error')
    expect(new Set(lines.map(({ message }) => message))).toEqual(
      new Set(['a rule of visibility failed: hidden']),
    )
    const err = expect.objectContaining({ message: expect.stringContaining(reason) })
    expect(lines[0]?.fields).toEqual({ err, kind: 'tool', name: 'guarded' })
    expect(JSON.stringify(lines)).not.toContain('secret-claim')
  })

  it('is fixed when it is defined: what becomes of the list later changes nothing', async () => {
    const scopes = ['write']
    const { sees, runtime } = await guardedBy({ visibility: { scopes } })
    scopes.length = 0
    expect(await sees()).toEqual(['hidden', 'hidden', 'seen'])
    const { visibility } = runtime.registry.getRequired('guarded').metadata
    expect([
      Object.isFrozen(visibility),
      Object.isFrozen((visibility as { scopes: unknown }).scopes),
    ]).toEqual([true, true])
  })

  it.each([
    ['null', null],
    ['a string of scopes', { scopes: 'read write' }],
    ['no scopes', {}],
    ['a list', ['write']],
    ['true', true],
  ])('is refused as %s', (_what, visibility) => {
    expect(() => tool('t', () => 1, { metadata: { visibility: visibility as never } })).toThrow(
      'metadata.visibility',
    )
  })
})

describe('a copy (REG-10)', () => {
  const visibility = { scopes: ['write'] }
  const metadata = { visibility, tags: ['guarded'], timeoutMs: 50, idempotent: true }

  it.each([
    ['tool', tool('t', () => 1, { metadata })],
    ['resource', resource('t', 'docs://t', () => 1, { metadata })],
    ['prompt', prompt('t', [], () => '', { metadata })],
  ] as const)('of a %s keeps what its metadata said, whatever is changed', (_kind, original) => {
    expect(original.with({ name: 'other' }).metadata).toEqual(original.metadata)
    expect(original.with({ metadata: { owner: 'new' } }).metadata).toEqual({
      ...original.metadata,
      owner: 'new',
    })
    expect(original.with({ metadata: {} }).with({ metadata: { timeoutMs: 1 } }).metadata).toEqual({
      ...original.metadata,
      timeoutMs: 1,
    })
    const undone = { visibility: undefined, tags: undefined } as unknown as ToolMetadataInit
    expect(original.with({ metadata: undone }).metadata).toEqual(original.metadata)
    const everybody = () => true
    expect(original.with({ metadata: { visibility: everybody, tags: [] } }).metadata).toEqual({
      ...original.metadata,
      visibility: everybody,
      tags: [],
    })
    expect(Object.isFrozen(original.with({ metadata: { owner: 'new' } }).metadata)).toBe(true)
  })

  it('by the builder keeps it, too', () => {
    const one = tool('t', () => 1, { metadata })
    const parts = resource('t', 'docs://t', () => 1, { metadata }).with({ metadata: { version: '2' } })
    expect([one.metadata.visibility, parts.metadata.visibility]).toEqual([visibility, visibility])
  })

  it('is hidden from whom the first is hidden from', async () => {
    const original = tool('t', () => 1, { metadata })
    const { runtime } = await started({
      tools: [original, original.with({ name: 'prefix_t', metadata: { owner: 'proxy' } })],
    })
    const codes = await Promise.all(
      ['t', 'prefix_t'].map(async (name) => (await runtime.call(name, {}, { principal: reader })).ok),
    )
    expect(codes).toEqual([false, false])
  })
})

describe('the rule of the runtime', () => {
  it('decides beside what each definition says: both must agree', async () => {
    const rule = vi.fn((target: Descriptor, principal: Principal | undefined) => {
      return principal?.hasScope('read') === true && target.metadata.tags.includes('public')
    })
    const { sees } = await guardedBy({ tags: ['public'], visibility: { scopes: ['write'] } }, rule)
    expect(await sees()).toEqual(['hidden', 'hidden', 'seen'])
    expect(
      new Set(rule.mock.calls.map(([target, principal]) => [target.kind, principal?.key].join())),
    ).toEqual(new Set(['tool', 'resource', 'prompt'].map((kind) => `${kind},${writer.key}`)))
  })

  it.each([
    ['scopes of a tag', ['admin'], ['hidden', 'hidden', 'seen']],
    ['all tags that it names', ['admin', 'never'], ['hidden', 'hidden', 'hidden']],
    ['no tag that it does not name', ['other', 'constructor'], ['seen', 'seen', 'seen']],
    ['a principal where the tag has no scope', ['internal'], ['hidden', 'seen', 'seen']],
  ])('by tag asks for %s', async (_what, tags, expected) => {
    const rule = visibilityByTag({ admin: ['read', 'write'], never: ['nobody has it'], internal: [] })
    const { sees } = await guardedBy({ tags }, rule)
    expect(await sees()).toEqual(expected)
  })

  it('by tag refuses what are no scopes', () => {
    expect(() => visibilityByTag({ admin: 'write' as never })).toThrow(
      `The scopes of the tag "admin" must be a list of strings, such as ['a', 'b'] (got a string)`,
    )
  })

  it('hides what it throws for or gives no verdict on', async () => {
    const { sees, logger } = await guardedBy({}, () => {
      throw new Error('no database')
    })
    expect(await sees()).toEqual(['hidden', 'hidden', 'hidden'])
    expect(logger.lines.filter(({ level }) => level === 'error')[0]).toEqual({
      level: 'error',
      fields: {
        err: expect.objectContaining({ message: 'no database' }),
        kind: 'tool',
        name: 'guarded',
      },
      message: 'a rule of visibility failed: hidden',
    })
  })
})

describe('CallOptions.exposes', () => {
  it('leaves all but its part unknown to the call, at every door', async () => {
    const metadata = { tags: ['b'] }
    const { runtime } = await started({
      tools: [tool('a'), tool('b', () => 'done', { metadata })],
      resources: [resource('a', 'docs://a'), resource('b', 'docs://b', () => 'done', { metadata })],
      prompts: [prompt('a'), prompt('b', [], () => 'done', { metadata })],
    })
    const exposes = ({ metadata: { tags } }: Descriptor) => tags.includes('b')
    const reached = async (name: string) => [
      (await runtime.call(name, {}, { exposes })).ok,
      (await runtime.read(`docs://${name}`, { exposes })).ok,
      (await runtime.getPrompt(name, {}, { exposes })).ok,
    ]
    expect([await reached('a'), await reached('b')]).toEqual([
      [false, false, false],
      [true, true, true],
    ])
    const { catalog, registry } = runtime
    expect(catalog.list(registry, { exposes }).map(({ name }) => name)).toEqual(['b'])
    expect(catalog.list(registry, {})).toBe(registry.list())
  })

  it('hides what it throws for', async () => {
    const { runtime, logger } = await started({ tools: [tool('a')] })
    const exposes = () => {
      throw new Error('x')
    }
    expect((await runtime.call('a', {}, { exposes })).ok).toBe(false)
    expect(logger.lines.map(({ message }) => message)).toContain('a rule of visibility failed: hidden')
  })
})

describe('what is hidden', () => {
  const secret = { visibility: { scopes: ['write'] } }

  it('is answered as what does not exist, in everything but the time it took', async () => {
    const { seen, interceptor } = recordingInterceptor()
    const ofItsOwn = recordingInterceptor('execution')
    const own = { metadata: { ...secret, timeoutMs: 1 }, interceptors: [ofItsOwn.interceptor] }
    const { runtime } = await started({
      interceptors: [interceptor],
      tools: [tool('hidden', () => 1, own)],
      resources: [resource('hidden', 'docs://hidden', () => 1, own)],
      prompts: [prompt('hidden', [], () => '', own)],
    })
    const answer = async (call: Promise<ToolExecutionResult>, name: string) => {
      const result = await call
      const { durationMs, ...rest } = JSON.parse(
        JSON.stringify(result).replaceAll(name, 'NAME'),
      ) as ToolExecutionResult
      expect(durationMs).toBeGreaterThanOrEqual(0)
      return rest
    }
    const options = { principal: reader, callId: 1, traceId: 'f'.repeat(32) }
    const answers = async (name: string) => [
      await answer(runtime.call(name, { a: 1 }, options), name),
      await answer(runtime.read(`docs://${name}`, options), name),
      await answer(runtime.getPrompt(name, {}, options), name),
      await answer(
        runtime.complete({ of: { prompt: name }, argument: { name: 'a', value: '' } }, options),
        name,
      ),
    ]
    const hidden = await answers('hidden')
    const seenOfHidden = seen.splice(0)
    expect(hidden).toEqual(await answers('nothing'))
    expect(JSON.parse(JSON.stringify(seenOfHidden).replaceAll('hidden', 'nothing'))).toEqual(
      JSON.parse(JSON.stringify(seen)),
    )
    expect(ofItsOwn.seen).toEqual([])
  })

  it('counts with what does not exist for the rate limit', async () => {
    const { runtime } = await started({
      interceptors: [new RateLimitInterceptor({ defaultPerMinute: 2 })],
      tools: [tool('hidden', () => 1, { metadata: { ...secret, rateLimit: { perMinute: 100 } } })],
    })
    const code = async (name: string) => {
      const result = await runtime.call(name, {}, { principal: reader })
      return result.ok ? 'ok' : result.error.code
    }
    expect([await code('hidden'), await code('nothing'), await code('hidden'), await code('other')]).toEqual([
      'TOOL_NOT_FOUND',
      'TOOL_NOT_FOUND',
      'RATE_LIMITED',
      'RATE_LIMITED',
    ])
  })

  it('does not stand in the way of another template that the URI fits', async () => {
    const { runtime } = await started({
      resources: [
        resource('first', 'docs://a{rest}', () => 'first', { metadata: secret }),
        resource('exact', 'docs://abc', () => 'exact', { metadata: secret }),
        resource('second', 'docs://{name}', () => 'second'),
      ],
    })
    const read = async (uri: string, principal: Principal) => {
      const result = await runtime.read(uri, { principal })
      return result.ok ? result.value : result.error.code
    }
    expect(await read('docs://abc', reader)).toEqual([{ uri: 'docs://abc', text: 'second' }])
    expect(await read('docs://abc', writer)).toEqual([{ uri: 'docs://abc', text: 'exact' }])
    expect(await read('docs://abd', writer)).toEqual([{ uri: 'docs://abd', text: 'first' }])
  })

  it('does not show by what it says of a malformed URI', async () => {
    const { runtime } = await started({
      resources: [resource('hidden', 'secret://{id}', () => 1, { metadata: secret })],
    })
    const code = async (uri: string, principal: Principal) => {
      const result = await runtime.read(uri, { principal })
      return result.ok ? 'ok' : result.error.code
    }
    const tooLong = `secret://${'x'.repeat(10_000)}`
    for (const uri of ['secret://50%', tooLong]) {
      expect([await code(uri, reader), await code(uri, writer)]).toEqual([
        'RESOURCE_NOT_FOUND',
        'INVALID_ARGUMENTS',
      ])
    }
  })

  it('is decided for each call anew: scopes count, not the key', async () => {
    const { runtime } = await started({ tools: [tool('hidden', () => 1, { metadata: secret })] })
    expect(reader.key).toBe(writer.key)
    const oks = []
    for (const principal of [writer, reader, writer, reader])
      oks.push((await runtime.call('hidden', {}, { principal })).ok)
    expect(oks).toEqual([true, false, true, false])
  })

  it('goes on running for a call that began while it was seen', async () => {
    let isOpen = true
    const { runtime } = await started({
      tools: [
        tool(
          'slow',
          async () => {
            isOpen = false
            await new Promise(setImmediate)
            return 'done'
          },
          { metadata: { visibility: () => isOpen } },
        ),
      ],
    })
    expect(await runtime.call('slow')).toMatchObject({ ok: true, value: 'done' })
    expect(await runtime.call('slow')).toMatchObject({ ok: false, error: { code: 'TOOL_NOT_FOUND' } })
  })
})
