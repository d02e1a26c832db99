import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fingerprint } from '../../src/registry/fingerprint.js'
import { JsonSchema } from '../../src/registry/json-schema.js'
import { Principal } from '../../src/registry/principal.js'
import { SchemaProperty } from '../../src/registry/schema-property.js'
import { asking, echo } from './arguments-fixture.js'
import { gist, started } from './runtime-fixture.js'

const raw = {
  type: 'object',
  properties: { tenant: { type: 'string' }, q: { type: 'integer' } },
  required: ['tenant', 'q'],
  additionalProperties: false,
} as const
const built = JsonSchema.object(
  { tenant: SchemaProperty.STRING, q: SchemaProperty.INTEGER },
  { required: ['tenant', 'q'] },
)
const library = z.strictObject({ tenant: z.string(), q: z.int() })
const ofRaw = echo(raw)
  .bindParameters({ tenant: ({ principal }) => principal?.subject })
  .executor(({ args }) => args)
  .build()
const ofBuilt = echo(built)
  .bindParameters({ tenant: ({ principal }) => principal?.subject })
  .executor(({ args }) => args)
  .build()
const ofLibrary = echo(library)
  .bindParameters({ tenant: async ({ principal }) => principal?.subject })
  .executor(({ args }) => args)
  .build()
const alice = { principal: new Principal({ subject: 'alice' }) }

describe.each([
  ['a raw schema', ofRaw],
  ['a built schema', ofBuilt],
  ['a schema library, asynchronously', ofLibrary],
])('a bound parameter of %s', (_, tool) => {
  it('is not published, and set from the context', async () => {
    const { runtime } = await started({ tools: [tool] })
    expect(tool.inputSchema).toMatchObject({ properties: { q: {} }, required: ['q'] })
    expect(JSON.stringify(tool.inputSchema)).not.toContain('tenant')
    expect(Object.isFrozen(tool.inputSchema.required)).toBe(true)
    expect(runtime.registry.list()[0]?.inputSchema).toBe(tool.inputSchema)
    expect(gist(await runtime.call('echo', { q: 1 }, alice))).toEqual({ value: { tenant: 'alice', q: 1 } })
  })

  it('is refused where the caller sends it, whatever it is', async () => {
    const { runtime } = await started({ tools: [tool] })
    expect(await runtime.call('echo', { q: 1, tenant: 'alice' }, alice)).toMatchObject({
      error: {
        code: 'INVALID_ARGUMENTS',
        issues: [
          {
            path: '/tenant',
            keyword: 'bound',
            message: '"tenant" is set by the server and cannot be sent; leave it out',
          },
        ],
      },
    })
  })

  it('ends the call with FORBIDDEN where it is required and there is none, without its name', async () => {
    const { runtime } = await started({ tools: [tool] })
    const result = await runtime.call('echo', { q: 1 })
    expect(gist(result)).toEqual({ code: 'FORBIDDEN', outcome: 'not-started' })
    expect(!result.ok && result.error.message).not.toContain('tenant')
    expect(String(!result.ok && result.error.cause)).toContain('tenant')
  })

  it('is not named among the allowed arguments', async () => {
    const { runtime } = await started({ tools: [tool] })
    const result = await runtime.call('echo', { q: 1, x: 1 }, alice)
    expect(result).toMatchObject({ error: { code: 'INVALID_ARGUMENTS' } })
    expect(!result.ok && JSON.stringify([result.error, result.error.message])).not.toContain('tenant')
  })
})

