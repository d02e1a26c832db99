import { pointerTo } from '../../registry/json-pointer.js'
import type { JsonSchemaDocument } from '../../registry/json-schema.js'
import { isObject } from '../../registry/json-value.js'
import { shortened } from '../../registry/shortened.js'
import { createSafePattern, PatternError } from './pattern/safe-pattern.js'
import { ACCEPTED_DIALECTS, dialectOf, type SchemaDialect } from './schema-dialect.js'
import { expansionFault } from './schema-expansion.js'
import { shapeFault, subschemasOf } from './schema-keyword-shape.js'
import { type ResolvedReferences, SchemaReferences, type SchemaResource } from './schema-references.js'

/** A fault found in a schema. */
export interface SchemaFault {
  /** JSON Pointer (RFC 6901) into the schema; `''` is its root. */
  readonly path: string
  /** A sentence that says what is wrong there and what would be right. */
  readonly message: string
}

/** A document that was read by the rules: what its compilation needs, and what is wrong with it. */
export interface SchemaReading {
  /** Undefined only with a fault that says so. */
  readonly dialect: SchemaDialect | undefined
  readonly references: ResolvedReferences
  /** At most `MAX_FAULTS`; empty means that it may be compiled. */
  readonly faults: readonly SchemaFault[]
}

/** Levels of JSON nesting in a schema; one level of nested objects takes two. */
export const MAX_SCHEMA_DEPTH = 128
/** JSON values in a schema, those of `enum`, `default` and of unknown keywords included. */
export const MAX_SCHEMA_VALUES = 50_000
/** Characters of all texts and names in a schema; the largest tools that are known have some ten thousand. */
export const MAX_SCHEMA_TEXT = 1_000_000
/** Schemas in a document: large tools have a hundred or two. To compile as many takes about 0.2 s. */
export const MAX_SUBSCHEMAS = 500
/** Characters of all patterns in a schema. To take them apart costs some tenths of a microsecond for each. */
const MAX_PATTERN_TEXT = 20_000
/** Faults reported for one schema. */
export const MAX_FAULTS = 10

/**
 * Reads a schema by the rules of its dialect and by ours: keywords have the shape that the meta-schema asks, every reference
 * stays inside, every pattern is safe, and its size is bounded, also when references are followed. Loads no validator.
 */
export function readSchema(document: JsonSchemaDocument): SchemaReading {
  const dialect = dialectOf(document.$schema)
  return dialect === undefined ? UNKNOWN_DIALECT : new SchemaReader(document, dialect).read()
}

const UNKNOWN_DIALECT: SchemaReading = {
  dialect: undefined,
  references: new Map(),
  faults: Object.freeze([
    Object.freeze({ path: '/$schema', message: `$schema must be ${ACCEPTED_DIALECTS}` }),
  ]),
}

/** Thrown inside to end a reading: behind a bound nothing more is looked at. */
class ReadingEnded extends Error {}

class SchemaReader {
  readonly #document: JsonSchemaDocument
  readonly #dialect: SchemaDialect
  readonly #references: SchemaReferences
  readonly #faults: SchemaFault[] = []
  #resource: SchemaResource
  #values = 0
  #subschemas = 0
  #patternText = 0
  #text = 0

  constructor(document: JsonSchemaDocument, dialect: SchemaDialect) {
    this.#document = document
    this.#dialect = dialect
    this.#references = new SchemaReferences(document, dialect, (path, message) => this.#fault(path, message))
    this.#resource = this.#references.outermost
  }

