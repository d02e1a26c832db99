import {
  type CharRanges,
  type CharSet,
  complement,
  EVERY_CHAR,
  NAMED_RANGES,
  nativeSet,
  singleChar,
} from './char-set.js'

/** A pattern taken apart; groups and laziness are gone, since neither changes whether a text matches. */
export type PatternNode =
  | { readonly type: 'char'; readonly chars: CharSet }
  | { readonly type: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number }
  | { readonly type: 'edge'; readonly edge: '^' | '$' | 'b' | 'B' }
  | { readonly type: 'look'; readonly ahead: boolean; readonly negated: boolean; readonly body: PatternNode }

/** A pattern that cannot be taken, with the reason as a sentence. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 }
const UNBOUNDED = Number.POSITIVE_INFINITY
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y
const BACKREFERENCE =
  'it refers back to a group, which cannot be checked in bounded time; spell the alternatives out'

/** Reads a pattern that `new RegExp(source, flags)` accepts, `flags` being `u` or nothing. Throws `PatternError`. */
export function parsePattern(source: string, flags: 'u' | ''): PatternNode {
  return new PatternReader(source, flags).read()
}

class PatternReader {
  readonly #source: string
  readonly #flags: 'u' | ''
  readonly #unicode: boolean
  readonly #groups: number
  readonly #hasNames: boolean
  #at = 0

  constructor(source: string, flags: 'u' | '') {
    this.#source = source
    this.#flags = flags
    this.#unicode = flags === 'u'
    // With an empty alternative it always matches, and the match lists the groups. Under `u` every
    // `\\1` and `\\k` is a reference.
    const groups = flags === '' ? new RegExp(`${source}|`).exec('') : null
    this.#groups = (groups?.length ?? 1) - 1
    this.#hasNames = groups?.groups !== undefined
  }

