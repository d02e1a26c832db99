import { isObject } from '../../registry/json-value.js'
import type { SchemaDialect } from './schema-dialect.js'
import { formTarget } from './schema-form.js'
import { subschemasOf } from './schema-keyword-shape.js'
import type { SchemaObject } from './schema-references.js'

/** Which schema of a form holds which, references followed: tells the error of a branch from one beside it. */
export class SchemaParts {
  readonly #form: SchemaObject
  readonly #dialect: SchemaDialect
  readonly #branches = new Map<unknown, ReadonlyMap<unknown, string>>()

  constructor(form: SchemaObject, dialect: SchemaDialect) {
    this.#form = form
    this.#dialect = dialect
  }

  /** The index of the first schema under the keyword value `branches` that holds `part`; undefined when none does. */
  branchOf(part: unknown, branches: unknown): string | undefined {
    let known = this.#branches.get(branches)
    if (known === undefined) {
      known = this.#index(branches)
      this.#branches.set(branches, known)
    }
    return known.get(part)
  }

  /** The schema itself, or the one that it does nothing but refer to. */
  target(schema: unknown): unknown {
    const isReference =
      isObject(schema) && typeof schema.$ref === 'string' && Object.keys(schema).length === 1
    return isReference ? formTarget(this.#form, String(schema.$ref)) : schema
  }

  #index(branches: unknown): ReadonlyMap<unknown, string> {
    const index = new Map<unknown, string>()
    const entries: readonly (readonly [string, unknown])[] = Array.isArray(branches)
      ? Object.entries(branches)
      : [['0', branches]]
    for (const [name, branch] of entries) {
      const pending = [branch]
      for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
        if (!isObject(part) || index.has(part)) continue
        index.set(part, name)
        if (typeof part.$ref === 'string') pending.push(formTarget(this.#form, part.$ref))
        for (const [keyword, value] of Object.entries(part)) {
          if (keyword !== '$defs')
            pending.push(
              ...subschemasOf(this.#dialect.keywords.get(keyword), value).map(({ schema }) => schema),
            )
        }
      }
    }
    return index
  }
}
