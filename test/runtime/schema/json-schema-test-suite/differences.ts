import type { Draft } from './suite.js'

/** Groups of the suite whose schema is refused before anything is validated, and why that is right. */
export interface Refusal {
  readonly reason: string
  /** What the one fault says. */
  readonly fault: RegExp
  /** By the path of a file, its groups. */
  readonly groups: Readonly<Partial<Record<Draft, Readonly<Record<string, readonly string[] | 'all'>>>>>
}

/** Instances on which we do not follow the verdict of the suite, and why; in every dialect that has the file. */
export interface OtherVerdict {
  readonly reason: string
  /** By the path of a file, its tests; in `invalid` files every instance that the suite calls invalid is taken. */
  readonly tests: Readonly<Record<string, readonly string[] | 'invalid'>>
}

export const REFUSALS: readonly Refusal[] = [
  {
    reason: 'nothing outside a schema is ever fetched or known beforehand, meta-schemas included',
    fault: /^\$ref ".+" leaves the schema; copy what it refers to under \$defs$/,
    groups: {
      'draft2020-12': {
        'defs.json': 'all',
        'dynamicRef.json': [
          'strict-tree schema, guards against misspelled properties',
          'tests for implementation dynamic anchor and reference link',
          '$ref and $dynamicAnchor are independent of order - $defs first',
          '$ref and $dynamicAnchor are independent of order - $ref first',
          '$ref to $dynamicRef finds detached $dynamicAnchor',
        ],
        'optional/cross-draft.json': 'all',
        'ref.json': ['remote ref, containing refs itself'],
        'refRemote.json': 'all',
      },
      draft7: {
        'definitions.json': 'all',
        'optional/cross-draft.json': 'all',
        'ref.json': ['remote ref, containing refs itself'],
        'refRemote.json': 'all',
      },
    },
  },
  {
    reason:
      'a $dynamicRef whose target depends on the way it is reached is used by meta-schemas, not by tools',
    fault: /^\$dynamicRef ".+" depends on the way it is reached, which is not supported; use \$ref$/,
    groups: {
      'draft2020-12': {
        'dynamicRef.json': [
          'A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated',
          "A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
          'A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope',
          'multiple dynamic paths to the $dynamicRef keyword',
          'after leaving a dynamic scope, it is not used by a $dynamicRef',
          '$dynamicRef skips over intermediate resources - direct reference',
          '$dynamicRef avoids the root of each schema, but scopes are still registered',
        ],
        'optional/dynamicRef.json': 'all',
        'unevaluatedItems.json': ['unevaluatedItems with $dynamicRef'],
        'unevaluatedProperties.json': ['unevaluatedProperties with $dynamicRef'],
      },
    },
  },
  {
    reason: 'there are two dialects: no meta-schema of a stranger, so none of its vocabularies either',
    fault: /^\$schema must be "https:\/\/json-schema\.org\/draft\/2020-12\/schema"/,
    groups: { 'draft2020-12': { 'optional/format-assertion.json': 'all', 'vocabulary.json': 'all' } },
  },
  {
    reason: 'an enum that no value matches makes a tool that nobody can call: it is a mistake',
    fault: /^enum must list at least one value$/,
    groups: { 'draft2020-12': { 'enum.json': ['empty enum'] } },
  },
  {
    reason: 'a property of that name is lost, or worse, wherever a value is copied by assignment',
    fault: /^no name may be "__proto__"$/,
    groups: {
      'draft2020-12': { 'properties.json': ['properties whose names are Javascript object property names'] },
      draft7: { 'properties.json': ['properties whose names are Javascript object property names'] },
    },
  },
]

/** The formats in `format.json` of 2020-12 that we validate. */
const VALIDATED_FORMATS = [
  ...['email', 'regex', 'ipv4', 'ipv6', 'hostname', 'date', 'date-time', 'time', 'json-pointer'],
  ...['relative-json-pointer', 'uri', 'uri-reference', 'uri-template', 'uuid', 'duration'],
]

