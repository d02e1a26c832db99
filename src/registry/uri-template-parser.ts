import { quoteName } from './quoted-name.js'
import { UriTemplateError } from './uri-template-error.js'

/** A stretch of a template: text that stands as it is, or a variable, whose value has none of the characters in `stops`. */
export type TemplatePart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly reserved: boolean; readonly stops: string }

/** A template taken apart: two variables never touch, and the names of the query stand at its end. */
export interface ParsedTemplate {
  readonly parts: readonly TemplatePart[]
  readonly query: readonly string[]
}

const MAX_LENGTH = 2048
const MAX_VARIABLES = 32

/** Throws a `UriTemplateError` for the first thing that is wrong. */
export function parseTemplate(text: string): ParsedTemplate {
  return new TemplateParser(text).parse()
}

class TemplateParser {
  readonly #text: string
  readonly #names = new Set<string>()
  readonly #parts: TemplatePart[] = []
  readonly #query: string[] = []
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): ParsedTemplate {
    if (this.#text.length > MAX_LENGTH)
      throw this.#fault(`it is longer than ${MAX_LENGTH} characters`, MAX_LENGTH)
    while (this.#position < this.#text.length) {
      if (this.#query.length > 0)
        throw this.#fault('nothing may follow {?…}, which takes the rest of the URI')
      if (this.#text[this.#position] === '{') this.#expression()
      else this.#literal()
    }
    return { parts: Object.freeze(this.#parts), query: Object.freeze(this.#query) }
  }

  #literal(): void {
    const next = this.#text.indexOf('{', this.#position)
    const text = this.#text.slice(this.#position, next === -1 ? undefined : next)
    const brace = text.indexOf('}')
    if (brace !== -1) throw this.#fault('"}" closes nothing', this.#position + brace)
    // RFC 6570, section 2.1. Other scripts than ASCII are let through: they are matched as they stand.
    const wrong = text.search(/[\s\p{Cc}"'<>\\^`|]|%(?![0-9A-Fa-f]{2})/u)
    if (wrong !== -1) {
      throw this.#fault(`${JSON.stringify(text[wrong])} must be percent-encoded`, this.#position + wrong)
    }
    this.#parts.push(Object.freeze({ kind: 'literal', text }))
    this.#position += text.length
  }

  #expression(): void {
    const close = this.#text.indexOf('}', this.#position)
    const inner = this.#text.slice(this.#position + 1, close === -1 ? undefined : close)
    if (close === -1 || inner.includes('{')) throw this.#fault('"{" is not closed')
    const [, operator = '', list = ''] = /^([^A-Za-z0-9_%.]?)(.*)$/su.exec(inner) ?? []
    if (operator === '?') this.#queryOf(list.split(','))
    else if (operator === '' || operator === '+') this.#variable(list, operator === '+')
    else throw this.#fault(`operator ${JSON.stringify(operator)} is not known; use {name}, {+path} or {?a,b}`)
    this.#position = close + 1
  }

  #variable(name: string, reserved: boolean): void {
    if (name.includes(',')) throw this.#fault('one variable at a time, such as {a}/{b}')
    if (this.#parts.at(-1)?.kind === 'variable') {
      throw this.#fault(
        'a variable cannot follow another without text between them: nobody could tell where one ends',
      )
    }
    this.#claim(name)
    const stops = `${reserved ? '' : '/'}?#${this.#hasLiteral('?') ? '&' : ''}`
    this.#parts.push(Object.freeze({ kind: 'variable', name, reserved, stops }))
  }

  #queryOf(names: readonly string[]): void {
    if (this.#hasLiteral('?') || this.#hasLiteral('#')) {
      throw this.#fault('{?…} begins the query, and "?" or "#" stands before it; write it in place of that')
    }
    for (const name of names) this.#claim(name)
    this.#query.push(...names)
  }

  #claim(name: string): void {
    if (!/^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/.test(name)) {
      throw this.#fault(
        `a variable is named with A-Z a-z 0-9 _ and dots, without modifiers (got ${quoteName(name)})`,
      )
    }
    if (this.#names.has(name)) throw this.#fault(`variable ${quoteName(name)} is there twice`)
    this.#names.add(name)
    if (this.#names.size > MAX_VARIABLES) throw this.#fault(`there are more than ${MAX_VARIABLES} variables`)
  }

  #hasLiteral(character: string): boolean {
    return this.#parts.some((part) => part.kind === 'literal' && part.text.includes(character))
  }

  #fault(reason: string, position = this.#position): UriTemplateError {
    return new UriTemplateError(this.#text, position, reason)
  }
}
