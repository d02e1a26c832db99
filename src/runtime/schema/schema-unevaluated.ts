import type { CodeKeywordDefinition } from 'ajv'
import { isObject } from '../../registry/json-value.js'
import { createSafePattern, type SafePattern } from './pattern/safe-pattern.js'
import type { ValidationBudget } from './schema-budget.js'
import { formTarget } from './schema-form.js'
import type { SchemaObject } from './schema-references.js'

type Codegen = Pick<typeof import('ajv'), '_'>

/** Whether a value matches the definition of a form that a reference (`#` or `#/$defs/…`) leads to. */
export type MatchesReference = (reference: string, value: unknown) => boolean

/** What finding the parts that are left over asks of the compiled form. */
export interface UnevaluatedOptions {
  /** The form of a document; it uses one of the keywords, so every branch in it is a reference. */
  readonly document: SchemaObject
  readonly budget: ValidationBudget
  readonly matches: MatchesReference
}

/**
 * `unevaluatedProperties` and `unevaluatedItems` (JSON Schema core 2020-12, section 11), in place of Ajv's, which takes `contains`
 * for all items, forgets an `if` without `then`, and generates code that throws beside others.
 */
export function unevaluatedKeywords(
  { _ }: Codegen,
  options: UnevaluatedOptions,
): readonly CodeKeywordDefinition[] {
  const parts = new UnevaluatedParts(options)
  const errorCount = _`errors`

  const unevaluatedProperties: CodeKeywordDefinition = {
    keyword: 'unevaluatedProperties',
    type: 'object',
    schemaType: ['boolean', 'object'],
    trackErrors: true,
    error: {
      message: 'unevaluatedProperties',
      params: ({ params }) => _`{ unevaluatedProperty: ${params.name} }`,
    },
    code(cxt) {
      const { gen, schema, data, parentSchema, it, errsCount } = cxt
      if (schema === true) return
      const leftOf = gen.scopeValue('func', { ref: (value: object) => parts.namesLeft(parentSchema, value) })
      gen.forOf('name', _`${leftOf}(${data})`, (name) => {
        if (schema === false) {
          cxt.setParams({ name })
          cxt.error()
          if (!it.allErrors) gen.break()
        } else {
          const valid = gen.name('valid')
          cxt.subschema({ keyword: 'unevaluatedProperties', dataProp: name }, valid)
          if (!it.allErrors) gen.if(_`!${valid}`, () => gen.break())
        }
      })
      cxt.ok(_`${errsCount} === ${errorCount}`)
    },
  }

  const unevaluatedItems: CodeKeywordDefinition = {
    keyword: 'unevaluatedItems',
    type: 'array',
    schemaType: ['boolean', 'object'],
    trackErrors: true,
    error: { message: 'unevaluatedItems', params: ({ params }) => _`{ limit: ${params.limit} }` },
    code(cxt) {
      const { gen, schema, data, parentSchema, it, errsCount } = cxt
      if (schema === true) return
      const leftOf = gen.scopeValue('func', {
        ref: (items: readonly unknown[]) => parts.indicesLeft(parentSchema, items),
      })
      const left = gen.const('left', _`${leftOf}(${data})`)
      const eachItem = () =>
        gen.forOf('index', left, (index) => {
          const valid = gen.name('valid')
          cxt.subschema({ keyword: 'unevaluatedItems', dataProp: index }, valid)
          if (!it.allErrors) gen.if(_`!${valid}`, () => gen.break())
        })
      if (schema === false) {
        const limit = gen.const('limit', _`${data}.length - ${left}.length`)
        cxt.setParams({ limit })
        // Where the items that are left are the last ones, the list is too long; else each of them is wrong.
        gen.if(_`${left}[0] === String(${limit})`, () => cxt.error(), eachItem)
      } else eachItem()
      cxt.ok(_`${errsCount} === ${errorCount}`)
    },
  }

  return [unevaluatedProperties, unevaluatedItems]
}

/** A value and those of its parts that no schema has looked at so far, by property name or index. */
interface Remainder {
  readonly value: { readonly [part: string]: unknown }
  readonly left: Set<string>
}

class UnevaluatedParts {
  readonly #options: UnevaluatedOptions
  readonly #patterns = new Map<string, SafePattern>()

  constructor(options: UnevaluatedOptions) {
    this.#options = options
  }

  /** The properties that nothing beside or below `unevaluatedProperties` in its schema has evaluated. */
  namesLeft(holder: SchemaObject, value: object): readonly string[] {
    const { unevaluatedProperties, ...others } = holder
    return this.#leftBy(others, value)
  }

  /** The same for `unevaluatedItems`; indices as strings. */
  indicesLeft(holder: SchemaObject, items: readonly unknown[]): readonly string[] {
    const { unevaluatedItems, ...others } = holder
    return this.#leftBy(others, items)
  }

  #leftBy(schema: SchemaObject, value: object): readonly string[] {
    const left = new Set(Object.keys(value))
    this.#strike(schema, { value: value as Remainder['value'], left })
    return [...left]
  }

  /** Strikes out what `schema` evaluates. Only a schema that the value matches evaluates anything. */
  #strike(schema: unknown, remainder: Remainder): void {
    const { value, left } = remainder
    if (!isObject(schema) || left.size === 0) return
    this.#options.budget.spend(1 + left.size)
    if (Array.isArray(value)) this.#strikeItems(schema, remainder)
    else this.#strikeProperties(schema, remainder)
    if (typeof schema.$ref === 'string')
      this.#strike(formTarget(this.#options.document, schema.$ref), remainder)
    for (const part of listOf(schema.allOf)) this.#strike(part, remainder)
    for (const branch of [...listOf(schema.anyOf), ...listOf(schema.oneOf)])
      if (this.#matches(branch, value)) this.#strike(branch, remainder)
    if (schema.if !== undefined) {
      const isMet = this.#matches(schema.if, value)
      for (const part of isMet ? [schema.if, schema.then] : [schema.else]) this.#strike(part, remainder)
    }
  }

  #strikeProperties(schema: SchemaObject, remainder: Remainder): void {
    const { value, left } = remainder
    const { properties = {}, patternProperties = {}, dependentSchemas, dependencies } = schema
    const patterns = Object.keys(Object(patternProperties)).map((pattern) => this.#patternOf(pattern))
    for (const name of left) {
      if (Object.hasOwn(Object(properties), name) || patterns.some((pattern) => pattern.test(name)))
        left.delete(name)
    }
    if (schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined) left.clear()
    for (const dependents of [dependentSchemas, dependencies]) {
      for (const [name, part] of Object.entries(Object(dependents)))
        if (Object.hasOwn(value, name)) this.#strike(part, remainder)
    }
  }

  #strikeItems(schema: SchemaObject, { value, left }: Remainder): void {
    for (const index of listOf(schema.prefixItems).keys()) left.delete(String(index))
    if (schema.items !== undefined || schema.unevaluatedItems !== undefined) left.clear()
    if (schema.contains === undefined) return
    for (const index of left) if (this.#matches(schema.contains, value[index])) left.delete(index)
  }

  #matches(branch: unknown, value: unknown): boolean {
    if (typeof branch === 'boolean') return branch
    return this.#options.matches(String((branch as SchemaObject).$ref), value)
  }

  #patternOf(source: string): SafePattern {
    const known =
      this.#patterns.get(source) ?? createSafePattern(source, (steps) => this.#options.budget.spend(steps))
    this.#patterns.set(source, known)
    return known
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
