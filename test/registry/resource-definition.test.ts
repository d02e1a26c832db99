import { describe, expect, it, vi } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { ResourceContents } from '../../src/registry/resource-contents.js'
import { ResourceDefinition } from '../../src/registry/resource-definition.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { ToolDefinitionError } from '../../src/registry/tool-definition-error.js'
import { ForbiddenError, InvalidResultError, ResourceNotFoundError } from '../../src/registry/tool-error.js'
import { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { ToolExecutionResult } from '../../src/registry/tool-execution-result.js'
import { toolCall } from '../interceptors/tool-call-fixture.js'

const readme = ResourceDefinition.builder().name('readme').uri('docs://readme')
const docs = ResourceDefinition.builder().name('docs').uriTemplate('docs://{name}{?page}')

/** The context of a call that reads a resource. */
function reading<Args>(args: Args, uri?: string) {
  return new ToolExecutionContext(toolCall({ kind: 'resource', uri }), args)
}

/** What a client is sent where the reader returns `value`. */
async function contentsOf(value: unknown, mimeType?: string) {
  const builder = mimeType === undefined ? readme : readme.mimeType(mimeType)
  const resource = builder.reader(() => value).build()
  return resource.execute(reading({}, 'docs://readme'))
}

describe('ResourceDefinition.builder()', () => {
  it('makes a definition of all that was said', () => {
    const interceptor = { name: 'mine' }
    const resource = readme
      .title('Read me')
      .description('What to read first')
      .mimeType('text/markdown')
      .size(0)
      .annotations({
        audience: ['user', 'assistant'],
        priority: 1,
        lastModified: '2026-01-12T15:00:58+01:00',
      })
      .icons({ src: 'https://example.test/icon.png' })
      .meta({ 'example.test/rank': 1 })
      .metadata({ owner: 'docs-team', tags: ['docs'] })
      .withInterceptor(interceptor)
      .reader(() => '# Hello')
      .build()
    expect({ ...resource }).toEqual({
      kind: 'resource',
      name: 'readme',
      title: 'Read me',
      description: 'What to read first',
      uri: 'docs://readme',
      mimeType: 'text/markdown',
      size: 0,
      annotations: {
        audience: ['user', 'assistant'],
        priority: 1,
        lastModified: '2026-01-12T15:00:58+01:00',
      },
      icons: [{ src: 'https://example.test/icon.png' }],
      meta: { 'example.test/rank': 1 },
      parameters: JsonSchema.empty(),
      metadata: { owner: 'docs-team', tags: ['docs'], readOnly: true, destructive: false, idempotent: true },
      interceptors: [interceptor],
      completers: {},
    })
    expect([resource.inputSchema, resource.outputSchema]).toEqual([JsonSchema.empty().document, undefined])
    expect([
      resource,
      resource.annotations,
      resource.meta,
      resource.metadata,
      resource.interceptors,
    ]).toSatisfy((parts: readonly unknown[]) => parts.every(Object.isFrozen))
  })

  it('leaves out what was not said', () => {
    const resource = readme.reader(() => '').build()
    expect(Object.keys(resource).sort()).toEqual([
      'completers',
      'interceptors',
      'kind',
      'metadata',
      'name',
      'parameters',
      'uri',
    ])
  })

  it('derives the schema of the variables from the template', () => {
    const resource = docs.reader(() => '').build()
    expect([resource.uri, resource.uriTemplate, resource.template?.match('docs://a?page=2')]).toEqual([
      undefined,
      'docs://{name}{?page}',
      { name: 'a', page: '2' },
    ])
    expect(resource.inputSchema).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, page: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    })
  })

  it('takes a schema of exactly these variables', () => {
    const parameters = JsonSchema.object(
      {
        name: SchemaProperty.STRING.withEnum('readme', 'licence'),
        page: SchemaProperty.STRING.withDefault('1'),
      },
      { required: ['name'] },
    )
    const resource = docs
      .parameterSchema(parameters)
      .reader(({ args }) => args.page)
      .build()
    expect(resource.parameters).toBe(parameters)
  })

  it('lets its author say that reading changes something', () => {
    const { metadata } = readme
      .metadata({ readOnly: false })
      .reader(() => '')
      .build()
    expect(metadata).toEqual({ tags: [], readOnly: false, destructive: true, idempotent: false })
  })

  it('returns a new builder at each step, so that two resources can share a half-built one', () => {
    const shared = ResourceDefinition.builder().mimeType('text/plain').withInterceptor({ name: 'both' })
    const a = shared
      .name('a')
      .uri('docs://a')
      .withInterceptor({ name: 'of-a' })
      .reader(() => 'A')
      .build()
    const b = shared
      .name('b')
      .uriTemplate('docs://b/{id}')
      .reader(() => 'B')
      .build()
    expect([a.uri, a.uriTemplate, a.mimeType, a.interceptors.map(({ name }) => name)]).toEqual([
      'docs://a',
      undefined,
      'text/plain',
      ['both', 'of-a'],
    ])
    expect([b.uri, b.uriTemplate, b.mimeType, b.interceptors.map(({ name }) => name)]).toEqual([
      undefined,
      'docs://b/{id}',
      'text/plain',
      ['both'],
    ])
  })

  it.each(['uri', 'uriTemplate', 'parameterSchema', 'reader'] as const)(
    'refuses %s() after reader()',
    (step) => {
      const closed = readme.reader(() => '')
      // @ts-expect-error The address, the schema and the reader are settled.
      expect(() => closed[step]('docs://x')).toThrow(new TypeError(`${step}() must come before reader()`))
    },
  )

  it('refuses a template after the schema of its variables', () => {
    const schema = JsonSchema.object({ name: SchemaProperty.STRING })
    expect(() => ResourceDefinition.builder().parameterSchema(schema).uriTemplate('docs://{name}')).toThrow(
      new TypeError('uriTemplate() must come before parameterSchema()'),
    )
  })

  it('names all that is missing or wrong at once', () => {
    const unfinished = ResourceDefinition.builder()
    // @ts-expect-error There is no reader.
    const error = thrownBy(() => unfinished.build())
    expect(error).toBeInstanceOf(ToolDefinitionError)
    expect(error).toMatchObject({
      message:
        'Resource "(no name)" cannot be used: name: must be 1 to 128 characters on one line, without space around them (got undefined); ' +
        "uri: is missing: add .uri('docs://readme') or .uriTemplate('docs://{name}'); " +
        'reader: is missing: add .reader((ctx) => …)',
      toolName: '(no name)',
    })
  })

  const builder = ResourceDefinition.builder().name('x')
  it.each([
    [
      builder.uri('readme'),
      'uri',
      'must be an absolute URI with a scheme, such as docs://readme (got "readme")',
    ],
    [
      builder.uri('docs://{name}'),
      'uri',
      'must be a URI: "{" has to be percent-encoded in it (got "docs://{name}")',
    ],
    [
      builder.uri('docs:'),
      'uri',
      'must be an absolute URI with a scheme, such as docs://readme (got "docs:")',
    ],
    [
      builder.uri('http://[x'),
      'uri',
      'must be a URI: what comes after the scheme makes no sense (got "http://[x")',
    ],
    [
      builder.uri('docs://x').uriTemplate('docs://{x}'),
      'uri',
      'excludes uriTemplate: a resource has one address, or a template for many',
    ],
    [
      builder.uriTemplate('docs://{x'),
      'uriTemplate',
      'URI template "docs://{x" is wrong at character 7: "{" is not closed',
    ],
    [builder.uriTemplate('{+all}'), 'uriTemplate', 'must begin with a scheme, such as docs://{name}'],
    [
      builder.uriTemplate('docs://x'),
      'uriTemplate',
      'has no variable, such as {name}; use .uri(…) for a single resource',
    ],
    [readme.mimeType('plain'), 'mimeType', 'must be a MIME type such as text/plain (got a string)'],
    [readme.size(1.5), 'size', 'must be a whole number of bytes (got 1.5)'],
    [docs.size(1), 'size', 'is that of one resource: a template has none'],
    [readme.annotations({ priority: 2 }), 'annotations/priority', 'must be a number from 0 to 1 (got 2)'],
    [
      readme.name(' x'),
      'name',
      'must be 1 to 128 characters on one line, without space around them (got " x")',
    ],
    [
      readme.name('a\nb'),
      'name',
      'must be 1 to 128 characters on one line, without space around them (got "a\\nb")',
    ],
    [
      docs.parameterSchema({ type: 'object', properties: { name: {}, page: {}, size: {} } }),
      'inputSchema/properties/size',
      'is no variable; the variables are: name, page',
    ],
    [
      docs.parameterSchema({ type: 'object', properties: { name: {} } }),
      'inputSchema/properties',
      'lacks the variable "page"',
    ],
    [
      docs.parameterSchema({ type: 'array', properties: { name: {}, page: {} } }),
      'inputSchema/type',
      'must be "object": a resource takes named arguments',
    ],
    [readme.complete('page', () => []), 'complete/page', 'completes no variable; the variables are: none'],
  ])('refuses a definition and says why: %#', (open, path, message) => {
    // The builders differ in their variables alone.
    const closed = (open as typeof readme).reader(() => '')
    expect(thrownBy(() => closed.build())).toMatchObject({ faults: [{ path, message }] })
  })

  it('refuses a reader or a completer that is no function', () => {
    // @ts-expect-error A text is no reader.
    expect(() => readme.reader('text')).toThrow(new TypeError('reader must be a function (got a string)'))
    // @ts-expect-error A list is no completer.
    expect(() => docs.complete('name', ['a'])).toThrow(
      new TypeError('complete("name") needs a function (got an array)'),
    )
  })
})

