import { describe, expect, it } from 'vitest'
import type { JsonSchemaDocument } from '../../../src/registry/json-schema.js'
import { SchemaValidator } from '../../../src/runtime/schema/schema-validator.js'
import { OTHER_VERDICTS, REFUSALS } from './json-schema-test-suite/differences.js'
import { SUITE, type SuiteGroup } from './json-schema-test-suite/suite.js'
import { DRAFT_07, deepFreeze } from './schema-fixture.js'

// https://github.com/json-schema-org/JSON-Schema-Test-Suite, in json-schema-test-suite/ with its licence and its commit.

const validator = new SchemaValidator()

/** The schema of a group as the document that a tool would have: an object, which names a dialect other than ours. */
function documentOf({ draft, schema }: SuiteGroup): JsonSchemaDocument {
  const $schema = draft === 'draft7' && { $schema: DRAFT_07 }
  return deepFreeze({ ...$schema, ...(typeof schema === 'boolean' ? { allOf: [schema] } : schema) })
}

const groups = SUITE.map((group) => {
  const schema = documentOf(group)
  return { ...group, schema, faults: validator.check(schema) }
})
const refused = groups.filter(({ faults }) => faults.length > 0)
const compiled = groups.filter(({ faults }) => faults.length === 0)
const nameOf = ({ draft, file, description }: SuiteGroup) => `${draft} ${file} › ${description}`

describe('the official test suite', () => {
  it('is refused where it asks for what no schema of a tool may, for the reason given, and nowhere else', () => {
    const expected = REFUSALS.flatMap((refusal) =>
      SUITE.filter(({ draft, file, description }) => {
        const listed = refusal.groups[draft]?.[file] ?? []
        return listed === 'all' || listed.includes(description)
      }).map((group) => [nameOf(group), [expect.stringMatching(refusal.fault)]] as const),
    )
    const actual = refused.map(
      (group) => [nameOf(group), group.faults.map(({ message }) => message)] as const,
    )
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected))
    expect(actual).toHaveLength(expected.length)
  })

  it('gets its verdict on every instance but those listed, each of which differs', () => {
    const testName = (group: SuiteGroup, test: string) => `${nameOf(group)} › ${test}`
    const expected = OTHER_VERDICTS.flatMap(({ tests }) =>
      compiled.flatMap((group) => {
        const listed = tests[group.file] ?? []
        return group.tests
          .filter(({ description, valid }) => (listed === 'invalid' ? !valid : listed.includes(description)))
          .map(({ description }) => testName(group, description))
      }),
    )
    const actual = compiled.flatMap((group) => {
      const validate = validator.compile(group.schema)
      return group.tests
        .filter(({ data, valid }) => (validate(deepFreeze(data)).length === 0) !== valid)
        .map(({ description }) => testName(group, description))
    })
    expect(actual.sort()).toEqual(expected.sort())
  })

  it('names no difference that the suite does not have', () => {
    const groupNames = new Set(SUITE.map(nameOf))
    const listedGroups = REFUSALS.flatMap(({ groups }) =>
      Object.entries(groups).flatMap(([draft, files]) =>
        Object.entries(files).flatMap(([file, listed]) =>
          listed === 'all' ? [] : listed.map((description) => `${draft} ${file} › ${description}`),
        ),
      ),
    )
    const testNames = new Set(
      SUITE.flatMap(({ file, tests }) => tests.map(({ description }) => `${file} › ${description}`)),
    )
    const listedTests = OTHER_VERDICTS.flatMap(({ tests }) =>
      Object.entries(tests).flatMap(([file, listed]) =>
        listed === 'invalid' ? [] : listed.map((description) => `${file} › ${description}`),
      ),
    )
    expect(listedGroups.filter((name) => !groupNames.has(name))).toEqual([])
    expect(listedTests.filter((name) => !testNames.has(name))).toEqual([])
  })

  it('is run as a whole', () => {
    const instances = compiled.reduce((count, { tests }) => count + tests.length, 0)
    expect({ groups: groups.length, refused: refused.length, instances }).toEqual({
      groups: 782,
      refused: 54,
      instances: 3_816,
    })
  })
})
