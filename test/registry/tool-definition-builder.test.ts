import { describe, expect, it } from 'vitest'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { ToolDefinition } from '../../src/registry/tool-definition.js'
import { ToolDefinitionError } from '../../src/registry/tool-definition-error.js'
import { ToolExecutionContext } from '../../src/registry/tool-execution-context.js'
import { toolCall } from '../interceptors/tool-call-fixture.js'
import { completeTool, namedTool, partsOf } from './tool-fixture.js'

const noArgs = new ToolExecutionContext(toolCall(), {})

describe('ToolDefinition.builder()', () => {
  it('makes a definition of all that was said', () => {
    const { definition, given } = completeTool()
    expect({ name: definition.name, ...partsOf(definition) }).toEqual({
      name: 'get_weather',
      title: 'Weather',
      description: 'Current weather of a city',
      inputSchema: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
      outputSchema: { type: 'object', properties: { celsius: { type: 'number' } } },
      annotations: given.annotations,
      icons: [given.icon],
      meta: given.meta,
      metadata: { ...given.metadata, readOnly: true, destructive: false, idempotent: true },
      interceptors: given.interceptors,
    })
  })

  it('leaves out what was not said', () => {
    expect(Object.keys(namedTool('ping')).sort()).toEqual([
      'description',
      'interceptors',
      'kind',
      'metadata',
      'name',
      'parameters',
    ])
    expect(namedTool('ping').outputSchema).toBeUndefined()
  })

  it('gives a tool without parameters the schema that takes none', () => {
    expect(namedTool('ping').inputSchema).toEqual({ type: 'object', additionalProperties: false })
  })

  it('returns a new builder at each step, so that two tools can share a half-built one', async () => {
    const shared = ToolDefinition.builder()
      .description('Shared')
      .metadata({ owner: 'team' })
      .withInterceptor({ name: 'both' })
    const a = shared
      .name('a')
      .withInterceptor({ name: 'of-a' })
      .executor(() => 'A')
      .build()
    const b = shared
      .name('b')
      .title('B')
      .executor(() => 'B')
      .build()
    expect([a.name, a.title, a.interceptors.map(({ name }) => name), await a.execute(noArgs)]).toEqual([
      'a',
      undefined,
      ['both', 'of-a'],
      'A',
    ])
    expect([b.name, b.title, b.interceptors.map(({ name }) => name), await b.execute(noArgs)]).toEqual([
      'b',
      'B',
      ['both'],
      'B',
    ])
  })

  it.each(['parameterSchema', 'outputSchema', 'executor'] as const)(
    'refuses %s() after executor()',
    (step) => {
      const closed = ToolDefinition.builder()
        .name('ping')
        .executor(() => 'pong')
      // @ts-expect-error The schemas and the executor are settled.
      expect(() => closed[step](JsonSchema.empty())).toThrow(
        new TypeError(`${step}() must come before executor()`),
      )
    },
  )

  it('refuses an executor that is no function', () => {
    // @ts-expect-error A promise is no executor.
    expect(() => ToolDefinition.builder().executor(Promise.resolve(1))).toThrow(
      new TypeError('executor must be a function (got an instance of Promise)'),
    )
  })

  it('takes the other steps after executor()', () => {
    const definition = ToolDefinition.builder()
      .executor(() => 1)
      .name('late')
      .title('Late')
      .build()
    expect([definition.name, definition.title]).toEqual(['late', 'Late'])
  })

  it('names all that is missing or wrong at once', () => {
    const unfinished = ToolDefinition.builder().parameterSchema({ type: 'array' })
    // @ts-expect-error There is no executor.
    const error = thrownBy(() => unfinished.build())
    expect(error).toBeInstanceOf(ToolDefinitionError)
    expect(error).toMatchObject({
      name: 'ToolDefinitionError',
      toolName: '(no name)',
      faults: [
        { path: 'name', message: 'must be 1 to 128 of A-Z a-z 0-9 _ - . (got undefined)' },
        { path: 'inputSchema/type', message: 'must be "object": a tool takes named arguments' },
        { path: 'executor', message: 'is missing: add .executor((ctx) => …)' },
      ],
      message:
        'Tool "(no name)" cannot be used: name: must be 1 to 128 of A-Z a-z 0-9 _ - . (got undefined); ' +
        'inputSchema/type: must be "object": a tool takes named arguments; executor: is missing: add .executor((ctx) => …)',
    })
  })

  it.each([{}, { type: 'string' }, { type: ['object', 'null'] }, { anyOf: [{ type: 'object' }] }])(
    'refuses %j as the root of a parameter schema',
    (schema) => {
      const builder = ToolDefinition.builder()
        .name('lookup')
        .parameterSchema(schema)
        .executor(() => 1)
      expect(() => builder.build()).toThrow(
        'Tool "lookup" cannot be used: inputSchema/type: must be "object": a tool takes named arguments',
      )
    },
  )

  it.each(['', 'two words', 'weather/get', 'wetter_für', 'a\nb', 'x'.repeat(129), 'a\0'])(
    'refuses the name %j',
    (name) => {
      expect(() => namedTool(name)).toThrow(
        /cannot be used: name: must be 1 to 128 of A-Z a-z 0-9 _ - \. \(got /,
      )
    },
  )

  it.each(['a', 'a.b-c_D9', '__proto__', 'x'.repeat(128)])('takes the name %s', (name) => {
    expect(namedTool(name).name).toBe(name)
  })

  it('cuts a long name in the error', () => {
    const error = thrownBy(() => namedTool('x'.repeat(10_000)))
    expect((error as Error).message).toBe(
      `Tool "${'x'.repeat(80)}…" cannot be used: name: must be 1 to 128 of A-Z a-z 0-9 _ - . (got "${'x'.repeat(80)}…")`,
    )
  })

  it('refuses parts of the wrong type, each by its place, since MCP clients drop the whole list for one', () => {
    const wrong = ToolDefinition.builder()
      .name('wrong')
      .title(null as never)
      .description(5 as never)
      .annotations({ title: {}, readOnlyHint: 'false' } as never)
      .icons({} as never, null as never)
      .meta([] as never)
      .withInterceptor(undefined as never, class Guard {} as never)
      .executor(() => 1)
    expect(thrownBy(() => wrong.build())).toMatchObject({
      faults: [
        { path: 'title', message: 'must be a string (got null)' },
        { path: 'description', message: 'must be a string (got 5)' },
        { path: 'icons/0', message: 'must be an object with a string as src (got an object)' },
        { path: 'icons/1', message: 'must be an object with a string as src (got null)' },
        { path: 'meta', message: 'must be an object (got an array)' },
        { path: 'interceptors/0', message: 'must be an object with hooks (got undefined)' },
        { path: 'interceptors/1', message: 'must be an object with hooks (got a function)' },
        { path: 'annotations/title', message: 'must be a string (got an object)' },
        { path: 'annotations/readOnlyHint', message: 'must be a boolean (got a string)' },
      ],
    })
  })

  it('refuses what JSON cannot carry, with its place', () => {
    const meta = { 'example.test/now': () => Date.now() }
    expect(() => ToolDefinition.builder().meta(meta)).toThrow('/meta/example.test~1now')
  })

  it('refuses metadata that makes no sense where it is said', () => {
    expect(() => ToolDefinition.builder().metadata({ timeoutMs: 0 })).toThrow('metadata.timeoutMs')
  })
})

function thrownBy(fn: () => unknown): unknown {
  try {
    fn()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