  read(): PatternNode {
    const pattern = this.#choice()
    if (this.#at < this.#source.length) throw new PatternError(`it cannot be read at character ${this.#at}`)
    return pattern
  }

  #choice(): PatternNode {
    const options = [this.#sequence()]
    while (this.#take('|')) options.push(this.#sequence())
    return options.length === 1 && options[0] ? options[0] : { type: 'choice', options }
  }

  #sequence(): PatternNode {
    const items: PatternNode[] = []
    while (this.#at < this.#source.length && !this.#sees('|') && !this.#sees(')')) {
      items.push(this.#quantified(this.#atom()))
    }
    return { type: 'sequence', items }
  }

  #quantified(body: PatternNode): PatternNode {
    const found = this.#match(QUANTIFIER)
    if (!found) return body
    const [, sign, low, comma, high] = found
    if (sign !== undefined)
      return { type: 'repeat', body, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : UNBOUNDED }
    const max = comma === undefined ? low : high === '' ? UNBOUNDED : high
    return { type: 'repeat', body, min: Number(low), max: Number(max) }
  }

  #atom(): PatternNode {
    if (this.#take('^')) return { type: 'edge', edge: '^' }
    if (this.#take('$')) return { type: 'edge', edge: '$' }
    if (this.#take('(')) return this.#group()
    if (this.#take('.')) return this.#native('.', NAMED_RANGES['.'] ?? EVERY_CHAR)
    if (this.#sees('[')) return this.#class()
    if (this.#take('\\')) return this.#escape()
    return this.#literal()
  }

  #group(): PatternNode {
    const look = this.#match(/\?(<?)([=!])/y)
    if (look) return { type: 'look', ahead: look[1] === '', negated: look[2] === '!', body: this.#closing() }
    if (!this.#match(/\?(?::|<[^>]*>)/y) && this.#sees('?'))
      throw new PatternError('it switches flags in a group, which JSON Schema does not know')
    return this.#closing()
  }

  #closing(): PatternNode {
    const body = this.#choice()
    this.#take(')')
    return body
  }

  #escape(): PatternNode {
    if (this.#take('b')) return { type: 'edge', edge: 'b' }
    if (this.#take('B')) return { type: 'edge', edge: 'B' }
    const start = this.#at - 1
    const number = this.#match(/[1-9]\d*/y)
    const isReference = number
      ? this.#unicode || Number(number[0]) <= this.#groups
      : this.#sees('k') && (this.#unicode || this.#hasNames)
    if (isReference) throw new PatternError(BACKREFERENCE)
    this.#at = start + 1
    const taken = this.#readEscape()
    if (typeof taken === 'number') return { type: 'char', chars: singleChar(taken) }
    return this.#native(this.#source.slice(start, this.#at), taken)
  }

  /** Behind a backslash: the code of one character, or the ranges of a set. Octal escapes and `\c` live on outside `u`. */
  #readEscape(): number | CharRanges {
    const short = this.#match(/[dDwWsStnvfr]/y)?.[0]
    if (short !== undefined) return CONTROLS[short] ?? NAMED_RANGES[short] ?? EVERY_CHAR
    if (this.#unicode && this.#match(/[pP]\{[^}]*\}/y)) return EVERY_CHAR
    const control = this.#match(/c([a-zA-Z])/y)?.[1]
    if (control !== undefined) return control.charCodeAt(0) % 32
    // Outside `u` a `\c` without a letter is the backslash itself, and the `c` stands for itself behind it.
    if (this.#sees('c')) return 0x5c
    const octal = this.#unicode ? /0/y : /[0-3][0-7]{0,2}|[4-7][0-7]?/y
    return this.#readCode(octal, 8, 0) ?? this.#readHex() ?? this.#readChar()
  }

  #readHex(): number | undefined {
    const long = this.#unicode ? this.#readCode(/u\{[0-9a-fA-F]+\}/y, 16, 2) : undefined
    const code =
      long ?? this.#readCode(/u[0-9a-fA-F]{4}/y, 16, 1) ?? this.#readCode(/x[0-9a-fA-F]{2}/y, 16, 1)
    if (code === undefined || long !== undefined || !this.#unicode || code < 0xd800 || code > 0xdbff)
      return code
    const low = this.#readCode(/\\u[dD][c-fC-F][0-9a-fA-F]{2}/y, 16, 2)
    return low === undefined ? code : (code - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000
  }

  #readCode(form: RegExp, radix: number, skip: number): number | undefined {
    const found = this.#match(form)
    return found ? Number.parseInt(found[0].slice(skip), radix) : undefined
  }

  #readChar(): number {
    const code = (this.#unicode ? this.#source.codePointAt(this.#at) : this.#source.charCodeAt(this.#at)) ?? 0
    this.#at += code > 0xffff ? 2 : 1
    return code
  }

  #literal(): PatternNode {
    return { type: 'char', chars: singleChar(this.#readChar()) }
  }

  #class(): PatternNode {
    const start = this.#at
    let end = start + 1
    while (this.#source[end] !== ']') end += this.#source[end] === '\\' ? 2 : 1
    const ranges = this.#classRanges(end)
    this.#at = end + 1
    return this.#native(this.#source.slice(start, end + 1), ranges)
  }

  #classRanges(end: number): CharRanges {
    this.#at++
    const negated = this.#take('^')
    const ranges: (readonly [number, number])[] = []
    while (this.#at < end) {
      const from = this.#classItem()
      const isRange = this.#sees('-') && this.#at + 1 < end
      if (isRange) this.#at++
      const to = isRange ? this.#classItem() : from
      if (from === undefined || to === undefined) return EVERY_CHAR
      if (typeof from === 'number' && typeof to === 'number') ranges.push([from, to])
      else ranges.push(...rangesOf(from), ...(isRange ? [[0x2d, 0x2d] as const, ...rangesOf(to)] : []))
    }
    return negated ? complement(ranges) : ranges
  }

  /** Undefined for what is not taken apart: then the class counts as every character. */
  #classItem(): number | CharRanges | undefined {
    if (!this.#take('\\')) return this.#readChar()
    if (this.#take('b')) return 8
    if (this.#unicode ? /[pPc]/.test(this.#source[this.#at] ?? '') : this.#sees('c')) return undefined
    return this.#readEscape()
  }

  #native(atom: string, ranges: CharRanges): PatternNode {
    return { type: 'char', chars: nativeSet(atom, this.#flags, ranges) }
  }

  /** What the sticky `form` finds here, read. */
  #match(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at
    const found = form.exec(this.#source)
    if (found) this.#at = form.lastIndex
    return found
  }

  #sees(text: string): boolean {
    return this.#source.startsWith(text, this.#at)
  }

  #take(text: string): boolean {
    const seen = this.#sees(text)
    if (seen) this.#at += text.length
    return seen
  }
}

function rangesOf(item: number | CharRanges): readonly (readonly [number, number])[] {
  return typeof item === 'number' ? [[item, item]] : item
}
