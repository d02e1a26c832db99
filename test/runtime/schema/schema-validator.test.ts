import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SchemaCompileError, SchemaValidator } from '../../../src/runtime/schema/schema-validator.js'
import { compile, deepFreeze } from './schema-fixture.js'

describe('SchemaValidator', () => {
  it('gives the same validator for the same document, and one that never fills in defaults beside one that does', () => {
    const validator = new SchemaValidator()
    const schema = deepFreeze({ properties: { a: { default: 1 } } })
    const plain = validator.compile(schema)
    const filling = validator.compile(schema, { applyDefaults: true })
    expect(validator.compile(schema)).toBe(plain)
    expect(validator.compile(schema, { applyDefaults: true })).toBe(filling)
    const value = {}
    plain(value)
    expect(value).toEqual({})
    filling(value)
    expect(value).toEqual({ a: 1 })
  })

  it('answers a valid value with the same empty list', () => {
    const validate = compile({ type: 'object' })
    expect(validate({})).toEqual([])
    expect(validate({})).toBe(validate({}))
  })

  it('compiles anew after release', () => {
    const validator = new SchemaValidator()
    const schema = deepFreeze({ type: 'object' })
    const first = validator.compile(schema)
    validator.release(schema)
    expect(validator.compile(schema)).not.toBe(first)
  })

  it('refuses a schema with a fault, every time, and says what the fault is', () => {
    const validator = new SchemaValidator()
    const schema = deepFreeze({ properties: { a: { $ref: 'https://example.test/x' } } })
    const reason =
      'the schema is wrong at "/properties/a/$ref": $ref "https://example.test/x" leaves the schema; copy what it refers to under $defs'
    expect(() => validator.compile(schema)).toThrow(new SchemaCompileError(reason))
    expect(() => validator.compile(schema)).toThrow(reason)
  })

  it('compiles again a schema whose compilation failed for want of stack alone', () => {
    const validator = new SchemaValidator()
    const schema = deepFreeze({ properties: { a: { anyOf: [{ type: 'integer' }, { items: { not: {} } }] } } })
    validator.compile(deepFreeze({ type: 'object' }))
    expect(firstRefusalOnFullStack(() => validator.compile(schema))?.message).toBe(
      'the schema does not compile: Maximum call stack size exceeded',
    )
    expect(validator.compile(schema)({ a: 1 })).toEqual([])
  })

  it('throws, and never answers "valid", when the compiled code fails', () => {
    const validate = compile({ properties: { a: { type: 'string' } } })
    const value = {
      get a(): never {
        throw new Error('no value today')
      },
    }
    expect(() => validate(value)).toThrow(SchemaCompileError)
    expect(() => validate(value)).toThrow('the compiled schema fails: no value today')
  })

  it('loads Ajv when a schema is compiled, not when the module is imported or a schema is checked', () => {
    const script = `
      import { createRequire } from 'node:module'
      import { SchemaValidator } from './src/runtime/schema/schema-validator.ts'
      const { cache } = createRequire(import.meta.url)
      const loaded = () => Object.keys(cache).some((file) => /[\\\\/]node_modules[\\\\/]ajv[\\\\/]/.test(file))
      const validator = new SchemaValidator()
      const schema = { type: 'object' }
      validator.check(schema)
      const before = loaded()
      validator.compile(schema)
      console.log(JSON.stringify([before, loaded()]))`
    const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script])
    expect(JSON.parse(String(output))).toEqual([false, true])
  })

  it('never changes the schema, nor a value when it fills in nothing', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    const schema = deepFreeze({
      $id: 'urn:t',
      properties: { a: { type: 'string', default: 'x' }, b: { anyOf: [{ type: 'integer' }, { $ref: '#' }] } },
      additionalProperties: { type: ['string', 'number', 'null', 'boolean'] },
    })
    const before = structuredClone(schema)
    const validate = compile(schema)
    fc.assert(
      fc.property(value, (given) => {
        const copy = structuredClone(given)
        validate(given)
        expect(given).toEqual(copy)
      }),
    )
    expect(schema).toEqual(before)
  })
})

/** Fills the stack, then asks from ever fewer calls deep until a compile error tells why, or none does. */
function firstRefusalOnFullStack(ask: () => unknown): SchemaCompileError | undefined {
  let refusal: SchemaCompileError | undefined
  let isOver = false

  function descend(): void {
    try {
      descend()
    } catch {
      // The stack is full: each call that is left tries in its turn.
    }
    if (isOver) return
    try {
      ask()
      isOver = true
    } catch (error) {
      if (!(error instanceof SchemaCompileError)) return
      refusal = error
      isOver = true
    }
  }

  descend()
  return refusal
}
