import type { CodeKeywordDefinition } from 'ajv'
import { isObject } from '../../registry/json-value.js'
import { isMultiple } from '../../registry/schema-violation.js'
import type { ValidationBudget } from './schema-budget.js'

type Codegen = Pick<typeof import('ajv'), '_'>

/**
 * The keywords that read a whole value (its text, its members, its parts), in place of Ajv's: here each takes its steps
 * from the budget. Equality is that of JSON: Ajv's is quadratic on lists of objects, and calls whatever function-like
 * property (`valueOf`) a value brings along. With them `multipleOf`, which means here what it means to the builders.
 */
export function budgetedKeywords({ _ }: Codegen, budget: ValidationBudget): readonly CodeKeywordDefinition[] {
  function sizeKeyword(keyword: string, type: 'string' | 'object', sizeOf: object): CodeKeywordDefinition {
    const isExceeded = keyword.startsWith('max') ? _`>` : _`<`
    return {
      keyword,
      type,
      schemaType: 'number',
      error: { message: keyword, params: ({ schemaCode }) => _`{ limit: ${schemaCode} }` },
      code(cxt) {
        const size = cxt.gen.scopeValue('func', { ref: sizeOf })
        cxt.fail(_`${size}(${cxt.data}) ${isExceeded} ${cxt.schemaCode}`)
      },
    }
  }

  function equalityKeyword(
    keyword: 'enum' | 'const',
    valuesOf: (schema: unknown) => readonly unknown[],
  ): CodeKeywordDefinition {
    const param = keyword === 'enum' ? _`allowedValues` : _`allowedValue`
    return {
      keyword,
      error: { message: keyword, params: ({ schemaCode }) => _`{ ${param}: ${schemaCode} }` },
      code(cxt) {
        const isOneOf = cxt.gen.scopeValue('func', { ref: membership(valuesOf(cxt.schema), budget) })
        cxt.fail(_`!${isOneOf}(${cxt.data})`)
      },
    }
  }

  const uniqueItems: CodeKeywordDefinition = {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'uniqueItems', params: ({ params }) => _`${params.pair}` },
    code(cxt) {
      if (cxt.schema === false) return
      const findPair = cxt.gen.scopeValue('func', {
        ref: (items: readonly unknown[]) => equalPair(items, budget),
      })
      const pair = cxt.gen.const('pair', _`${findPair}(${cxt.data})`)
      cxt.setParams({ pair })
      cxt.fail(_`${pair} !== undefined`)
    },
  }

  const multipleOf: CodeKeywordDefinition = {
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    error: { message: 'multipleOf', params: ({ schemaCode }) => _`{ multipleOf: ${schemaCode} }` },
    code(cxt) {
      const test = cxt.gen.scopeValue('func', { ref: isMultiple })
      cxt.fail(_`!${test}(${cxt.data}, ${cxt.schemaCode})`)
    },
  }

  const lengthOf = (text: string) => codePoints(text, budget)
  const memberCountOf = (value: object) => memberCount(value, budget)
  return [
    sizeKeyword('minLength', 'string', lengthOf),
    sizeKeyword('maxLength', 'string', lengthOf),
    sizeKeyword('minProperties', 'object', memberCountOf),
    sizeKeyword('maxProperties', 'object', memberCountOf),
    equalityKeyword('enum', (schema) => schema as readonly unknown[]),
    equalityKeyword('const', (schema) => [schema]),
    uniqueItems,
    multipleOf,
  ]
}

/** What listing the members of an object takes for each. */
const STEPS_PER_MEMBER = 4

function codePoints(text: string, budget: ValidationBudget): number {
  budget.spendOn(text)
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0xd800 && code <= 0xdbff && isLowSurrogate(text.charCodeAt(at + 1))) at++
    count++
  }
  return count
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

function memberCount(value: object, budget: ValidationBudget): number {
  const { length } = Object.keys(value)
  budget.spend(length * STEPS_PER_MEMBER)
  return length
}

/** Whether a value is one of the allowed ones: scalars are looked up, anything larger is compared with each. */
function membership(values: readonly unknown[], budget: ValidationBudget): (value: unknown) => boolean {
  const scalars = new Set(values.filter((value) => !isLarge(value)))
  const large = values.filter(isLarge)
  return (value) => {
    if (isLarge(value)) return large.some((other) => isEqual(value, other, budget))
    if (typeof value === 'string') budget.spendOn(value)
    return scalars.has(value)
  }
}

function isEqual(left: unknown, right: unknown, budget: ValidationBudget): boolean {
  budget.spend(1)
  if (!isLarge(left) || !isLarge(right)) return left === right
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  budget.spend(names.length * STEPS_PER_MEMBER)
  return names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name], budget))
}

function equalPair(
  items: readonly unknown[],
  budget: ValidationBudget,
): { readonly i: number; readonly j: number } | undefined {
  const seen = new Map<unknown, number>()
  for (const [index, item] of items.entries()) {
    const identity = identityOf(item, budget)
    const first = seen.get(identity)
    if (first !== undefined) return { i: first, j: index }
    seen.set(identity, index)
  }
  return undefined
}

/** The same for equal JSON values only. The mark keeps a string from posing as an object. */
function identityOf(value: unknown, budget: ValidationBudget): unknown {
  if (isLarge(value)) return `\u0000${canonical(value, budget)}`
  if (typeof value !== 'string') return value
  budget.spendOn(value)
  return `s${value}`
}

function canonical(value: unknown, budget: ValidationBudget): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, budget)).join(',')}]`
  if (isObject(value)) {
    const members = Object.keys(value).sort()
    return `{${members.map((name) => `${canonical(name, budget)}:${canonical(value[name], budget)}`).join(',')}}`
  }
  const text = JSON.stringify(value)
  budget.spend(2 + (text.length >> 1))
  return text
}

function isLarge(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null
}
