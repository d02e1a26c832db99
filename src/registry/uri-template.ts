import { describe, setMember } from './json-value.js'
import { quoteName } from './quoted-name.js'
import { MalformedUriError, UriTemplateError } from './uri-template-error.js'
import { valuesOf } from './uri-template-match.js'
import { type ParsedTemplate, parseTemplate, type TemplatePart } from './uri-template-parser.js'
import type { UriTemplateVariables } from './uri-template-variables.js'

/** A variable of a template. Those of a query may be left out. */
export interface UriTemplateVariable {
  readonly name: string
  readonly required: boolean
}

/** Longer URIs match nothing. */
export const MAX_URI_LENGTH = 8192

/**
 * A URI template (RFC 6570) as MCP's resource templates use it, read in both directions:
 *
 * - `{name}`: one segment, of anything but `/`, `?` and `#`; at least one character
 * - `{+path}`: several segments: it may hold `/`
 * - `{?a,b}`: the query, at the end: each may be left out, in any order, and there are no others
 * - all else stands for itself, to the letter
 *
 * Values are data. They are percent-decoded once, after the match, so that `%2F`, `..` and a NUL can be in any of them: a
 * reader that makes a file name of one has to check where it leads.
 */
export class UriTemplate<Text extends string = string> {
  readonly text: Text
  /** In the order of the text. */
  readonly variables: readonly UriTemplateVariable[]
  readonly #parsed: ParsedTemplate

  private constructor(text: Text, parsed: ParsedTemplate) {
    this.text = text
    this.#parsed = parsed
    this.variables = Object.freeze([
      ...parsed.parts.flatMap((part) => (part.kind === 'variable' ? [variable(part.name, true)] : [])),
      ...parsed.query.map((name) => variable(name, false)),
    ])
    Object.freeze(this)
  }

  /** Throws a {@link UriTemplateError} that says what is wrong and where. */
  static parse<const Text extends string>(text: Text): UriTemplate<Text> {
    if (typeof text !== 'string')
      throw new UriTemplateError('', 0, `it must be a string (got ${describe(text)})`)
    return new UriTemplate(text, parseTemplate(text))
  }

  /**
   * The values in a URI, decoded; undefined if it is none of this template. Throws a {@link MalformedUriError} if it
   * fits and an escape in it is broken (`50%`) or no UTF-8, and for a URI of more than 8192 characters.
   */
  match(uri: string): UriTemplateVariables<Text> | undefined {
    if (uri.length > MAX_URI_LENGTH)
      throw new MalformedUriError(uri, `is longer than ${MAX_URI_LENGTH} characters`)
    const { parts, query } = this.#parsed
    const begin = query.length > 0 ? uri.indexOf('?') : -1
    const inPath = valuesOf(parts, begin === -1 ? uri : uri.slice(0, begin))
    const inQuery = begin === -1 ? [] : queryPairs(uri.slice(begin + 1), query)
    if (inPath === undefined || inQuery === undefined) return undefined

    const values: Record<string, string> = {}
    for (const [index, part] of parts.entries()) {
      if (part.kind === 'variable') setMember(values, part.name, decoded(inPath[index] ?? '', uri))
    }
    for (const [name, value] of inQuery) setMember(values, name, decoded(value, uri))
    return Object.freeze(values) as UriTemplateVariables<Text> // the names are those of the text
  }

  /**
   * The URI of these values: what {@link match} reads back, unless a value holds the text that ends it. Unlike RFC 6570 has
   * it, a `%` in a value is always data, and `{+path}` encodes `?` and `#`. Throws a `TypeError` for a missing, empty or
   * unknown value.
   */
  expand(values: UriTemplateVariables<Text>): string {
    const given = new Map(Object.entries<unknown>(values).filter(([, value]) => value !== undefined))
    const known = this.variables.map(({ name }) => name)
    const stranger = [...given.keys()].find((name) => !known.includes(name))
    if (stranger !== undefined) {
      throw this.#cannot(
        `${quoteName(stranger)} is none of its variables, which are: ${known.join(', ') || 'none'}`,
      )
    }
    const path = this.#parsed.parts.map((part) =>
      part.kind === 'literal' ? part.text : this.#segment(part, given),
    )
    const pairs = this.#parsed.query
      .filter((name) => given.has(name))
      .map((name) => `${name}=${this.#encoded(name, given.get(name))}`)
    return path.join('') + (pairs.length > 0 ? `?${pairs.join('&')}` : '')
  }

  #segment(
    { name, reserved, stops }: TemplatePart & { kind: 'variable' },
    given: ReadonlyMap<string, unknown>,
  ): string {
    const value = given.get(name)
    if (value === undefined) throw this.#cannot(`the value of ${quoteName(name)} is missing`)
    if (value === '') throw this.#cannot(`the value of ${quoteName(name)} must not be empty`)
    return this.#encoded(name, value, reserved ? stops : undefined)
  }

  /** With `stops`, only these and what no URI can hold are encoded. */
  #encoded(name: string, value: unknown, stops?: string): string {
    if (typeof value !== 'string') {
      throw this.#cannot(`the value of ${quoteName(name)} must be a string (got ${describe(value)})`)
    }
    if (HALF_CHARACTER.test(value))
      throw this.#cannot(`the value of ${quoteName(name)} holds half a character`)
    if (stops === undefined) return encodeURIComponent(value).replace(/[!'()*]/g, escaped)
    return Array.from(encodeURI(value), (character) =>
      stops.includes(character) ? escaped(character) : character,
    ).join('')
  }

  #cannot(reason: string): TypeError {
    return new TypeError(`URI template ${quoteName(this.text)} cannot be expanded: ${reason}`)
  }
}

/** A surrogate without its other half: no UTF-8 can carry it. */
const HALF_CHARACTER = /\p{Surrogate}/u

function variable(name: string, required: boolean): UriTemplateVariable {
  return Object.freeze({ name, required })
}

/** Names and encoded values of a query; undefined if a name is unknown or comes twice. */
function queryPairs(query: string, known: readonly string[]): ReadonlyMap<string, string> | undefined {
  if (query.includes('#')) return undefined
  const pairs = new Map<string, string>()
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name = '', ...rest] = pair.split('=')
    if (!known.includes(name) || pairs.has(name)) return undefined
    pairs.set(name, rest.join('='))
  }
  return pairs
}

function decoded(value: string, uri: string): string {
  if (HALF_CHARACTER.test(value)) throw new MalformedUriError(uri, 'holds half a character')
  try {
    return decodeURIComponent(value)
  } catch {
    throw new MalformedUriError(
      uri,
      'has a broken escape: % begins an escape of UTF-8 (%25 stands for % itself)',
    )
  }
}

/** Percent-encodes one ASCII character. */
function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