  read(): SchemaReading {
    const references = this.#readAll()
    return {
      dialect: this.#dialect,
      references,
      faults: Object.freeze(this.#faults),
    }
  }

  #readAll(): ResolvedReferences {
    try {
      this.#readSchema(this.#document, '', 1)
      const references = this.#references.resolve((target, path, resource) => {
        this.#resource = resource
        this.#readSchema(target, path, 1)
      })
      const fault =
        this.#faults.length > 0 ? undefined : expansionFault(this.#document, this.#dialect, references)
      if (fault !== undefined) this.#fault('', fault)
      return references
    } catch (error) {
      if (error instanceof ReadingEnded) return new Map()
      throw error
    }
  }

  #readSchema(schema: unknown, path: string, depth: number): void {
    this.#visit(schema, path, depth)
    if (++this.#subschemas > MAX_SUBSCHEMAS)
      this.#end(path, `the schema has more than ${MAX_SUBSCHEMAS} subschemas`)
    if (typeof schema === 'boolean') return
    if (!isObject(schema)) {
      this.#fault(path, 'a schema must be an object, true or false')
      return
    }
    if (schema.$async !== undefined)
      this.#fault(pointerTo(path, '$async'), '$async is not taken: validation is synchronous')
    const outer = this.#resource
    this.#resource = this.#references.note(schema, path, outer)
    for (const keyword of Object.keys(schema)) {
      this.#readKeyword(keyword, schema[keyword], pointerTo(path, keyword), depth + 1)
    }
    this.#resource = outer
  }

  #readKeyword(keyword: string, value: unknown, path: string, depth: number): void {
    const shape = this.#dialect.keywords.get(keyword)
    const fault = shape && shapeFault(keyword, shape, value)
    if (fault !== undefined) this.#fault(path, `${keyword} ${fault}`)
    if (shape === 'pattern') this.#readPattern(value, path)
    const parts = fault === undefined ? subschemasOf(shape, value) : []
    if (parts.length === 0) this.#readValue(value, path, depth)
    else if (parts[0]?.name !== undefined) this.#visit(value, path, depth)
    for (const { name, schema } of parts) {
      const place = name === undefined ? path : pointerTo(path, name)
      if (keyword === 'patternProperties') this.#readPattern(name, place)
      this.#readSchema(schema, place, name === undefined ? depth : depth + 1)
    }
  }

  #readPattern(pattern: unknown, path: string): void {
    if (typeof pattern !== 'string') return
    this.#patternText += pattern.length
    if (this.#patternText > MAX_PATTERN_TEXT)
      this.#end(path, `the patterns of the schema have more than ${MAX_PATTERN_TEXT} characters in all`)
    try {
      createSafePattern(pattern)
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      this.#fault(
        path,
        `the pattern ${JSON.stringify(shortened(pattern, 80))} cannot be used: ${error.message}`,
      )
    }
  }

  /** Plain data inside a schema: only its size, its depth and its names count. */
  #readValue(value: unknown, path: string, depth: number): void {
    this.#visit(value, path, depth)
    if (typeof value !== 'object' || value === null) return
    for (const member of Object.values(value)) this.#readValue(member, path, depth + 1)
  }

  /** What holds for every value in the document, schema or not. */
  #visit(value: unknown, path: string, depth: number): void {
    if (++this.#values > MAX_SCHEMA_VALUES)
      this.#end(path, `the schema has more than ${MAX_SCHEMA_VALUES} values`)
    if (depth > MAX_SCHEMA_DEPTH)
      this.#end(path, `the schema is nested deeper than ${MAX_SCHEMA_DEPTH} levels`)
    if (typeof value === 'string') this.#text += value.length
    if (isObject(value)) for (const name of Object.keys(value)) this.#text += name.length
    if (this.#text > MAX_SCHEMA_TEXT)
      this.#end(path, `the schema has more than ${MAX_SCHEMA_TEXT} characters of text`)
    if (isObject(value) && Object.hasOwn(value, '__proto__'))
      this.#fault(pointerTo(path, '__proto__'), 'no name may be "__proto__"')
  }

  #fault(path: string, message: string): void {
    this.#faults.push(Object.freeze({ path: shortened(path, 200), message }))
    if (this.#faults.length >= MAX_FAULTS) throw new ReadingEnded()
  }

  #end(path: string, message: string): never {
    this.#fault(path, message)
    throw new ReadingEnded()
  }
}
