/** What the value of a keyword must be, by the meta-schema of the dialect. */
export type KeywordShape =
  | 'schema'
  | 'schemaList'
  | 'schemaMap'
  | 'schemaOrList'
  | 'schemaOrNames'
  | 'string'
  | 'reference'
  | 'pattern'
  | 'number'
  | 'positive'
  | 'count'
  | 'boolean'
  | 'names'
  | 'namesMap'
  | 'types'
  | 'list'
  | 'any'

/** A dialect of JSON Schema: its keywords, each with the shape of its value. */
export interface SchemaDialect {
  readonly name: '2020-12' | 'draft-07'
  readonly keywords: ReadonlyMap<string, KeywordShape>
}

/** The `$schema` values that are taken, for messages. */
export const ACCEPTED_DIALECTS =
  '"https://json-schema.org/draft/2020-12/schema" (also without $schema) and "http://json-schema.org/draft-07/schema#"'

/** The keywords whose subschemas describe the same value as the schema that holds them. */
export const SAME_VALUE_KEYWORDS: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
])

/** The keywords that hold schemas for reference only: nothing is validated against them in place. */
export const DEFINITION_KEYWORDS: ReadonlySet<string> = new Set(['$defs', 'definitions', 'contentSchema'])

const COMMON: readonly (readonly [string, KeywordShape])[] = [
  ['$id', 'reference'],
  ['$schema', 'string'],
  ['$ref', 'reference'],
  ['$comment', 'string'],
  ['$defs', 'schemaMap'],
  ['definitions', 'schemaMap'],
  ['properties', 'schemaMap'],
  ['patternProperties', 'schemaMap'],
  ['additionalProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['contains', 'schema'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['allOf', 'schemaList'],
  ['anyOf', 'schemaList'],
  ['oneOf', 'schemaList'],
  ['dependencies', 'schemaOrNames'],
  ['type', 'types'],
  ['enum', 'list'],
  ['const', 'any'],
  ['default', 'any'],
  ['examples', 'list'],
  ['multipleOf', 'positive'],
  ['maximum', 'number'],
  ['exclusiveMaximum', 'number'],
  ['minimum', 'number'],
  ['exclusiveMinimum', 'number'],
  ['maxLength', 'count'],
  ['minLength', 'count'],
  ['maxItems', 'count'],
  ['minItems', 'count'],
  ['maxProperties', 'count'],
  ['minProperties', 'count'],
  ['uniqueItems', 'boolean'],
  ['required', 'names'],
  ['pattern', 'pattern'],
  ['format', 'string'],
  ['title', 'string'],
  ['description', 'string'],
  ['readOnly', 'boolean'],
  ['writeOnly', 'boolean'],
  ['contentMediaType', 'string'],
  ['contentEncoding', 'string'],
]

const DRAFT_2020_12: SchemaDialect = {
  name: '2020-12',
  keywords: new Map([
    ...COMMON,
    ['$anchor', 'reference'],
    ['$dynamicAnchor', 'reference'],
    ['$dynamicRef', 'reference'],
    ['items', 'schema'],
    ['prefixItems', 'schemaList'],
    ['unevaluatedItems', 'schema'],
    ['unevaluatedProperties', 'schema'],
    ['dependentSchemas', 'schemaMap'],
    ['contentSchema', 'schema'],
    ['dependentRequired', 'namesMap'],
    ['minContains', 'count'],
    ['maxContains', 'count'],
    ['deprecated', 'boolean'],
  ]),
}

const DRAFT_07: SchemaDialect = {
  name: 'draft-07',
  keywords: new Map([...COMMON, ['items', 'schemaOrList'], ['additionalItems', 'schema']]),
}

/** The dialect that `$schema` names, 2020-12 when it is absent; undefined for one that is not taken. */
export function dialectOf($schema: unknown): SchemaDialect | undefined {
  if ($schema === undefined) return DRAFT_2020_12
  if (typeof $schema !== 'string') return undefined
  const id = $schema.replace(/^https?:\/\//, '').replace(/#$/, '')
  if (id === 'json-schema.org/draft/2020-12/schema') return DRAFT_2020_12
  return id === 'json-schema.org/draft-07/schema' ? DRAFT_07 : undefined
}
