import type { CodeKeywordDefinition } from 'ajv'
import type { ValidationBudget } from './schema-budget.js'
import type { SchemaObject } from './schema-references.js'

type Codegen = Pick<typeof import('ajv'), '_'>

/**
 * `dependentRequired`, and `dependencies` with it, in place of Ajv's, which writes a condition for each name: a few thousand of
 * them took it many seconds and then all of the stack.
 */
export function dependencyKeywords(
  codegen: Codegen,
  budget: ValidationBudget,
): readonly CodeKeywordDefinition[] {
  return ['dependentRequired', 'dependencies'].map((keyword) => dependencyKeyword(codegen, keyword, budget))
}

function dependencyKeyword({ _ }: Codegen, keyword: string, budget: ValidationBudget): CodeKeywordDefinition {
  return {
    keyword,
    type: 'object',
    schemaType: 'object',
    trackErrors: true,
    error: {
      message: keyword,
      params: ({ params: { missing } }) =>
        _`{ property: ${missing}.property, missingProperty: ${missing}.missingProperty }`,
    },
    code(cxt) {
      const { gen, data, it, errsCount } = cxt
      const isFine = _`${errsCount} === errors`
      const members = Object.entries(cxt.schema as SchemaObject)
      const lists = members.flatMap(([name, names]) => (Array.isArray(names) ? [[name, names] as const] : []))
      const find = gen.scopeValue('func', {
        ref: (value: object) => missingNames(value, lists, budget),
      })
      gen.forOf('missing', _`${find}(${data})`, (missing) => {
        cxt.setParams({ missing })
        cxt.error()
        if (!it.allErrors) gen.break()
      })
      for (const [name, dependent] of members) {
        if (Array.isArray(dependent)) continue
        const isGiven = _`Object.hasOwn(${data}, ${name})`
        gen.if(it.allErrors ? isGiven : _`${isFine} && ${isGiven}`, () => {
          cxt.subschema({ keyword, schemaProp: name }, gen.name('valid'))
        })
      }
      cxt.ok(isFine)
    },
  }
}

/** A property, and what must be given with it. */
type Dependency = readonly [property: string, names: readonly string[]]

interface MissingName {
  readonly property: string
  readonly missingProperty: string
}

function missingNames(
  value: object,
  lists: readonly Dependency[],
  budget: ValidationBudget,
): readonly MissingName[] {
  budget.spend(lists.length)
  return lists
    .filter(([property]) => Object.hasOwn(value, property))
    .flatMap(([property, names]) => {
      budget.spend(names.length)
      return names
        .filter((name) => !Object.hasOwn(value, name))
        .map((missingProperty) => ({ property, missingProperty }))
    })
}