export const OTHER_VERDICTS: readonly OtherVerdict[] = [
  {
    reason:
      'format is validated, as 2020-12 allows: a model is told of a wrong date before the tool meets it',
    tests: {
      'format.json': VALIDATED_FORMATS.map(
        (format) => `invalid ${format} string is only an annotation by default`,
      ),
    },
  },
  {
    reason: 'internationalised formats are annotations: to validate them takes the tables of IDNA',
    tests: {
      'optional/format/idn-email.json': 'invalid',
      'optional/format/idn-hostname.json': 'invalid',
      'optional/format/iri-reference.json': 'invalid',
      'optional/format/iri.json': 'invalid',
    },
  },
  {
    reason: 'a label xn--… is not decoded, for the same reason',
    tests: {
      'optional/format/hostname.json': [
        'invalid Punycode',
        'contains illegal char U+302E Hangul single dot tone mark',
        'Begins with a Spacing Combining Mark',
        'Begins with a Nonspacing Mark',
        'Begins with an Enclosing Mark',
        'Exceptions that are DISALLOWED, right-to-left chars',
        'Exceptions that are DISALLOWED, left-to-right chars',
        "MIDDLE DOT with no preceding 'l'",
        'MIDDLE DOT with nothing preceding',
        "MIDDLE DOT with no following 'l'",
        'MIDDLE DOT with nothing following',
        'Greek KERAIA not followed by Greek',
        'Greek KERAIA not followed by anything',
        'Hebrew GERESH not preceded by Hebrew',
        'Hebrew GERESH not preceded by anything',
        'Hebrew GERSHAYIM not preceded by Hebrew',
        'Hebrew GERSHAYIM not preceded by anything',
        'KATAKANA MIDDLE DOT with no Hiragana, Katakana, or Han',
        'KATAKANA MIDDLE DOT with no other characters',
        'Arabic-Indic digits mixed with Extended Arabic-Indic digits',
        'ZERO WIDTH JOINER not preceded by Virama',
        'ZERO WIDTH JOINER not preceded by anything',
        'contains "--" in the 3rd and 4th position',
      ],
    },
  },
  {
    reason: 'a host name with the dot of the root at its end is one to every resolver',
    tests: { 'optional/format/hostname.json': ['trailing dot'] },
  },
  {
    reason: 'ISO 8601 has these durations, and everything that reads durations takes them',
    tests: {
      'optional/format/duration.json': [
        'years and days cannot appear without months',
        'hours and seconds cannot appear without minutes',
      ],
    },
  },
  {
    reason: 'quoted names and address literals are e-mail addresses that hardly a service takes',
    tests: {
      'optional/format/email.json': [
        'a quoted string with a space in the local part is valid',
        'a quoted string with a double dot in the local part is valid',
        'a quoted string with a @ in the local part is valid',
        'an IPv4-address-literal after the @ is valid',
        'an IPv6-address-literal after the @ is valid',
      ],
    },
  },
  {
    reason: 'the expression of ajv-formats for URIs is more lenient than RFC 3986 in places; it refuses none',
    tests: {
      'optional/format/uri.json': [
        'non-numeric port is invalid',
        'leading zero in an embedded IPv4 address is invalid',
        'square brackets are not allowed in a path segment',
      ],
      'optional/format/uri-reference.json': [
        'a double quote in a path',
        'square brackets outside an authority',
        'a non-numeric port in a network-path reference',
        'more than one at-sign in the authority',
        'a leading zero in the IPv4 part of an IPv6 literal',
        'a colon in the first segment of a relative-path reference',
      ],
    },
  },
  {
    reason: 'a pattern that is legal without the u flag is taken: published schemas have many',
    tests: { 'optional/format/ecmascript-regex.json': ['when used as a pattern'] },
  },
  {
    reason: 'content keywords are annotations, in draft-07 as in 2020-12: nothing decodes or parses a text',
    tests: { 'optional/content.json': 'invalid' },
  },
]
