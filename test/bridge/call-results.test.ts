import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { InvalidArgumentsError, ToolNotFoundError, UpstreamError } from '../../src/registry/tool-error.js'
import { tool } from '../runtime/runtime-fixture.js'
import { ToolFailureForTest } from './fixtures/failing-error.js'
import { messagesOf, modern, openSession, request, send, served } from './fixtures/http-server.js'

let http: Awaited<ReturnType<typeof served>>
let session: Record<string, string>

beforeAll(async () => {
  const own = tool('own', () => {
    throw new ToolFailureForTest()
  })
  const leaky = tool('leaky', () => {
    throw Object.assign(new UpstreamError('down', { status: 503 }), {
      config: { token: 'secret' },
      issues: 'secret',
    })
  })
  const verbose = tool('verbose', () => {
    const issue = {
      path: '/a',
      keyword: 'x'.repeat(9_000),
      message: 'y'.repeat(9_000),
      params: { all: 'z'.repeat(9_000) },
    }
    throw new InvalidArgumentsError('verbose', Array(3_000).fill(issue))
  })
  const outer = tool('outer', () => {
    throw new ToolNotFoundError('inner')
  })
  http = await served({}, [own, leaky, verbose, outer])
  session = await openSession(http.url)
})

afterAll(() => http[Symbol.asyncDispose]())

const ERAS = ['legacy', 'modern'] as const

async function answer(era: (typeof ERAS)[number], method: string, params: Readonly<Record<string, unknown>>) {
  const raw =
    era === 'legacy' ? { headers: session, body: request(2, method, params) } : modern(2, method, params)
  const message = (await messagesOf(await send(http.url, raw))).at(-1) as Record<
    string,
    Record<string, unknown>
  >
  if (message.error !== undefined) return message.error
  // What the new era adds to every result.
  const { resultType: _type, _meta, ...result } = message.result ?? {}
  const { 'io.modelcontextprotocol/serverInfo': _info, ...meta } = (_meta ?? {}) as Record<string, unknown>
  return { ...result, ...(Object.keys(meta).length > 0 && { _meta: meta }) }
}

const call = (era: (typeof ERAS)[number], name: string, args?: unknown) =>
  answer(era, 'tools/call', { name, ...(args !== undefined && { arguments: args }) })

/** W3C trace id: what the log has of the call has the same. */
const TRACE_ID = expect.stringMatching(/^[0-9a-f]{32}$/)
const MAY_HAVE_ACTED = '. It may have taken effect: check before you call it again'