describe('bound parameters', () => {
  const withSource = (source: () => unknown) =>
    echo(raw)
      .bindParameters({ tenant: source })
      .executor(({ args }) => args)
      .build()

  it.each<[string, () => unknown, string]>([
    ['breaks its schema', () => 7.5, 'TOOL_UNAVAILABLE'],
    ['is no JSON', () => new Map(), 'TOOL_UNAVAILABLE'],
    ['fails', () => Promise.reject(new Error('no store')), 'EXECUTION_FAILED'],
  ])('are nothing that the model could mend: one that %s', async (_, source, code) => {
    const { runtime } = await started({ tools: [withSource(source)] })
    expect(gist(await runtime.call('echo', { q: 1 }))).toEqual({ code, outcome: 'not-started' })
  })

  it('are refused under an alias too', async () => {
    const tool = echo(raw)
      .aliases({ tenant: ['org'] })
      .bindParameters({ tenant: () => 'a' })
      .executor(({ args }) => args)
      .build()
    const { issues, seen } = await asking(tool)
    expect(await issues({ q: 1, org: 'b' })).toEqual([
      '"org" is set by the server and cannot be sent; leave it out',
    ])
    expect(await seen({ q: 1 })).toEqual({ q: 1, tenant: 'a' })
  })

  it("are not the caller's to set either where the step is switched off", async () => {
    const tool = echo({ type: 'object', properties: { tenant: { type: 'string' }, q: { type: 'integer' } } })
      .bindParameters({ tenant: () => 'a' })
      .argumentSteps({ bound: false })
      .executor(({ args }) => args)
      .build()
    const { issues, seen } = await asking(tool)
    expect(await issues({ q: 1, tenant: 'b' })).toEqual([
      '"tenant" is set by the server and cannot be sent; leave it out',
    ])
    expect(await seen({ q: 1 })).toEqual({ q: 1 })
  })

  it.each(['constructor', 'hasOwnProperty', 'toString'])('may be called %s', async (name) => {
    const tool = echo({ type: 'object', properties: { [name]: { type: 'string' }, q: { type: 'integer' } } })
      .bindParameters({ [name]: () => 'a' })
      .executor(({ args }) => args)
      .build()
    const { issues, seen } = await asking(tool)
    expect(await seen({ q: 1 })).toEqual({ q: 1, [name]: 'a' })
    expect(await issues({ q: 1, [name]: 'b' })).toEqual([
      `"${name}" is set by the server and cannot be sent; leave it out`,
    ])
  })

  it('are copied: what a source gives is neither frozen nor shared', async () => {
    const roles = ['admin']
    const tool = echo({ type: 'object', properties: { roles: { type: 'array' } } })
      .bindParameters({ roles: () => roles })
      .executor(({ args }) => args)
      .build()
    const { seen } = await asking(tool)
    expect(await seen({})).toEqual({ roles: ['admin'] })
    expect(Object.isFrozen(roles)).toBe(false)
  })

  it('are no text of a caller: JSON text that a source gives is not repaired', async () => {
    const tool = echo({ type: 'object', properties: { list: { type: 'array' } } })
      .bindParameters({ list: () => '[1]' })
      .executor(({ args }) => args)
      .build()
    const { runtime } = await started({ tools: [tool] })
    expect(gist(await runtime.call('echo'))).toEqual({ code: 'TOOL_UNAVAILABLE', outcome: 'not-started' })
  })

  it('take the default of their schema, and stay away, where the source has nothing', async () => {
    const tool = echo({
      type: 'object',
      properties: { a: { type: 'string', default: 'd' }, b: { type: 'string' } },
    })
      .bindParameters({ a: () => undefined, b: () => undefined })
      .executor(({ args }) => args)
      .build()
    expect(await (await asking(tool)).seen({})).toEqual({ a: 'd' })
  })

  it('count in what a definition is fingerprinted by as little as in what is published', () => {
    const plain = echo({ ...raw, properties: { q: raw.properties.q }, required: ['q'] })
      .executor(() => 1)
      .build()
    expect(fingerprint(ofRaw)).toBe(fingerprint(plain))
    expect(fingerprint(ofRaw.with({}))).toBe(fingerprint(plain))
    expect(ofRaw.with({ name: 'b' }).inputSchema).toEqual(ofRaw.inputSchema)
  })

  it('leave nothing of themselves in examples, defaults and counts of the published schema', () => {
    const tool = echo({
      ...raw,
      required: ['tenant'],
      minProperties: 2,
      default: { tenant: 't', q: 1 },
      examples: [{ tenant: 't', q: 1 }],
    })
      .bindParameters({ tenant: () => 't' })
      .executor(() => 1)
      .build()
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: { q: { type: 'integer' } },
      additionalProperties: false,
      default: { q: 1 },
      examples: [{ q: 1 }],
    })
  })

  it.each<[string, Record<string, unknown>, string]>([
    [
      'a reference into it',
      { properties: { tenant: { type: 'string' }, q: { $ref: '#/properties/tenant' } } },
      'inputSchema/properties/q/$ref: "#/properties/tenant" leads into a parameter that the server sets',
    ],
    [
      'a reference to an anchor in it',
      { properties: { tenant: { $anchor: 't' }, q: { $ref: '#t' } } },
      'inputSchema/properties/q/$ref: "#t" leads into',
    ],
    [
      'a requirement elsewhere',
      { ...raw, anyOf: [{ required: ['tenant'] }] },
      'inputSchema/anyOf/0/required: names "tenant", which the server sets',
    ],
    [
      'a dependency',
      { ...raw, dependentRequired: { q: ['tenant'] } },
      'inputSchema/dependentRequired/q: names "tenant"',
    ],
    [
      'a condition',
      { ...raw, if: { properties: { tenant: { const: 'a' } } } },
      'inputSchema/if/properties/tenant: names "tenant"',
    ],
    [
      'a requirement where a reference leads',
      { ...raw, allOf: [{ $ref: '#/$defs/scoped' }], $defs: { scoped: { required: ['tenant'] } } },
      'inputSchema/allOf/0/$ref/required: names "tenant"',
    ],
    [
      'a list of names',
      { ...raw, propertyNames: { enum: ['q', 'tenant'] } },
      'inputSchema/propertyNames/enum: names "tenant"',
    ],
    [
      'no such argument',
      { properties: {} },
      'bindParameters/tenant: is no argument; the arguments are: none',
    ],
  ])('are refused at the step where the schema has %s', (_, parts, message) => {
    const open = echo({ type: 'object', ...parts })
    expect(() => open.bindParameters({ tenant: () => 'a' })).toThrow(message)
  })

  it('must be functions', () => {
    // @ts-expect-error not a function
    expect(() => echo(built).bindParameters({ tenant: 'alice' })).toThrow(
      'bindParameters/tenant: must be a function (got a string)',
    )
  })
})