describe('ResourceDefinition', () => {
  it('can be a class of its own', () => {
    class Clock extends ResourceDefinition {
      override execute() {
        return [{ uri: 'time://now', text: '12:00' }]
      }
      override with(changes: { readonly name?: string }) {
        return new Clock({ name: 'clock', uri: 'time://now', interceptors: [], ...changes })
      }
    }
    const clock = new Clock({ name: 'clock', uri: 'time://now', interceptors: [] })
    expect([clock.with({ name: 'watch' }).name, ResourceDefinition.is(clock)]).toEqual(['watch', true])
    expect(() => clock.with({ name: '' })).toThrow(
      'Resource "" cannot be used: name: must be 1 to 128 characters',
    )
  })

  it('recognises definitions, also those of another copy of the module', async () => {
    vi.resetModules()
    const other = await import('../../src/registry/resource-definition.js')
    const resource = readme.reader(() => '').build()
    const foreign = other.ResourceDefinition.builder()
      .name('x')
      .uri('docs://x')
      .reader(() => '')
      .build()
    expect([resource, foreign, { ...resource }, null].map(ResourceDefinition.is)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('gives a changed copy with the same reader', async () => {
    const resource = docs
      .title('Docs')
      .reader(({ args }) => args.name)
      .build()
    const renamed = resource.with({ name: 'other', metadata: { owner: 'team' } })
    expect([renamed.name, renamed.title, renamed.uriTemplate, renamed.metadata.owner, resource.name]).toEqual(
      ['other', 'Docs', 'docs://{name}{?page}', 'team', 'docs'],
    )
    expect(await renamed.execute(reading({ name: 'a' }, 'docs://a'))).toEqual([
      { uri: 'docs://a', text: 'a' },
    ])
    expect(() => resource.with({ uri: 'docs://x' })).toThrow('uri: excludes uriTemplate')
  })
})

describe('ResourceDefinition.execute', () => {
  it('makes text of a string and a blob of bytes, of the type of the definition', async () => {
    const uri = 'docs://readme'
    expect(await contentsOf('')).toEqual([{ uri, text: '' }])
    expect(await contentsOf('# Hi', 'text/markdown')).toEqual([
      { uri, text: '# Hi', mimeType: 'text/markdown' },
    ])
    expect(await contentsOf(Promise.resolve(Uint8Array.of(1, 2)))).toEqual([{ uri, blob: 'AQI=' }])
    expect(await contentsOf(Buffer.from('abc'), 'image/png')).toEqual([
      { uri, blob: 'YWJj', mimeType: 'image/png' },
    ])
  })

  it.each([
    [{ a: [1, null, undefined], at: new Date(0) }, '{"a":[1,null,null],"at":"1970-01-01T00:00:00.000Z"}'],
    [
      { uri: 'docs://x', text: 'plain objects are JSON' },
      '{"uri":"docs://x","text":"plain objects are JSON"}',
    ],
    [[], '[]'],
    [0, '0'],
    [false, 'false'],
    [null, 'null'],
  ])('makes JSON of any other value: %j', async (value, text) => {
    expect(await contentsOf(value)).toEqual([{ uri: 'docs://readme', text, mimeType: 'application/json' }])
    expect(await contentsOf(value, 'application/ld+json')).toEqual([
      { uri: 'docs://readme', text, mimeType: 'application/ld+json' },
    ])
  })

  it('takes contents as they are, and fills in the URI and the type', async () => {
    expect(await contentsOf(ResourceContents.text('x', { meta: { etag: 1 } }), 'text/plain')).toEqual([
      { uri: 'docs://readme', text: 'x', mimeType: 'text/plain', _meta: { etag: 1 } },
    ])
    const list = [
      ResourceContents.text('a', { mimeType: 'text/html' }),
      ResourceContents.blob(Uint8Array.of(1), { uri: 'docs://other' }),
    ]
    const contents = await contentsOf(list, 'text/plain')
    expect(contents).toEqual([
      { uri: 'docs://readme', text: 'a', mimeType: 'text/html' },
      { uri: 'docs://other', blob: 'AQ==' },
    ])
    expect([contents, ...contents]).toSatisfy((parts: readonly unknown[]) => parts.every(Object.isFrozen))
  })

  it('finds no resource where the reader returns undefined (BRG-15)', async () => {
    const error = await contentsOf(undefined).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ResourceNotFoundError)
    expect(error).toMatchObject({ uri: 'docs://readme', code: 'RESOURCE_NOT_FOUND' })
  })

  it.each([
    [
      [ResourceContents.text('a'), 'b'],
      '1 of a list of contents is a string; make all of them with ResourceContents',
    ],
    [{ n: 1n }, 'it holds a bigint, which JSON cannot carry'],
    [{ n: Number.NaN }, 'it holds NaN, which JSON cannot carry'],
    [new Map(), 'it holds an instance of Map, which JSON cannot carry'],
    [{ deep: [new ArrayBuffer(1)] }, 'it holds an instance of ArrayBuffer, which JSON cannot carry'],
    [() => 'x', 'it holds a function, which JSON cannot carry'],
    [cyclic(), 'it cannot be written as JSON'],
  ])('refuses what JSON would lose: %#', async (value, reason) => {
    const error = await contentsOf(value).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InvalidResultError)
    expect(error).toHaveProperty('message', `Resource "readme" returned an invalid result: ${reason}`)
  })

  it('stops at the first value that JSON would lose', async () => {
    const later = { toJSON: vi.fn(() => 'x') }
    await expect(contentsOf([1n, later])).rejects.toThrow('it holds a bigint, which JSON cannot carry')
    expect(later.toJSON).not.toHaveBeenCalled()
  })

  it('refuses more values than any result can hold, before it looks at the items of the list', async () => {
    const first = { toJSON: vi.fn(() => 'x') }
    const list: unknown[] = [first]
    list.length = 5_000_001
    const error = await contentsOf({ list }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'RESULT_TOO_LARGE',
      message: 'Resource "readme" returned a result that is too large: it has more than 5000000 values',
    })
    expect(first.toJSON).not.toHaveBeenCalled()
  })

  it('refuses a small graph that stands for a huge document', async () => {
    let value: object = {}
    for (let i = 0; i < 40; i++) value = { a: value, b: value }
    await expect(contentsOf(value)).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' })
  }, 20_000)

  it('throws the error of a failure, returned or thrown', async () => {
    const error = new ForbiddenError()
    expect(await contentsOf(ToolExecutionResult.failure(error)).catch((thrown: unknown) => thrown)).toBe(
      error,
    )
    expect(await contentsOf(error).catch((thrown: unknown) => thrown)).toBe(error)
    expect(await contentsOf(Promise.reject(error)).catch((thrown: unknown) => thrown)).toBe(error)
    expect(await contentsOf(ToolExecutionResult.success('x'))).toEqual([{ uri: 'docs://readme', text: 'x' }])
  })

  it('gives the reader the call and the URI that is read', async () => {
    const reader = vi.fn((_ctx: unknown, _uri: string) => '')
    const ctx = reading({ name: 'a', page: '2' }, 'docs://a?page=2')
    docs.reader(reader).build().execute(ctx)
    readme.reader(reader).build().execute(reading({}))
    expect(reader.mock.calls.map(([, uri]) => uri)).toEqual(['docs://a?page=2', 'docs://readme'])
    expect(reader.mock.calls[0]?.[0]).toBe(ctx)
    expect(() =>
      docs
        .reader(reader)
        .build()
        .execute(reading({ name: 'a' })),
    ).toThrow(new TypeError('A resource template is read with a context that has a uri'))
  })
})

function cyclic(): unknown {
  const value: Record<string, unknown> = {}
  value.self = value
  return value
}

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown')
}