describe.each(ERAS)('tools/call, %s', (era) => {
  it.each([
    ['a string as it is', 'greet', { content: [{ type: 'text', text: 'hello' }] }],
    ['no content for no value', 'nothing', { content: [] }],
    [
      'content, annotations and order kept',
      'blocks',
      {
        content: [
          { type: 'text', text: 'seen' },
          { type: 'image', data: 'AA==', mimeType: 'image/png', annotations: { audience: ['user'] } },
          { type: 'resource_link', uri: 'file:///a.txt', name: 'a' },
          { type: 'resource', resource: { uri: 'file:///b', blob: 'AA==' } },
        ],
      },
    ],
    [
      'a stand-in marked as one',
      'degraded',
      {
        content: [{ type: 'text', text: 'old' }],
        _meta: { 'example.com/age': 3, 'toolwire/degraded': true },
      },
    ],
    [
      'a failure without its cause',
      'boom',
      {
        content: [{ type: 'text', text: `The tool failed${MAY_HAVE_ACTED}` }],
        isError: true,
        _meta: {
          'toolwire/error': {
            traceId: TRACE_ID,
            code: 'EXECUTION_FAILED',
            message: 'The tool failed',
            retryable: false,
            outcome: 'unknown',
          },
        },
      },
    ],
    [
      'an error thrown on purpose, with its fields',
      'upstream',
      {
        content: [{ type: 'text', text: 'The weather service is down' }],
        isError: true,
        _meta: {
          'toolwire/error': {
            traceId: TRACE_ID,
            code: 'UPSTREAM_FAILED',
            message: 'The weather service is down',
            retryable: false,
            outcome: 'unknown',
            status: 503,
          },
        },
      },
    ],
    [
      'how long to wait',
      'limited',
      {
        content: [{ type: 'text', text: 'Too many calls of "limited"; try again in 2 s' }],
        isError: true,
        _meta: {
          'toolwire/error': {
            traceId: TRACE_ID,
            code: 'RATE_LIMITED',
            message: 'Too many calls of "limited"; try again in 2 s',
            retryable: true,
            outcome: 'not-started',
            retryAfterMs: 1_500,
          },
        },
      },
    ],
  ])('gives %s', async (_what, name, result) => {
    expect(await call(era, name)).toEqual(result)
  })

  it('says what is wrong with a block that is none', async () => {
    expect(await call(era, 'bad_block')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('content/0/mimeType must be a MIME type') }],
    })
  })

  it('shows no field of an error but those that clients know', async () => {
    const fields = async (name: string) => {
      const { _meta } = (await call(era, name)) as { _meta: Record<string, unknown> }
      return _meta['toolwire/error']
    }
    const told = { retryable: false, traceId: TRACE_ID }
    expect([await fields('leaky'), await fields('own')]).toEqual([
      { ...told, code: 'UPSTREAM_FAILED', message: 'down', outcome: 'unknown', status: 503 },
      { ...told, code: 'OWN', message: 'own', outcome: 'not-started' },
    ])
  })

  it('shows no more of an error than a client can use', async () => {
    const failed = (await call(era, 'verbose')) as {
      content: [{ text: string }]
      _meta: { 'toolwire/error': { message: string; issues: object[] } }
    }
    const { message, issues } = failed._meta['toolwire/error']
    expect([failed.content[0].text.length, message.length, issues.length]).toEqual([10_001, 10_001, 100])
    expect(issues[99]).toEqual({ path: '/a', keyword: `${'x'.repeat(500)}…`, message: `${'y'.repeat(500)}…` })
  })

  it('shows all that is wrong with the arguments, for the model and for programs', async () => {
    expect(await call(era, 'add', { a: 'x' })).toMatchObject({
      isError: true,
      _meta: {
        'toolwire/error': { code: 'INVALID_ARGUMENTS', issues: [{ keyword: 'required' }, { path: '/a' }] },
      },
    })
  })

  it.each([
    ['an array', [1]],
    ['a string', '{}'],
    ['5', 5],
  ])('refuses arguments that are %s as a broken request, in a sentence', async (what, args) => {
    expect(await call(era, 'add', args)).toEqual({
      code: -32602,
      message: `Invalid arguments for "add": arguments must be an object of named arguments (got ${what})`,
    })
  })

  it('tells a tool that does not exist from one that calls such a tool', async () => {
    expect(await call(era, 'inner')).toEqual({ code: -32602, message: 'Unknown tool "inner"' })
    expect(await call(era, 'outer')).toMatchObject({
      isError: true,
      content: [{ text: 'Unknown tool "inner"' }],
    })
  })

  it.each([{}, { name: 5 }])('refuses %j, which names no tool', async (params) => {
    expect(await answer(era, 'tools/call', params)).toEqual({
      code: -32602,
      message: 'tools/call needs params.name, the name of a tool',
    })
  })

  it('answers what goes wrong in our own code without a detail, and logs it', async () => {
    const broken = vi.spyOn(http.runtime, 'run').mockRejectedValue(new TypeError('secret'))
    const failed = await call(era, 'greet')
    broken.mockRestore()
    expect(failed).toEqual({ code: -32603, message: 'Internal error' })
    expect(http.logger.lines.filter(({ level }) => level === 'error').at(-1)).toMatchObject({
      message: 'MCP request failed',
      fields: { method: 'tools/call', err: { type: 'TypeError' } },
    })
  })

  it('knows no other methods', async () => {
    expect(await answer(era, 'tools/none', {})).toEqual({ code: -32601, message: 'Method not found' })
  })
})

it('gives structured values that are no object to the new era alone, as text to both', async () => {
  const text = { content: [{ type: 'text', text: '[1,2]' }] }
  expect([await call('legacy', 'numbers'), await call('modern', 'numbers')]).toEqual([
    text,
    { ...text, structuredContent: [1, 2] },
  ])
  const outputSchemas = await Promise.all(
    ERAS.map(async (era) => {
      const { tools } = (await answer(era, 'tools/list', {})) as { tools: Record<string, unknown>[] }
      return tools.find(({ name }) => name === 'numbers')?.outputSchema
    }),
  )
  expect(outputSchemas).toEqual([undefined, { type: 'array', items: { type: 'integer' } }])
})

it('tells clients of 2026-07-28 how long a list is good', async () => {
  expect(await answer('modern', 'tools/list', {})).toMatchObject({ ttlMs: 30_000, cacheScope: 'public' })
  expect(await answer('legacy', 'tools/list', {})).not.toHaveProperty('ttlMs')
})
